#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Kills at random moments: soak.sh [KILLS], 6 unless said otherwise; 500 take about a quarter of an hour.
#
# Each time a job of random size and placement works on three hosts, and a rank or a host is killed.  The survivors must
# say so and end, by far before the deadline of a minute; how many took longer than two seconds is printed.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"
. "$SOURCE/tests/hosts/rounds"

kills=${1:-6} late=0
export TOTUM_TIMEOUT=60s

scatter() { # NRANKS: random hosts, as "2,1,3"
	for _ in $(seq "$1"); do
		rounds_choice 3
		printf '%d,' $((rounds_chosen + 1))
	done | sed 's/,$//'
}

for kill in $(seq "$kills"); do
	seed=$rounds_random
	rounds_choice 5
	nranks=$((rounds_chosen + 2))
	placement=$(scatter $nranks)
	rounds_choice $nranks
	victim=$rounds_chosen
	hosts_up 3
	rounds_case="kill $kill of $kills, SEED=$seed, $nranks ranks on $placement"
	if start_rounds $nranks "$placement"; then
		rounds_choice 4
		lost=$victim host=$(cat "job/$victim.host")
		rounds_moment
		from=$(job_now)
		if [ "$rounds_chosen" -eq 0 ]; then
			host_kill "$host"
			lost=$(grep -lx "$host" job/*.host | sed 's/[^0-9]//g')
		else
			rank_signal "$victim" KILL
		fi
		judge_rounds 40 10 "$(echo $lost)" "$(echo $lost)"
		for rank in $(seq 0 $((nranks - 1))); do
			case " $(echo $lost) " in *" $rank "*) continue ;; esac
			[ -s "job/$rank.end" ] || continue
			late=$((late + $(awk -v t="$(rank_took "$rank" "$from")" 'BEGIN { print (t > 2) }')))
		done
		end_ranks
	fi
	hosts_down || fail "$rounds_case: hosts do not go"
	[ "$failures" -eq 0 ] || break
done
echo "$kill kills; survivors that took longer than 2 s: $late; that named another survivor: $rounds_second"
exit $failures
