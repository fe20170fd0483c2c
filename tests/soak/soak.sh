#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Random work on six ranks, two of which kill themselves; the others shrink and go on: soak.c says what is checked.
#
#   soak.sh [SECONDS [SEED]]     20 seconds by default; a seed chooses who dies and when, and the work
#
# BUILD is the build folder.  Ranks are processes of their own, for `totum run` ends a job with its first dead rank.
set -u

seconds=${1:-20}
SEED=${2:-${SEED:-$(date +%s)}}
ranks=6
program=$BUILD/bin/soak
scratch=$(mktemp -d)
pids=
trap 'for pid in $pids; do kill -9 $pid 2>/dev/null; done; wait 2>/dev/null; rm -rf "$scratch"' EXIT

# Two victims; the first dies some time after the start, the second too, or in the middle of the shrink.
set -- $(awk -v seed="$SEED" -v n=$ranks -v s="$seconds" 'BEGIN {
	srand(seed); a = int(rand() * n); b = (a + 1 + int(rand() * (n - 1))) % n
	first = int(s * 1000 * (0.1 + 0.4 * rand()))
	second = rand() < 0.5 ? 0 : int(s * 1000 * (0.1 + 0.6 * rand()))
	print a, b, first, second, int(rand() * rand() * 20000) + 1 }')
one=$1 two=$2 first_ms=$3 second_ms=$4 after_us=$5
[ "$second_ms" -gt 0 ] && when="after $second_ms ms" || when="$after_us us after it has seen that"
echo "SEED=$SEED: $seconds s on $ranks ranks; rank $one dies after $first_ms ms, rank $two $when"

export SEED SOAK_SECONDS="$seconds" SOAK_VICTIMS="$one $two" TOTUM_TIMEOUT="${TOTUM_TIMEOUT:-60s}"
rank=0
while [ $rank -lt $ranks ]; do
	die_ms=
	die_after_us=
	[ $rank -ne "$one" ] || die_ms=$first_ms
	[ $rank -ne "$two" ] || [ "$second_ms" -eq 0 ] || die_ms=$second_ms
	[ $rank -ne "$two" ] || [ "$second_ms" -ne 0 ] || die_after_us=$after_us
	SOAK_DIE_MS=$die_ms SOAK_DIE_AFTER_US=$die_after_us "$program" --create $rank $ranks "local:soak-$$" \
		>"$scratch/$rank" 2>&1 &
	pids="$pids $!"
	rank=$((rank + 1))
done

failures=0
rank=0
for pid in $pids; do
	wait "$pid" 2>/dev/null
	code=$?
	want=0
	{ [ $rank -ne "$one" ] && [ $rank -ne "$two" ]; } || want=137
	if [ $code -ne $want ]; then
		echo "rank $rank ended with $code instead of $want"
		failures=$((failures + 1))
	fi
	sed "s/^/[$rank] /" "$scratch/$rank"
	rank=$((rank + 1))
done
pids=
[ $failures -eq 0 ] || { echo "again: SEED=$SEED BUILD=$BUILD $0 $seconds"; exit 1; }
