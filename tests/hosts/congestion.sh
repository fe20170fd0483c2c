#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Where the system's choice is BBR, which stalls on a switch, connections between hosts take another congestion control.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"
unset TOTUM_LAUNCHER TOTUM_ALGO TOTUM_TUNING

command -v ss >/dev/null || hosts_skip "there is no ss (iproute2) to ask for it"
hosts_up 2
for host in 1 2; do
	run_on $host sh -c 'echo bbr >/proc/sys/net/ipv4/tcp_congestion_control' 2>log || hosts_skip "this system has no BBR: $(cat log)"
done
start_ranks 2 packed "$TOTUM" bench allgather -b 1M -e 1M --iters 1000000
# the ways of totum bench, once bytes have passed
for _ in $(seq 500); do
	run_on 1 ss -tinH state established >seen
	grep -qE 'bytes_(sent|received):[0-9]{7}' seen && break
	sleep 0.02
done
end_ranks
grep -E 'bytes_(sent|received):[0-9]{7}' seen >busy || fail "no connection carries anything: $(cat seen)"
grep -q bbr busy && fail "connections use BBR: $(cat busy)"
grep -qE 'cubic|reno' busy || fail "connections use something else: $(cat busy)"

[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
