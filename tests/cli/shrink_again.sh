#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A survivor dies in the middle of a shrink: the others shrink once more by themselves.
set -u

. "$SOURCE/tests/cli/leftovers"
program=$BUILD/bin/ranks_shrink_again

"$program" || exit 1
nothing_left "$program"
