#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# totum bench on several hosts: as ranks of a launcher, and by --hosts.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"

hosts_up 2
run_ranks 120 3 1,2,2 "$TOTUM" bench allgather -b 1K -e 64K --iters 5 --json out.json
grep -q '^# ranks: 0 on host1, 1-2 on host2$' job/0.out || fail "where the ranks are is not said"
grep -q '^# Out of bounds values : 0 OK$' job/0.out || fail "nothing was checked"
[ ! -s job/1.out ] && [ ! -s job/2.out ] || fail "other ranks than 0 speak"
grep -q '"hostname": "host2"' out.json || fail "the JSON does not say where ranks are"

# what stands in for ssh: HOST COMMAND
cat >rsh <<END
#!/bin/sh
holder=\$(cat "$PWD/hosts/\${1##*.}.pid")
shift
exec nsenter -t \$holder -m -u -i -n --pid=/proc/\$holder/ns/pid_for_children sh -c "\$*"
END
chmod +x rsh
bench() { # CODE ARGUMENT...: beside the hosts
	want=$1
	shift
	timeout -k 5 120 nsenter -t "$hosts_switch" -n -u -i -m sh -c 'cd "$0" && exec "$@"' "$PWD" "$TOTUM" bench "$@" \
		--ssh "$PWD/rsh" >out 2>err
	code=$?
	[ $code -eq "$want" ] || fail "bench $* ends with $code instead of $want"
}
bench 0 reduce_scatter --hosts 10.77.0.1:2,10.77.0.2 -b 4K -e 4K --iters 5 --stats
grep -q '^# ranks: 0-1 on host1, 2 on host2$' out || fail "where the ranks are is not said"
[ "$(awk '$3 == "f32" && NF > 15 { print $15 }' out)" = N/A ] || fail "copying is taken for a limit"
bench 2 reduce_scatter --hosts 10.77.0.1:1,10.77.0.2:1 -n 3
bench 2 allgather --map-by node -n 3
hosts_clean || fail "something is left"
exit $failures
