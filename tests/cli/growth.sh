#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Descriptors, mappings, threads and memory stay what they are over many communicators, jobs and gathers.
set -u

. "$SOURCE/tests/cli/leftovers"
program=$BUILD/bin/ranks_growth

for n in 1 4; do
	"$TOTUM" run -n $n --timeout 280s -- "$program" || exit 1
done
nothing_left "$program"
