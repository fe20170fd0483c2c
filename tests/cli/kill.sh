#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fifty times a random rank is killed in a loop of all-gathers: the survivors name it in time, and nothing is left.
set -u

. "$SOURCE/tests/cli/leftovers"
program=$BUILD/bin/ranks_kill

"$program" 50 || exit 1
nothing_left "$program"
