#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Strangers at the doors of a job on two hosts, while its ranks meet and while they call in a loop: its results stay right,
# it goes on while they are there, each costs a line in the log and nothing else; and nobody can read the job's secret.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"

stranger=$BUILD/bin/hosts_stranger
hosts_up 3 # the third is the strangers'

# Waits for what must come, or the test ends.
until_true() { # WHAT COMMAND...
	what=$1 end=$(($(date +%s) + 60))
	shift
	until "$@"; do
		[ "$(date +%s)" -le $end ] && [ -z "$(cat job/*.code 2>/dev/null)" ] && sleep 0.02 && continue
		show_ranks
		fail "not in time: $what"
		end_ranks
		exit 1
	done
}

sent_away() { # how many strangers from their host the log tells of
	cat job/*.err | grep -c "sent away a stranger at $(host_address 3):"
}

told_of() { # N
	[ "$(sent_away)" -ge "$1" ]
}

round() {
	grep -c '^round' job/0.out
}

past() { # ROUND
	[ "$(round)" -gt "$1" ]
}

descriptors() { # of all ranks
	for rank in $(seq 0 $((job_ranks - 1))); do
		ls "/proc/$(cat "job/$rank.pid")/fd"
	done | wc -l
}

# COUNT strangers of a kind at each of the doors: all are sent away, each with a line in the log.
visit() { # KIND COUNT "ADDRESS PORT\n"... [RECORD]
	kind=$1 before=$(sent_away) wanted=0 pids=
	rm -f said.*
	for door in $(echo "$3" | tr ' ' ,); do
		run_on 3 "$stranger" "$kind" "$2" "${door%,*}" "${door#*,}" ${4:-} >"said.$door" 2>&1 &
		pids="$pids $!"
		wanted=$((wanted + $2))
	done
	still=$pids
	[ "${going:-}" = "" ] || while_there
	for pid in $pids; do
		wait "$pid" || fail "strangers of the kind $kind: $(cat said.*)"
	done
	until_true "a line for each of $wanted strangers of the kind $kind" told_of $((before + wanted))
	[ "$(sent_away)" -eq $((before + wanted)) ] ||
		fail "$wanted strangers of the kind $kind: $(($(sent_away) - before)) lines in the log"
}

# The job goes on while a stranger is there that is sent away after two seconds alone; a machine under load may be too slow
# to show it the first time.
goes_on() { # KIND COUNT DOORS [RECORD]
	for _ in 1 2 3 4 5; do
		shown=
		visit "$@"
		[ -z "$shown" ] || return
	done
	fail "no round ends while strangers of the kind $1 are there"
}

while_there() {
	until grep -q here said.* 2>/dev/null; do
		sleep 0.02
	done
	from=$(round)
	while kill -0 ${still##* } 2>/dev/null; do
		past $((from + 1)) && ! grep -q open said.* && shown=1 && return
		sleep 0.02
	done
}

secret_kept() { # WHEN
	grep -laFf job/secret /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null >seen
	[ ! -s seen ] || fail "the secret is to be read $1: $(cat seen)"
	! grep -lFf job/secret job/*.out job/*.err trace* 2>/dev/null || fail "the secret is written $1"
}

for host in 1 2; do
	run_on $host "$stranger" record record >log.$host 2>&1 &
	until_true "a recorder on host $host" grep -q listening log.$host
done

# --- while the ranks meet: the last one is held back ---

export UNTIL=$PWD/over TOTUM_DEBUG=info TOTUM_TIMEOUT=100s TOTUM_TRACE=$PWD/trace ELEMENTS=3000
going=
start_ranks 4 1,2,2,1 sh -c '
	while [ "$TOTUM_RANK" = 3 ] && [ ! -e go ]; do sleep 0.02; done
	exec "$0"' "$BUILD/bin/hosts_rounds"
met() { # the two ranks of host 2 have come to the door
	[ "$("$stranger" doors record | grep -c " $job_port\$")" -eq 2 ]
}
until_true "a meeting" met
root="$(host_address 1) $job_port"
for kind in noise http; do
	visit $kind 5 "$root"
done
for kind in wrong replay half; do
	visit $kind 5 "$root" record
done
visit silence 200 "$root" # more than the hall takes

# A rank of another job comes by mistake: it says why it is not let in.
head -c 64 /dev/zero | tr '\0' 7 >secret
run_on 3 env TOTUM_RANK=3 TOTUM_SIZE=4 TOTUM_ROOT="tcp://10.77.0.1:$job_port" TOTUM_SECRET_FD=8 TOTUM_TIMEOUT=2s UNTIL= \
	"$BUILD/bin/hosts_rounds" 8<secret >said 2>&1 && fail "another job's rank is let in"
grep -q "secret" said || fail "another job's rank does not say what is wrong: $(cat said)"
secret_kept "while the ranks meet"
: >go

# --- while they call ---

until_true "rounds" past 3
going=1
ours=$("$stranger" doors record | grep -v " $job_port\$" | sort -u)
echo "doors that ranks have gone in by: $(echo "$ours" | wc -l)"
held=$(descriptors)
for kind in noise http; do
	visit $kind 10 "$ours"
done
for kind in wrong replay; do
	visit $kind 10 "$ours" record
done
goes_on half 5 "$ours" record
goes_on silence 200 "$ours"
last=$(round)
until_true "rounds afterwards" past $((last + 3))
# ranks that were late may have asked each other why, on connections of their own
[ "$(descriptors)" -le $((held + 8)) ] || fail "descriptors of the ranks: $held before, $(descriptors) now"
secret_kept "while they call"
: >over
wait_ranks 60 || fail "the ranks hang"
[ "$(cat job/*.code | grep -cx 0)" -eq 4 ] || {
	show_ranks
	fail "a rank has failed"
}
secret_kept "in the end"
exit $failures
