#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Sixteen ranks on few cores: a barrier comes to its end, and ranks that wait for a late one leave the cores alone.
set -u

"$TOTUM" run -n 16 --timeout 120s -- "$BUILD/bin/ranks_idle"
