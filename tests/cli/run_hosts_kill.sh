#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whatever part of a job on several hosts is told to end, killed or cut off: the rest ends, one sentence says why, and
# nothing is left on any host.  A job of two hosts is a launcher, its hub, two agents, their keepers, and the ranks.
. "$SOURCE/tests/cli/launching"
export TOTUM_SSH="'$SOURCE/tests/cli/pretend_ssh'"

simple='sleep 1000 & wait'
stubborn='trap "" HUP INT QUIT TERM; sleep 1000 & while :; do wait; done'
loose='setsid -f sleep 1000; sleep 1000 & wait'

# The processes of the job that are called so; pretended: on that host.
named() { # NAME [HOST]
	for pid in $(census); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$1" ] || continue
		[ $# -eq 1 ] || grep -qaF "PRETENDED=$2" "/proc/$pid/environ" || continue
		echo "$pid"
	done
}
agent() { # HOST
	for pid in $(named totum "$1"); do
		[ "$(tr '\0' ' ' <"/proc/$pid/cmdline" | grep -c -e --agent)" -eq 0 ] || echo "$pid"
	done
}

for case in "TERM 143" "INT 130" "HUP 129" "QUIT 131"; do
	signal=${case% *} code=${case#* }
	at "$signal"
	begin -H a,b -n 4 --grace 500ms -- sh -c "$loose"
	has 18
	kill -"$signal" $launcher
	ends "$code"
	said "ended by SIG$signal|4 ranks"
done
at "TERM, with stubborn ranks"
begin -H a,b --grace 200ms -- sh -c "$stubborn"
has 10
kill -TERM $launcher
ends 143
said "ended by SIGTERM|2 of them SIGKILL"
at "INT once is graceful, twice kills"
begin -H a,b --grace 1000s -- sh -c "$stubborn"
has 10
kill -INT $launcher
sleep 0.3
counts 10 || fail "the first SIGINT has killed"
kill -INT $launcher
ends 130
said "ended by SIGINT|2 of them SIGKILL"
at "ranks that end well when told to"
begin -H a,b,c --grace 100s -- sh -c 'trap "echo heard; exit 0" TERM; echo ready; while :; do sleep 0.1; done'
all_say() { # N TEXT
	[ "$(grep -c -e "$2" "$scratch/out")" -eq "$1" ]
}
until_true all_say 3 ready || fail "not ready"
kill -TERM $launcher
ends 0
said ""
all_say 3 heard || fail "not all ranks have heard"
at "USR1 is passed on and ends nothing by itself"
begin -H a,b -- sh -c 'trap "echo usr1" USR1; echo ready; while :; do sleep 0.1; done'
until_true all_say 2 ready || fail "not ready"
kill -USR1 $launcher
until_true all_say 2 usr1 || fail "not all ranks have heard of SIGUSR1"
kill -TERM $launcher
ends 143
at "TSTP stops the ranks, CONT lets them go on"
stopped() { # N: of the job's processes
	[ "$(for pid in $(census); do sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$pid/status"; done | grep -c T)" -eq "$1" ]
}
begin -H a,b -- sh -c "$simple"
has 10
kill -TSTP $launcher
until_true stopped 5 || fail "not the launcher and the ranks are stopped"
kill -CONT $launcher
until_true stopped 0 || fail "they do not go on"
kill -TERM $launcher
ends 143

at "KILL to the launcher"
begin -H a,b -n 4 -- sh -c "$loose"
has 18
kill -KILL $launcher
ends 137
at "KILL to the launcher, with stubborn ranks in their grace time"
begin -H a,b --grace 1000s -- sh -c "$stubborn"
has 10
kill -TERM $launcher
kill -KILL $launcher
ends 137
at "KILL to the launcher, while the ranks start"
for delay in 0 0.005 0.01 0.02 0.03 0.05; do
	begin -H a,b,c -n 30 -- sh -c "$loose"
	sleep $delay
	kill -KILL $launcher
	ends 137
done
at "KILL to the hub"
begin -H a,b -n 4 -- sh -c "$loose"
has 18
kill -KILL "$(named rank-hub)"
ends 137
said "signal 9"
at "KILL to the hub and the launcher at once"
begin -H a,b -n 4 -- sh -c "$loose"
has 18
# Stopped first: pretended hosts descend from the launcher, which would begin to kill them, keepers and all, when the
# hub is gone, and be killed half way.  Those of a real host do not.
kill -STOP "$(named rank-hub)" $launcher
kill -KILL "$(named rank-hub)" $launcher
ends 137

for host in a b; do
	at "KILL to the agent of $host"
	begin -H a,b -n 4 --grace 500ms -- sh -c "$loose"
	has 18
	kill -KILL "$(agent $host)"
	ends 125
	said "host $host is lost|killed by signal 9|2 ranks still running"
	at "KILL to the keeper of $host"
	begin -H a,b -n 4 --grace 500ms -- sh -c "$loose"
	has 18
	kill -KILL "$(named rank-keeper $host)"
	wait "$launcher"
	code=$?
	[ $code -eq 125 ] || [ $code -eq 137 ] || fail "exit code $code"
	nobody_left
	holds "host $host"
	at "TERM to the agent of $host"
	begin -H a,b -n 4 --grace 500ms -- sh -c "$loose"
	has 18
	kill -TERM "$(agent $host)"
	ends 143
	said "on $host"
done
at "KILL to an agent while its host ends"
begin -H a,b --grace 1000s -- sh -c "$stubborn"
has 10
kill -TERM $launcher
sleep 0.2
kill -KILL "$(agent a)"
sleep 0.2
kill -INT $launcher
wait $launcher
nobody_left
at "an agent that is not heard of"
begin -H a,b --grace 100ms --host-timeout 400ms -- sh -c "$simple"
has 10
agent=$(agent b)
kill -STOP "$agent"
wait "$launcher"
code=$?
[ $code -eq 125 ] || fail "exit code $code"
said "host b|not been heard of for 0.4s"
kill -CONT "$agent" 2>/dev/null
nobody_left
at "a hub that is not heard of"
begin -H a,b --host-timeout 400ms -- sh -c "$simple"
has 10
hub=$(named rank-hub)
kill -STOP "$hub"
ranks_end() {
	[ -z "$(named sleep)" ]
}
until_true ranks_end || fail "the ranks live on"
kill -CONT "$hub"
ends 125
at "pulses keep a silent job alive"
job 0 -H a,b --host-timeout 200ms -- sleep 1
at "an agent that does not answer any more"
begin -H a,b --grace 300ms -- sh -c "$simple"
has 10
agent=$(agent a)
kill -STOP "$agent"
kill -TERM $launcher
wait "$launcher"
code=$?
[ $code -eq 143 ] || fail "exit code $code"
holds "host a does not confirm"
kill -CONT "$agent" 2>/dev/null
nobody_left
at "a rank that is killed is to blame, not one that fails because of it and is heard of first"
begin -H a,b --grace 10s -- sh -c 'until [ -e "$1.$TOTUM_RANK" ]; do sleep 0.05; done; [ $TOTUM_RANK -eq 0 ] || kill -SEGV $$; exit 1' \
	sh "$scratch/go"
until_true counts 10 || until_true counts 8 || fail "it does not start"
agent=$(agent b)
kill -STOP "$agent"
: >"$scratch/go.1"
ended_there() {
	[ -z "$(named sh b)" ]
}
until_true ended_there || fail "rank 1 does not end"
: >"$scratch/go.0"
ended_here() {
	[ -z "$(named sh a)" ]
}
until_true ended_here || fail "rank 0 does not end"
sleep 0.2
kill -CONT "$agent"
ends 139
said "rank 1|SIGSEGV"
at "KILL to a rank"
begin -H a,b -n 4 -- sh -c "$loose"
has 18
kill -KILL "$(named sh b | tail -n 1)"
wait "$launcher"
nobody_left

at "a host that refuses"
job 125 -H a,refusing,c -n 6 -- touch "$scratch/started"
said "host refusing cannot be reached|exit code 255|port 22: Connection refused|no rank"
[ ! -e "$scratch/started" ] || fail "ranks have been started"
at "a host that ends without a word"
job 125 -H a,empty -- true
said "host empty cannot be reached"
at "a host that is silent"
job 125 -H a,silent,silent2 --start-timeout 500ms -- true
said "host silent and 1 more|--start-timeout"
at "a host that babbles"
job 125 -H a,babbling -- true
said "host babbling|not totum"
at "a host with another totum"
job 125 -H other,b -- true
said "host other|0.0.99|install the same"
at "a host without totum"
job 125 -H a,b --remote-totum /nowhere/totum -- true
said "cannot be reached|/nowhere/totum|--remote-totum"
at "a path that a shell would take apart"
mkdir "$scratch/it's \$(exit 3) \"x\""
ln -s "$(command -v "$TOTUM")" "$scratch/it's \$(exit 3) \"x\"/totum"
job 0 -H a,b --remote-totum "$scratch/it's \$(exit 3) \"x\"/totum" -- true
at "a directory that is not there"
mkdir "$scratch/gone"
(
	cd "$scratch/gone" || exit 1
	rmdir "$scratch/gone"
	"$TOTUM" run -H a,b -- true 2>"$scratch/err"
	[ $? -eq 125 ]
) || fail "not exit code 125"
said "directory"
at "an ssh that is not there"
job 125 -H a,b --ssh /nowhere/ssh -- true
said "/nowhere/ssh"
at "INT while a host is silent"
begin -H a,silent -- true
has 4
kill -INT $launcher
ends 130
said "ended by SIGINT|no rank"
at "KILL while a host is silent"
begin -H a,silent -- true
has 4
kill -KILL $launcher
ends 137
at "a port that is taken"
if command -v python3 >/dev/null; then
	python3 -c '
import socket, sys, time
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
time.sleep(1000)' >"$scratch/port" &
	server=$!
	until_true test -s "$scratch/port"
	job 125 -H a,b --root "127.0.0.1:$(cat "$scratch/port")" -- true
	kill $server
	said "host a|port $(cat "$scratch/port")|in use"
fi
