#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hosts with addresses that lead nowhere: one that all have, as of a bridge for containers, where another rank may listen on
# the very port, and one of a network that nothing answers in.  Ranks find each other by the address that is left, at once.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"

hosts_up 3
for host in 1 2 3; do
	for name in bridge0 lost0; do # each with its other end on the host too
		run_on $host ip link add $name type veth peer name ${name%0}1
		run_on $host ip link set $name up
		run_on $host ip link set ${name%0}1 up
	done
	run_on $host ip addr add 172.31.0.1/24 dev bridge0
	run_on $host ip addr add 192.0.2.$host/24 dev lost0
	# so few that ranks of two hosts have the same
	run_on $host sh -c 'echo 40000 40039 >/proc/sys/net/ipv4/ip_local_port_range'
done

export ROUNDS=2 TOTUM_TIMEOUT=60s
for time in 1 2 3 4; do
	TOTUM_DEBUG=info run_ranks 50 4 1,2,2,3 "$BUILD/bin/hosts_rounds"
	[ "$(grep -h "is open" job/*.err | grep -vc " \(to\|from\) 10\.77\.0\.[123]:")" -eq 0 ] ||
		fail "a connection by an address that leads nowhere: $(grep -h "is open" job/*.err)"
	[ "$(grep -h "is open" job/*.err | wc -l)" -ge 4 ] || fail "the log tells of no connections"
done
grep -h "sent away a stranger" job/*.err | head -n 1
exit $failures
