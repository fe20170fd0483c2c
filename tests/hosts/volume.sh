#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Bytes that enter a host: never fewer than the others have; and each byte once by the algorithm over hosts, where these
# have as many ranks each.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"

volume() { # PLACEMENT
	hosts_up "$(hosts_named "$1")"
	run_ranks 60 "$(job_count "$1")" "$1" "$BUILD/bin/hosts_volume" || cat job/0.out
	[ "$(grep -c entered job/0.out)" -ge 48 ] || fail "$1: hosts are not looked at"
	hosts_down || fail "hosts do not go"
}

for placement in 1,2 2+2 2,1,1,3,2 3+1+2; do
	volume $placement
done
export EXACT=1
for placement in 1+1+1 2+2 3+3 2+2+2; do
	export TOTUM_ALGO="hierarchical,hosts=$(hosts_named $placement)"
	volume $placement
done
exit $failures
