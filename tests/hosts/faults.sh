#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What becomes of a job on several hosts when something is lost: every survivor returns an error that names a rank and a
# host, of a peer whose connection closes long before the deadline, of others at the deadline.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"
. "$SOURCE/tests/hosts/rounds"

hosts_up 3
slowest=0

# A rank or a host is killed: TOTUM_ELOST, not TOTUM_ETIMEOUT after the minute.
killed() { # CASE NRANKS PLACEMENT "LOST..." COMMAND...
	rounds_case=$1 lost=$4
	TOTUM_TIMEOUT=60s start_rounds "$2" "$3" || return
	shift 4
	rounds_moment
	from=$(job_now)
	"$@"
	judge_rounds 40 10 "$lost" "$lost" || return
	for rank in $(seq 0 $((job_ranks - 1))); do
		case " $lost " in *" $rank "*) continue ;; esac
		slowest=$(awk -v s="$slowest" -v t="$(rank_took "$rank" "$from")" 'BEGIN { print (t > s ? t : s) }')
	done
	end_ranks
}

killed "rank 1 of 3 killed" 3 packed 1 rank_signal 1 KILL
killed "rank 0 of 3 killed" 3 packed 0 rank_signal 0 KILL
killed "rank 4 of 5, not a host's first" 5 2+2+1 3 rank_signal 3 KILL
killed "rank 2 of 6, scattered" 6 2,1,1,2,3,2 2 rank_signal 2 KILL
killed "a host of two ranks killed" 5 1+2+2 "3 4" host_kill 3
hosts_down || fail "hosts do not go"
echo "the last survivor of a killed peer ended after $slowest s; $rounds_second named another survivor"

# What is silent and not gone: TOTUM_ETIMEOUT at the deadline, or what another rank has told of it.
silent() { # CASE "LOST..." NRANKS PLACEMENT "CULPRITS..." COMMAND...
	rounds_case=$1 lost=$2 culprits=$5
	hosts_up 3
	TOTUM_TIMEOUT=3s start_rounds "$3" "$4" || return
	shift 5
	rounds_moment
	"$@"
	judge_rounds 60 "11 10" "$lost" "$culprits"
	end_ranks
	hosts_down || fail "hosts do not go"
}

silent "rank 2 stopped" 2 5 2,1,1,3,2 2 rank_signal 2 STOP
silent "a cable pulled" "" 3 packed "0 1 2" link_down 2
silent "a link cut without a sign" "" 5 2+2+1 "0 1 2 3 4" link_cut 2
STUCK=1 silent "rank 1 stays away, and is alive" 1 3 packed 1 true
STUCK=1,3 silent "ranks 1 and 3 stay away" "1 3" 5 2+2+1 "1 3" true
grep -q "rank 1 .*, 3 .*on host" job/*.out || {
	show_ranks
	fail "nobody names both ranks that stay away"
}

# A link so slow that calls take longer than the deadline: all go on, or all say so.
rounds_case="a link of 2 mbit"
hosts_up 3
link_rate 2 2mbit
ROUNDS=6 TOTUM_TIMEOUT=3s ELEMENTS=100000 start_ranks 3 packed "$BUILD/bin/hosts_rounds"
if ! wait_ranks 100; then
	fail "$rounds_case: ranks hang"
elif [ "$(cat job/*.code | grep -cx 0)" -ne 3 ]; then
	judge_rounds 1 "11 10" "" "0 1 2"
fi
hosts_down || fail "hosts do not go"

[ "$failures" -eq 0 ] || echo "again: SEED=$SEED tests/hosts/faults.sh"
exit $failures
