#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Many jobs and many ranks on several hosts: jobs that start at once, or one after the other at the same port; descriptors
# that do not grow with the ranks where the pattern does not; and too few of them.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"

hello=$BUILD/bin/ranks_hello
hosts_up 4
export TOTUM_TIMEOUT=60s

# --- twenty jobs at once, of three ranks each ---

pids=
for job in $(seq 20); do
	od -An -tx1 -N32 /dev/urandom | tr -d ' \n' >secret.$job
	for rank in 2 0 1; do
		run_on $((rank + 1)) env TOTUM_RANK=$rank TOTUM_SIZE=3 TOTUM_ROOT=tcp://10.77.0.1:$((7800 + job)) \
			TOTUM_SECRET_FD=8 "$hello" 8<secret.$job >"said.$job.$rank" 2>&1 &
		pids="$pids $!"
	done
done
wait $pids
for job in $(seq 20); do
	for rank in 0 1 2; do
		[ "$(cat said.$job.$rank)" = "rank $rank of 3" ] || fail "job $job of twenty: $(cat said.$job.$rank)"
	done
done

# --- one after the other at the same port ---

for _ in $(seq 10); do
	job_port=7899
	run_ranks 60 3 1,2,3 "$hello" || break
done

# --- descriptors ---

run_ranks 60 8 packed "$BUILD/bin/hosts_many"
few=$(sort -n job/0.out | tail -n 1)
run_ranks 60 40 packed "$BUILD/bin/hosts_many"
many=$(sort -n job/0.out | tail -n 1)
[ "$(wc -l <job/0.out)" -eq 40 ] && [ "$many" -le $((few + 4)) ] ||
	fail "a rank of a ring has $few descriptors among 8 ranks, and $many among 40"

# Too few for a connection to everybody: every rank says so.  Too few for rank 0 to let all in: it says so at once, to all who
# come to its door in time.
ranks_of() { # LIMIT
	ROUNDS=1 start_ranks 24 packed sh -c "ulimit -n $1 && exec \"\$0\"" "$BUILD/bin/hosts_rounds"
	limit="limit of open files.*ulimit -n"
}
ranks_of 40
wait_ranks 60 && [ "$(cat job/*.code | sort -u)" = 12 ] && [ "$(cat job/*.out | grep -c "$limit")" -eq 24 ] ||
	{ show_ranks && fail "with 40 descriptors not every rank says which limit was hit"; }
for descriptors in 24 18; do
	ranks_of $descriptors
	until_rank_0=$(($(date +%s) + 40)) # it has a minute for the ranks to come
	until [ -s job/0.code ] || [ "$(date +%s)" -gt $until_rank_0 ]; do
		sleep 0.05
	done
	[ -s job/0.code ] && [ "$(rank_code 0)" -eq 12 ] && grep -q "needs a descriptor for each of 24.*ulimit -n" job/0.out &&
		[ "$(cat job/*.out | grep -c "$limit")" -gt 1 ] ||
		{ show_ranks && fail "with $descriptors descriptors rank 0 does not say at once which limit was hit"; }
	end_ranks
done
exit $failures
