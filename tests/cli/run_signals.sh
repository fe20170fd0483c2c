#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whatever signal reaches the launcher, or the process that keeps the ranks for it: the ranks, what they have started
# and what has left them end too.  A job here is the launcher, its keeper, and for each rank a shell and its children.
. "$SOURCE/tests/cli/launching"

simple='sleep 1000 & wait'
stubborn='trap "" HUP INT QUIT TERM; sleep 1000 & while :; do wait; done'
loose='setsid -f sleep 1000; sleep 1000 & wait' # one grandchild in a session of its own, without its parent
careful='trap "echo \$TOTUM_RANK has heard; exit 0" TERM INT USR1; echo ready; while :; do sleep 0.1; done'

keeper() {
	for pid in $(census); do
		[ "$(cat "/proc/$pid/comm")" != rank-keeper ] || echo "$pid"
	done
}
# All ranks have printed the line.
all_say() { # N TEXT
	[ "$(grep -c -e "$2" "$scratch/out")" -eq "$1" ]
}

for case in "TERM 143" "INT 130" "HUP 129" "QUIT 131"; do
	signal=${case% *} code=${case#* }
	at "$signal"
	begin -n 3 --grace 500ms -- sh -c "$simple"
	has 8
	kill -"$signal" $launcher
	ends "$code"
	said "ended by SIG$signal|3 ranks"
	at "$signal, with loose grandchildren"
	begin -n 2 --grace 500ms -- sh -c "$loose"
	has 8
	kill -"$signal" $launcher
	ends "$code"
	at "$signal, with stubborn ranks"
	begin -n 2 --grace 200ms -- sh -c "$stubborn"
	has 6
	kill -"$signal" $launcher
	ends "$code"
	said "ended by SIG$signal|2 of them SIGKILL"
done

at "INT twice, with stubborn ranks and a long grace time"
begin -n 2 --grace 1000s -- sh -c "$stubborn"
has 6
kill -INT $launcher
sleep 0.3
counts 6 || fail "the first SIGINT has killed"
kill -INT $launcher
ends 130
said "ended by SIGINT|2 of them SIGKILL"
at "INT once, when the job is ending already"
begin -n 2 --grace 1000s -- sh -c '[ $TOTUM_RANK -ne 1 ] || { sleep 0.5; exit 4; }
	trap "echo told" TERM; while :; do sleep 0.1; done'
has_said told
kill -INT $launcher
ends 4
said "rank 1|exit code 4|SIGKILL"

at "ranks that end well when told to"
for signal in TERM INT; do
	begin -n 3 --grace 100s -- sh -c "$careful"
	until_true all_say 3 ready || fail "not ready"
	kill -$signal $launcher
	ends 0
	said ""
	all_say 3 "has heard" || fail "not all ranks have heard of SIG$signal"
done
at "USR1 is passed on and ends nothing by itself"
begin -n 3 -- sh -c 'trap "echo usr1" USR1; echo ready; for i in $(seq 300); do sleep 0.1; done'
until_true all_say 3 ready || fail "not ready"
kill -USR1 $launcher
until_true all_say 3 usr1 || fail "not all ranks have heard of SIGUSR1"
kill -TERM $launcher
ends 143
at "a signal that was ignored stays so"
begin -n 2 -- sleep 1000
has 4
kill -TERM $launcher
ends 143
jobs=$((jobs + 1))
env --ignore-signal=HUP,INT JOB="$LAUNCHING.$jobs." "$TOTUM" run -n 2 -- sh -c 'sleep 1; echo done' \
	>"$scratch/out" 2>"$scratch/err" &
launcher=$!
has 6
kill -HUP $launcher
kill -INT $launcher
ends 0
all_say 2 done || fail "the ranks have been ended"

at "a rank that is killed is to blame, not one that fails because of it, when both are seen at once"
begin -n 2 -- sh -c 'until [ -e "$1" ]; do sleep 0.05; done; [ $TOTUM_RANK -eq 0 ] || kill -SEGV $$; exit 1' \
	sh "$scratch/go"
has 6
keeper=$(keeper)
kill -STOP "$keeper"
: >"$scratch/go"
zombies() { # N: children of the keeper that have ended
	[ "$(cat /proc/[0-9]*/stat 2>/dev/null | grep -c ") Z $keeper ")" -eq "$1" ]
}
until_true zombies 2 || fail "the ranks do not end"
kill -CONT "$keeper"
ends 139
said "rank 1|SIGSEGV"

at "TSTP stops the ranks, CONT lets them go on"
stopped() { # N: of the job's processes
	[ "$(for pid in $(census); do sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$pid/status"; done | grep -c T)" -eq "$1" ]
}
begin -n 2 -- sh -c "$simple"
has 6
kill -TSTP $launcher
until_true stopped 5 || fail "not all but the keeper are stopped"
kill -CONT $launcher
until_true stopped 0 || fail "they do not go on"
kill -TERM $launcher
ends 143

at "KILL"
begin -n 3 -- sh -c "$simple"
has 8
kill -KILL $launcher
ends 137
at "KILL, with loose grandchildren"
begin -n 2 -- sh -c "$loose"
has 8
kill -KILL $launcher
ends 137
at "KILL, with stubborn ranks in their grace time"
begin -n 2 --grace 1000s -- sh -c "$stubborn"
has 6
kill -TERM $launcher
kill -KILL $launcher
ends 137
at "KILL, while output is tagged"
begin -n 3 --tag-output -- sh -c "$simple"
has 9
kill -KILL $launcher
ends 137
at "KILL, while the ranks start"
for delay in 0 0.003 0.006 0.01 0.015 0.02 0.03; do
	begin -n 64 -- sh -c "$loose"
	sleep $delay
	kill -KILL $launcher
	ends 137
done
at "KILL to the process group of the launcher"
jobs=$((jobs + 1))
JOB="$LAUNCHING.$jobs." timeout -s KILL 1 "$TOTUM" run -n 2 -- sh -c "$loose"
nobody_left
at "KILL to the keeper"
begin -n 2 -- sh -c "$loose"
has 8
kill -KILL "$(keeper)"
ends 137
said "signal 9 killed the keeper of the ranks"
at "KILL to both at once: the ranks end with them"
begin -n 3 -- sleep 1000
has 5
keeper=$(keeper)
kill -STOP "$keeper" # so that it cannot do its work in between
kill -KILL $launcher "$keeper"
ends 137
at "TERM to the keeper"
begin -n 2 --grace 500ms -- sh -c "$loose"
has 8
kill -TERM "$(keeper)"
ends 143

at "a job in a job: its ranks are of the inner one"
job 0 -n 2 -- "$TOTUM" run -n 3 -- sh -c 'echo $TOTUM_RANK $TOTUM_SIZE $TOTUM_ROOT'
[ "$(sort -u "$scratch/out" | wc -l)" -eq 6 ] || fail "not two jobs of three ranks"
for signal in TERM KILL; do
	at "a job in a job, $signal"
	begin -n 2 --grace 500ms -- "$TOTUM" run -n 2 --grace 200ms -- sh -c "$loose"
	has 18
	kill -$signal $launcher
	wait $launcher
	nobody_left
done

at "what is left behind by ranks that end well is killed"
job 0 -n 2 -- sh -c 'sleep 1000 & setsid -f sleep 1000; exit 0'
job 0 -n 2 -- sh -c '(trap "" TERM HUP; exec setsid sh -c "sleep 1000 & sleep 1000") & exit 0'
at "orphans are taken leave of while the job runs"
job 0 -n 1 -- sh -c 'for i in $(seq 20); do (true &); done; sleep 0.5
	sed -n "s/^PPid:.\([0-9]*\)/\1/p" /proc/$$/status >'"$scratch/keeper"'
	for status in /proc/[0-9]*/status; do sed -n "/^State/s/.*(\(.*\))/\1/p; /^PPid/p" $status; done | tr "\n" " " |
		grep -o "zombie PPid:.$(cat '"$scratch/keeper"') " | wc -l'
[ "$(cat "$scratch/out")" -eq 0 ] || fail "$(cat "$scratch/out") zombies"
