#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Jobs are killed with all their processes, launcher included, at random moments from their start:
# nothing is left that has a name, be it a file or a socket, and the next job starts.
. "$SOURCE/tests/cli/launching"

SEED=${SEED:-$(date +%s)}
echo "SEED=$SEED"

# Files, and sockets without a file, by which a job could be found; not those of other jobs here.
names() {
	ls -d /dev/shm/totum* /tmp/totum* /var/tmp/totum* 2>/dev/null
	grep -o '@totum-.*' /proc/net/unix
}
# What has appeared since $scratch/before and stays for longer than other tests need theirs.
nothing_new() {
	names | sort >"$scratch/now"
	comm -13 "$scratch/before" "$scratch/now" >"$scratch/new"
	[ ! -s "$scratch/new" ]
}
kill_all() {
	while ! counts 0; do
		for pid in $(census); do
			kill -KILL "$pid" 2>/dev/null
		done
	done
}

names | sort >"$scratch/before"
delays=$(awk -v seed="$SEED" 'BEGIN {
	srand(seed); for (i = 0; i < 10; i++) print 0.3 * rand() * rand() }')
for delay in $delays; do
	at "kill after $delay s"
	begin -n 5 -- "$BUILD/bin/ranks_mix"
	sleep "$delay"
	kill_all
	wait "$launcher" 2>/dev/null
done
# Without memfd, files have names for a moment.
case $SANITIZE in
'') preload=$BUILD/bin/totum_faults.so ;;
*) preload= ;;
esac
for i in $(seq 10); do
	at "kill without memfd"
	[ -n "$preload" ] || continue
	begin -n 5 -x LD_PRELOAD="$preload" -x FAULTS=memfd_create:errno=ENOSYS -- \
		"$BUILD/bin/ranks_mix"
	sleep "0.0$i"
	kill_all
	wait "$launcher" 2>/dev/null
done
at "what is left"
until_true nothing_new || fail "$(cat "$scratch/new")"
at "the next job"
job 0 -n 5 -- "$BUILD/bin/ranks_hello"
