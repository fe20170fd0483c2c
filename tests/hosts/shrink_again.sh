#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A rank is killed, and while the others shrink another one, the lowest of its host: nobody waits for one who cannot come.
# Each survivor goes on, or is told whom it lacks; on one host all go on.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"
. "$SOURCE/tests/hosts/rounds"

export LEAST=8 MOST=4096 SEED
went_on=0 told=0

# Every survivor has ended soon, with the others or with a sentence that names a rank.
judge_again() { # FIRST SECOND
	wait_ranks 10 "$1" "$2" || { show_ranks && fail "$again_case: survivors hang" && return; }
	for rank in $(seq 0 $((job_ranks - 1))); do
		[ "$rank" -ne "$1" ] && [ "$rank" -ne "$2" ] || continue
		if grep -q "^rescued" "job/$rank.out"; then
			went_on=$((went_on + 1))
		elif grep -q "WRONG in call .*rank [0-9]* .*" "job/$rank.out"; then
			told=$((told + 1))
		else
			show_ranks
			fail "$again_case: rank $rank says nothing"
		fi
	done
}

again() { # PLACEMENT FIRST SECOND
	rounds_choice 10
	again_case="$1, rank $3 killed $rounds_chosen ms after rank $2"
	start_ranks "$(job_count "$1")" "$1" "$BUILD/bin/hosts_rescue"
	rounds_end=$(($(date +%s) + 60))
	until [ "$(cat job/*.out | grep -c going)" -eq "$job_ranks" ]; do
		[ "$(date +%s)" -le $rounds_end ] || { show_ranks && fail "the ranks do not begin" && return; }
		sleep 0.02
	done
	rank_signal "$2" KILL
	sleep 0.00$rounds_chosen
	rank_signal "$3" KILL
	judge_again "$2" "$3"
	end_ranks
}

hosts_up 3
for round in $(seq "${ROUNDS:-3}"); do
	SEED=$((SEED + 1))
	again 2+2+1 3 0
	again 2+2+1 2 0
	again 2+2+1 1 0
	again 2+2+2 4 2
done
hosts_down || fail "hosts do not go"
echo "$went_on survivors went on, $told were told why not"
[ "$failures" -eq 0 ] || echo "again: SEED=$SEED tests/hosts/shrink_again.sh"
exit $failures
