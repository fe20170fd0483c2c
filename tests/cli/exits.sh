#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks end without a farewell when it hurts most: the others get what was sent, and the name.
set -u

. "$SOURCE/tests/cli/leftovers"
program=$BUILD/bin/ranks_exits

"$program" || exit 1
nothing_left "$program"
