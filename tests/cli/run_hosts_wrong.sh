#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Options about hosts that are wrong or contradict each other: one sentence each, and nothing is started.
. "$SOURCE/tests/cli/launching"
export TOTUM_SSH=false

wrong() { # WORDS OPTION...
	words=$1
	shift
	at "$*"
	job 2 "$@" -- true
	[ "$(grep -c '^totum run: ' "$scratch/err")" -eq 1 ] || fail "not one sentence"
	holds "$words"
}

for list in "" , a, ,a "a b" -oProxyCommand=x 'a;b' 'a$b' a/b "$(printf '%0300d' 1)"; do
	wrong "--hosts|name of a host" --hosts "$list"
done
for slots in 0 -1 x 1.5 4097 '' 99999999999; do
	wrong "--hosts|slots of host a" --hosts "a:$slots"
done
wrong "--hosts|follows the ]" -H '[::1]x'
wrong "3 ranks|2 slots" -H a:1,b -n 3
wrong "slots" -H a:4096,b:4096
wrong "--hosts|more than 4096" -H a:4096,a:4096
wrong "-n" -H a,b -n 0
wrong "1024 hosts" -H "$(seq -s, -f h%g 1025)"
echo a >"$scratch/hosts"
wrong "--hosts and --hostfile" -H a --hostfile "$scratch/hosts"
wrong "--hostfile|$scratch/none|No such file" --hostfile "$scratch/none"
wrong "--hostfile|$scratch" --hostfile "$scratch"
for line in "a slot=2" "a slots=0" "a slots=2 b" "a slots=" "a:b" "-x"; do
	printf '\n%s\n' "$line" >"$scratch/hosts"
	wrong "--hostfile|$scratch/hosts, line 2" --hostfile "$scratch/hosts"
done
echo a >"$scratch/good"
echo "# nobody" >"$scratch/hosts"
wrong "--hostfile|no host" --hostfile "$scratch/hosts"
wrong "--map-by|slot, node" -H a --map-by core
wrong "--ssh|which command" -H a --ssh " "
wrong "--start-timeout|time" -H a --start-timeout 5
wrong "--host-timeout|100ms" -H a --host-timeout 50ms
for root in "" : x:y 127.0.0.1:0 127.0.0.1:65536 127.0.0.1: '[::1' '[::1]x' no.such.name.invalid 999.1.1.1; do
	wrong "--root" -H a,b --root "$root"
done
for option in --map-by=slot --ssh=ssh --root=127.0.0.1 --start-timeout=1s --host-timeout=1s --remote-totum=x; do
	wrong "${option%%=*}|--hosts" -n 2 $option
done
wrong "--wdir|$scratch/none" -n 2 --wdir "$scratch/none"

unset TOTUM_SECRET_FILE
nodes="--nnodes 2 --node-rank 0 --root 127.0.0.1:1"
wrong "--secret-file|umask" $nodes -n 1
wrong "-n N" $nodes
wrong "--node-rank" --nnodes 2 --root 127.0.0.1:1 -n 1
wrong "--node-rank|not below --nnodes 2" --nnodes 2 --node-rank 2 --root 127.0.0.1:1 -n 1
wrong "--root" --nnodes 2 --node-rank 0 -n 1
wrong "--root" --nnodes 2 --node-rank 0 -n 1 --root 127.0.0.1
for nnodes in 0 -1 x 1025; do
	wrong "--nnodes" --nnodes=$nnodes --node-rank 0 -n 1
done
for rank in -1 x 1024 ""; do
	wrong "--node-rank" --nnodes 2 --node-rank="$rank" -n 1
done
wrong "--hosts and --nnodes" $nodes -n 1 --hosts a
wrong "--hostfile and --nnodes" $nodes -n 1 --hostfile "$scratch/good"
for option in --map-by=slot --ssh=ssh --remote-totum=x; do
	wrong "${option%%=*}|--nnodes" $nodes -n 1 $option
done
for option in --node-rank=0 --secret-file=x; do
	wrong "${option%%=*}|--nnodes" -n 1 $option
	wrong "${option%%=*}|--nnodes" --hosts a $option
done
wrong "--nproc-per-node|--nnodes" --nproc-per-node 2
