#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks end without a farewell, at moments chosen to hurt: the others get what was sent, and the name.
set -u

. "$SOURCE/tests/cli/leftovers"
program=$BUILD/bin/ranks_exits

"$program" || exit 1
nothing_left "$program"
