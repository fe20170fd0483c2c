#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hosts that are network namespaces: the root is an address that the others can reach, and when the network is cut both
# sides end.  With the stand-in for ssh, whose channel needs no network, and with ssh itself where it is installed.
. "$SOURCE/tests/cli/launching"

a=totum-$$-a b=totum-$$-b
unmake() {
	for name in $a $b; do
		[ ! -s "$scratch/$name.pid" ] || kill "$(cat "$scratch/$name.pid")"
		ip netns del $name 2>/dev/null
	done
	rm -rf "$scratch"
}
trap unmake EXIT
{ ip netns add $a && ip netns add $b; } 2>/dev/null || {
	echo "skipped: this system does not allow network namespaces to be made (needs root)"
	exit 77
}
# On both the same address that does not lead to the other, as of a bridge for containers, and before the one that does.
for name in $a $b; do
	ip -n $name link set lo up
	{ ip -n $name link add bridge type dummy || ip -n $name link add bridge type bridge; } 2>/dev/null
	ip -n $name addr add 172.31.0.1/24 dev bridge 2>/dev/null && ip -n $name link set bridge up
done
ip link add wire netns $a type veth peer name wire netns $b || {
	echo "skipped: this system does not allow pairs of interfaces to be made"
	exit 77
}
ip -n $a addr add 10.77.0.1/24 dev wire
ip -n $b addr add 10.77.0.2/24 dev wire
ip -n $a link set wire up
ip -n $b link set wire up

"$TOTUM" run --nnodes 2 --node-rank 0 -n 1 --root 127.0.0.1:1 --secret-file /dev/null -- true 2>&1 | grep -q OpenSSL && {
	echo "skipped: built without OpenSSL, for one host only"
	exit 77
}
export TOTUM_SSH="'$SOURCE/tests/cli/pretend_ssh'"
at "an address that the other host reaches"
job 0 -H ns-$a,ns-$b -n 4 -- sh -c 'echo ${TOTUM_ROOT%:*}'
[ "$(sort -u "$scratch/out")" = tcp://10.77.0.1 ] || fail "not one root: $(sort -u "$scratch/out")"
at "the other way round"
job 0 -H ns-$b,ns-$a -- sh -c 'echo ${TOTUM_ROOT%:*}'
[ "$(sort -u "$scratch/out")" = tcp://10.77.0.2 ] || fail "not one root: $(sort -u "$scratch/out")"
at "three hosts, two of which are one"
job 0 -H ns-$a,ns-$b:2 -n 3 -- sh -c 'echo ${TOTUM_ROOT%:*}'
[ "$(sort -u "$scratch/out")" = tcp://10.77.0.1 ] || fail "not one root: $(sort -u "$scratch/out")"
at "collectives"
job 0 -H ns-$a:2,ns-$b:2 --timeout 60s -x TOTUM_DEBUG=info -- "$BUILD/bin/ranks_barrier"
holds "the job has 2 hosts"
at "collectives, with several launchers"
(umask 077; echo "a secret of the nodes" >"$scratch/secret")
nodes="--nnodes 2 --root 10.77.0.1:29400 --secret-file $scratch/secret --start-timeout 60s"
# shellcheck disable=SC2086 # these are words
JOB="$LAUNCHING.$jobs." ip netns exec $b "$TOTUM" run $nodes --node-rank 1 -n 3 -- "$BUILD/bin/ranks_barrier" >"$scratch/b" 2>&1 &
other=$!
# shellcheck disable=SC2086
JOB="$LAUNCHING.$jobs." ip netns exec $a "$TOTUM" run $nodes --node-rank 0 -n 2 --timeout 60s -- "$BUILD/bin/ranks_barrier" \
	>"$scratch/out" 2>"$scratch/err" || fail "node 0 has failed"
wait $other || fail "node 1 has failed: $(cat "$scratch/b")"
nobody_left
at "a rank that is killed, and the others that miss it"
# those say so a second later: the news of the kill comes from another host, and the first to end gives the job its code
# shellcheck disable=SC2016 # for the ranks' shell
job 137 -H ns-$a:2,ns-$b:2 --timeout 60s -- sh -c 'if [ $TOTUM_RANK -eq 3 ]; then (sleep 0.5; kill -KILL $$) & exec "$0"; fi
	"$0"; code=$?; sleep 1; exit $code' "$BUILD/bin/ranks_mix"
holds "rank 3 (pid |SIGKILL"
at "no way from one to the other"
ip -n $b link set wire down
job 125 -H ns-$a,ns-$b -- true
said "no address of host ns-$a|10.77.0.1|--root"
ip -n $b link set wire up

command -v ssh-keygen >/dev/null && [ -x /usr/sbin/sshd ] || {
	echo "skipped: ssh and sshd (Debian: openssh-client, openssh-server) are not installed; all but them is well"
	exit 77
}
for key in host user; do
	ssh-keygen -q -t ed25519 -N '' -f "$scratch/$key"
done
mkdir -p /run/sshd
for name in $a $b; do
	cat >"$scratch/$name.conf" <<-END
		HostKey $scratch/host
		AuthorizedKeysFile $scratch/user.pub
		StrictModes no
		UsePAM no
		PidFile $scratch/$name.pid
		SetEnv JOB=$LAUNCHING.ssh.
	END
	ip netns exec $name /usr/sbin/sshd -f "$scratch/$name.conf" -E "$scratch/$name.log" || {
		echo "skipped: sshd does not start; all but ssh is well"
		exit 77
	}
done
export TOTUM_SSH="ip netns exec $a ssh -F none -i $scratch/user -o BatchMode=yes -o StrictHostKeyChecking=no \
	-o UserKnownHostsFile=/dev/null -o ConnectTimeout=5"
reached() { # HOST
	$TOTUM_SSH "$1" true >/dev/null 2>&1
}
until_true reached 10.77.0.2 && until_true reached 10.77.0.1 || {
	echo "skipped: sshd does not let us in: $(tail -n 1 "$scratch/$b.log"); all but ssh is well"
	exit 77
}
over_ssh() { # N: processes that sshd has started
	[ "$(grep -laF "JOB=$LAUNCHING.ssh." /proc/[0-9]*/environ 2>/dev/null | wc -l)" -eq "$1" ]
}
at "by ssh"
input=$scratch/in
echo "some input" >"$input"
job 0 -H 10.77.0.1:2,10.77.0.2:2 --tag-output -- sh -c 'echo "${TOTUM_ROOT%:*} $PWD"; cat'
input=
{
	for rank in 0 1 2 3; do echo "[$rank] tcp://10.77.0.1 $PWD"; done
	echo "[0] some input"
} | sort >"$scratch/want"
sort "$scratch/out" | cmp -s - "$scratch/want" || fail "wrong lines"
until_true over_ssh 0 || fail "processes are left"
at "by ssh, a rank fails"
job 9 -H 10.77.0.1:2,10.77.0.2:2 -- sh -c '[ $TOTUM_RANK -ne 3 ] || { sleep 0.2; exit 9; }; sleep 1000 & wait'
said "rank 3|on 10.77.0.2|3 other ranks"
until_true over_ssh 0 || fail "processes are left"
at "by ssh, KILL to the launcher"
begin -H 10.77.0.1:2,10.77.0.2:2 -- sh -c 'setsid -f sleep 1000; sleep 1000 & wait'
until_true over_ssh 16 || fail "it does not start"
kill -KILL $launcher
ends 137
until_true over_ssh 0 || fail "processes are left"
at "by ssh, the network is cut"
begin -H 10.77.0.1:2,10.77.0.2:2 --host-timeout 2s -- sh -c 'setsid -f sleep 1000; sleep 1000 & wait'
until_true over_ssh 16 || fail "it does not start"
ip -n $b link set wire down
ends 125
said "host 10.77.0.2|2 ranks still running"
until_true over_ssh 0 || fail "processes are left"
