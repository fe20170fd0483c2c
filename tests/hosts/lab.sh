#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the other scripts here stand on: hosts that share nothing but their switch, links that break and mend, ranks that
# are started, killed and waited for, and nothing left, even of a script that is killed.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"

$CC -std=c11 -D_GNU_SOURCE -O2 "$SOURCE/bench/drivers/goodput.c" "$SOURCE/bench/drivers/stream.c" -o goodput || exit 1

goodput() { # SECONDS: between all hosts
	addresses=
	for host in $(seq "$hosts_count"); do
		addresses="$addresses $(host_address "$host")"
	done
	start_ranks "$hosts_count" packed sh -c "exec ./goodput \$TOTUM_RANK $addresses"
	wait_ranks "$1"
}

# --- hosts that share nothing ---

hosts_up 3
[ "$(for host in 1 2 3; do run_on $host hostname; done | sort -u | wc -l)" -eq 3 ] || fail "hosts share a name"
run_on 1 sh -c 'echo x >/dev/shm/left' && run_on 1 ipcmk -M 4096 >out
[ -z "$(run_on 2 ls /dev/shm)" ] || fail "hosts share /dev/shm"
run_on 2 ipcs -m | grep ^0x && fail "hosts share System V segments"
hosts_clean >out && fail "what is left in /dev/shm is not noticed"
run_on 1 rm /dev/shm/left
hosts_clean >out && fail "a System V segment that is left is not noticed"
run_on 1 sh -c 'ipcrm -a'
hosts_clean || fail "hosts are not clean"
[ "$(run_on 3 sh -c 'ls /proc | grep -c "^[0-9]"')" -le 4 ] || fail "a host sees processes of others"

# --- ranks and where they are ---

[ "$(job_placement 5 packed | tr '\n' ' ')" = "1 1 2 2 3 " ] || fail "packed"
[ "$(job_placement 5 round-robin | tr '\n' ' ')" = "1 2 3 1 2 " ] || fail "round-robin"
[ "$(job_placement 5 1+3+1 | tr '\n' ' ')" = "1 2 2 2 3 " ] || fail "1+3+1"
[ "$(job_placement 3 2,1,2 | tr '\n' ' ')" = "2 1 2 " ] || fail "2,1,2"
start_ranks 4 2,1,3,2 sh -c 'hostname; echo $TOTUM_RANK $TOTUM_SIZE $TOTUM_ROOT; wc -c <&8; exit $((40 + TOTUM_RANK))'
wait_ranks 20 || fail "ranks do not end"
for rank in 0 1 2 3; do
	[ "$(rank_code $rank)" -eq $((40 + rank)) ] || fail "rank $rank ended with $(rank_code $rank)"
	[ "$(tail -n 1 job/$rank.out)" = 64 ] || fail "rank $rank has no secret"
	[ "$(head -n 1 job/$rank.out)" = "host$(cat job/$rank.host)" ] || fail "rank $rank is elsewhere"
	grep -q "^$rank 4 tcp://10.77.0.2:[0-9]*$" job/$rank.out || fail "rank $rank knows another job"
done
start_ranks 4 packed sleep 1000
rank_signal 1 STOP
rank_signal 3 TERM
host_kill 1
wait_ranks 20 2 || fail "ranks of a killed host do not end"
[ "$(rank_code 0) $(rank_code 1) $(rank_code 3)" = "137 137 143" ] || fail "codes of ranks that were killed"
wait_ranks 0 >out && fail "a rank that sleeps has ended"
[ "$(rank_code 2)" -gt 128 ] || fail "a rank that was late lives on"
hosts_down || fail "hosts do not go"

# --- links ---

hosts_up 2 rate=80mbit
goodput 30 || fail "hosts do not reach each other"
cat job/0.out
awk '{ exit !($3 <= 10.5 && $9 <= 10.5) }' job/0.out || fail "a link of 80 mbit is faster than 10 MB/s"
link_cut 2
goodput 2 >out && fail "bytes pass a link that is cut"
link_mend 2
link_down 1
run_on 1 ip -br link show eth0 | grep -q LOWER_UP && fail "a host does not see that its link is down"
link_up 1
goodput 30 || fail "a link does not come up again"
link_rate 2 16mbit
goodput 30 || fail "a slower link does not work"
awk '{ exit !($3 <= 2.1) }' job/0.out || fail "a link of 16 mbit is faster than 2 MB/s"
hosts_down || fail "hosts do not go"

hosts_up 4 family=6
goodput 30 || fail "hosts do not reach each other over IPv6"
received=$(host_received 3)
[ "$received" -gt 1000000 ] || fail "host 3 counts $received bytes"
hosts_down || fail "hosts do not go"

# --- the end, also that of a script which is killed, beside another one that goes on ---

cat >victim <<'END'
. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"
hosts_up 2
start_ranks 4 packed sleep 1000
cat hosts/networks >"$1.new"
mv "$1.new" "$1"
sleep 1000 &
wait
END
hosts_up 2
for signal in TERM KILL; do
	sh victim "$PWD/of_victim" >victim.out 2>&1 &
	victim=$!
	until [ -s of_victim ] || ! kill -0 $victim 2>/dev/null; do
		sleep 0.02
	done
	kill -$signal $victim
	wait $victim
	for _ in $(seq 400); do
		readlink /proc/[0-9]*/ns/net 2>/dev/null | grep -qxFf of_victim || break
		sleep 0.02
	done
	readlink /proc/[0-9]*/ns/net 2>/dev/null | grep -qxFf of_victim && fail "SIG$signal leaves hosts behind"
	rm of_victim
done
goodput 30 || fail "the end of one script's hosts has touched another's"
hosts_down || fail "hosts do not go"

hosts_up 1 pids=shared
host_enter 1
nsenter $enter sleep 60 &
left=$!
until [ "$(cat /proc/$left/comm)" = sleep ]; do
	kill -0 $left || break
	sleep 0.01
done
hosts_down >out && fail "a process that is left is not noticed"
kill $left
hosts_gone || fail "a host does not go with its last process"

exit $failures
