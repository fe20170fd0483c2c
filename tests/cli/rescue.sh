#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks are killed in all-gathers, and the survivors complete the call from what has reached one of them.
set -u

. "$SOURCE/tests/cli/leftovers"
program=$BUILD/bin/ranks_rescue_kill

"$program" "${ROUNDS:-40}" || exit 1
TOTUM_SINGLE_COPY=off "$program" 5 || exit 1
nothing_left "$program"
