#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All-gathers over several hosts in which ranks are killed, and which the survivors complete: all of them the same call,
# with the same shards, every byte right, and lacking those of killed ranks alone.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"
. "$SOURCE/tests/hosts/rounds"

hosts_up 3
wholes=0 rescues=0

# The job is judged by what survivors print; `rescued` is the mask of all of them.
judge_rescue() { # CASE "LOST..."
	wait_ranks 60 $2 || { fail "$1: survivors hang" && return 1; }
	rescued='' all=$(((1 << job_ranks) - 1)) lost=0
	for rank in $2; do
		lost=$((lost | 1 << rank))
	done
	for rank in $(seq 0 $((job_ranks - 1))); do
		case " $2 " in *" $rank "*) continue ;; esac
		said=$(sed -n 's/^rescued //p' "job/$rank.out")
		[ -n "$said" ] && [ "${rescued:-$said}" = "$said" ] && [ "$(rank_code "$rank")" -eq 0 ] || {
			show_ranks
			fail "$1: rank $rank has not rescued what another one has"
			return 1
		}
		rescued=$said
	done
	rescued=${rescued#* }
	[ $((rescued | lost)) -eq $all ] || { fail "$1: the shard of a survivor is lost ($rescued)" && return 1; }
	rescues=$((rescues + 1))
	[ "$rescued" -ne $all ] || wholes=$((wholes + 1))
}

start_rescue() { # NRANKS PLACEMENT
	start_ranks "$1" "$2" "$BUILD/bin/hosts_rescue"
	until [ "$(cat job/*.out | grep -c going)" -eq "$job_ranks" ]; do
		[ -z "$(cat job/*.code 2>/dev/null)" ] || { show_ranks && fail "the ranks do not begin" && return 1; }
		sleep 0.02
	done
}

export LEAST MOST EQUAL HELD SEED TOTUM_ALGO

# One rank never comes, and is killed together with another one when that has sent its shard: which must not be lost.
sent() { # BYTES PLACEMENT LOST HELD
	for moment in 0.5 2 8; do
		LEAST=$1 MOST=$1 EQUAL=1 HELD=$4 TOTUM_ALGO=direct start_rescue "$(job_count "$2")" "$2" || return
		sleep $moment
		kill_together "$3 $4"
		judge_rescue "$1 bytes, $2, rank $3 killed when it has sent, rank $4 before" "$3 $4" || return
		end_ranks
		[ "$rescued" -ne $((all & ~(1 << $4))) ] || return
	done
	fail "the shard of $1 bytes that rank $3 of $2 has sent is lost ($rescued)"
}

# The first ones stop before one dies, so that they do nothing about that.
kill_together() { # "RANK..."
	for lost_rank in $1; do
		rank_signal "$lost_rank" STOP
	done
	for lost_rank in $1; do
		rank_signal "$lost_rank" KILL
	done
}

sent 8 1+1+1 0 2
sent 6000000 1+2+1 3 0
sent 100000 2+1+2 3 2

# Rank 0 is killed while one has its shard and the other, behind a slow link, has a part of it.
rescued=0 all=7
for moment in 0.5 1.5 2.5; do
	[ "$rescued" -ne $all ] || break
	link_rate 3 20mbit
	LEAST=36000000 MOST=36000000 EQUAL=1 TOTUM_ALGO=direct start_rescue 3 1+1+1 || break
	sleep $moment
	rank_signal 0 KILL
	link_rate 3 1gbit
	judge_rescue "rank 0 killed when one has its shard" 0 || break
	end_ranks
done
[ "$rescued" -eq $all ] || fail "the shard that has reached one rank of two is lost"

# At a random moment, by an algorithm of the library's choice.
unset TOTUM_ALGO EQUAL HELD
killed() { # LEAST MOST PLACEMENT "LOST..."
	LEAST=$1 MOST=$2 start_rescue "$(job_count "$3")" "$3" || return
	rounds_moment
	kill_together "$4"
	judge_rescue "$1 to $2 bytes, $3, killed $4" "$4"
	end_ranks
}

for round in $(seq "${ROUNDS:-2}"); do
	SEED=$((SEED + 1))
	killed 8 4096 1+1 1
	killed 8 65536 2+1 0
	killed 65536 16000000 1+1+1 2
	killed 1024 4000000 2+2+2 3
	killed 8 1000000 2+2+1 "1 2"
	killed 64 65536 3+1 1 # hosts that differ in what they try when the job begins
done
hosts_down || fail "hosts do not go"
echo "$wholes of $rescues were rescued whole"
[ "$failures" -eq 0 ] || echo "again: SEED=$SEED tests/hosts/rescue.sh"
exit $failures
