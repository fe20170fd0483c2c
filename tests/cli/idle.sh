#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks that wait for a late one leave the cores alone: one that would have a core to itself, and many on few cores,
# where a barrier must come to its end too.
set -u

for n in 2 16; do
	"$TOTUM" run -n $n --timeout 120s -- "$BUILD/bin/ranks_idle" || exit 1
done
