#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks of one host that see it differently, as in containers: where they can meet they share
# memory, whatever each believes of the host's name, files and processes; where they cannot, they
# say so.
set -u

. "$SOURCE/tests/cli/faulty"
program=$BUILD/bin/ranks_switches
unshare -m true 2>/dev/null || {
	echo "skipped: this system does not allow namespaces to be made"
	exit 77
}
export MOST=131073
patience=60s

# Rank 1, or all, in namespaces of their own, each with the command that makes it strange.
job() { # N WHO OPTIONS COMMAND
	n=$1 who=$2 options=$3 strange=$4
	name="$n ranks, unshare $options of $who: $strange"
	unshare $options true 2>/dev/null || {
		name="" # not this kind, here
		return 1
	}
	# shellcheck disable=SC2016 # for the shell of the rank
	"$TOTUM" run -n "$n" --timeout 60s -x TOTUM_DEBUG=info -x "TOTUM_TIMEOUT=$patience" \
		-- sh -c '
		[ "$1" = all ] || [ "$1" = "$TOTUM_RANK" ] || exec "$4"
		exec unshare $2 sh -c "$3 && exec \"\$0\"" "$4"' sh "$who" "$options" "$strange" \
		"$program" >"$scratch/out" 2>"$scratch/err" </dev/null
	code=$?
}
# All is right, and the ranks agree on how to move large messages.
together() { # HOW N WHO OPTIONS COMMAND
	how=$1
	shift
	job "$@" || return
	[ $code -eq 0 ] || complain "exit code $code"
	echo "$name: code $code"
	got=$(grep -c "large messages of private memory: .*$how" "$scratch/err")
	[ "$got" -eq "$n" ] || complain "$got of $n ranks say $how"
}

shm='mount -t tmpfs -o size=64k none /dev/shm'
together "copy\|staged" 3 all -m "$shm"
together "copy\|staged" 3 1 -m "$shm"
together "copy\|staged" 3 1 -u 'hostname elsewhere'
together "copy\|staged" 3 all -i true
# Processes that are called otherwise there cannot be read by their number, which the probe finds.
together staged 3 1 -pf true
together staged 3 all -pf true
together staged 3 all "-pf --mount-proc" true

# Another network: no way to meet, and nobody waits for longer than asked.
patience=2s
if job 3 1 -n true; then
	[ $code -eq 1 ] || complain "exit code $code instead of 1"
	grep -q "rank 0 of the job .* has not started on this host\|rank 1 of 3 did not come" \
		"$scratch/err" || complain "does not say who is missing"
fi

[ $failures -eq 0 ]
