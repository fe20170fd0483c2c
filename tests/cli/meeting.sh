#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks that do not come to the meeting, die there, or do not agree on it: all who are there say in
# one sentence who it is, in time, and a meeting under the same name can begin anew at once.
set -u

. "$SOURCE/tests/cli/faulty"
hello=$BUILD/bin/ranks_hello
meetings=0
export TOTUM_TIMEOUT=600ms

# Ranks R of N, each in the background; their outputs in files, their exit codes by over().
meet() { # NAME
	name=$1 pids="" ranks=""
	meetings=$((meetings + 1))
	rm -f "$scratch"/rank.*
}
rank() { # R N [COMMAND..]
	r=$1 n=$2
	shift 2
	who=$r
	while [ -e "$scratch/rank.$who" ]; do
		who=$who+
	done
	"$@" "$hello" --create "$r" "$n" "local:meeting-$$-$meetings" >"$scratch/rank.$who" 2>&1 &
	pids="$pids $!" ranks="$ranks $who"
}
# All have ended, with the code, and each has said one line that has the words, if any are given.
over() { # CODE [WORDS]
	for pid in $pids; do
		wait "$pid" 2>/dev/null
		code=$?
		[ $code -eq "$1" ] || [ "$pid" = "${victim:-}" ] || said "exit code $code, not $1"
	done
	for who in $ranks; do
		[ $# -gt 1 ] && [ -s "$scratch/rank.$who" ] || continue
		[ "$(wc -l <"$scratch/rank.$who")" -eq 1 ] || said "rank $who does not say one line"
		grep -q -e "$2" "$scratch/rank.$who" || said "rank $who does not say \"$2\""
	done
	victim=
}
said() { # TEXT
	tail -n 5 "$scratch"/rank.* >"$scratch/out" 2>&1
	: >"$scratch/err"
	complain "$1"
}

meet "all come"
for r in 2 0 1; do rank $r 3; done
over 0 "rank . of 3"
meet "1 and 3 do not come"
for r in 0 2 4; do rank $r 5; done
over 1 "rank 1, 3 of 5 did not come"
meet "1 and 3 do not come, and the others are there long before rank 0"
for r in 2 4; do rank $r 5; done
sleep 0.4
rank 0 5
over 1 "rank 1, 3 of 5 did not come"
meet "rank 0 does not come"
for r in 1 2; do rank $r 3; done
over 1 "rank 0 of the job .* has not started"
meet "too many to name"
rank 0 400
over 1 "rank 1, 2, 3, .* and 3[0-9]* more of 400 did not come"

meet "they do not agree on how many they are"
for r in 0 1; do rank $r 3; done
sleep 0.1
rank 2 4
over 1 "rank 2 was told of 4 ranks, rank 0 of 3"
meet "two are rank 1"
for r in 0 2 1; do rank $r 4; done
sleep 0.1
rank 1 4
over 1 "two processes say they are rank 1"
meet "two are rank 0: each waits for the other"
rank 0 2
sleep 0.2
rank 0 2
over 1 "rank 1 of 2 did not come"

# With a rank that is late on purpose in the middle, and is then killed.
shim="env LD_PRELOAD=$BUILD/bin/totum_faults.so ASAN_OPTIONS=verify_asan_link_order=0:$ASAN_OPTIONS"
dies() { # NAME CALL WORDS
	meet "$1"
	rank 0 3
	rank 2 3
	# shellcheck disable=SC2086 # a list
	rank 1 3 $shim FAULTS="$2:delay=5000000"
	victim=${pids##* }
	sleep 0.2
	kill -KILL "$victim"
	over 1 "$3"
}
dies "killed before its hello" send "rank 1 of 3 d"
dies "killed before it takes the memory" recvmsg "rank 1 of 3 died\|rank 1 has gone"
dies "killed before it has joined" sendmsg "rank 1 of 3 died\|rank 1 has gone"

meet "stopped before it has joined"
rank 0 3
rank 2 3
# shellcheck disable=SC2086 # a list
rank 1 3 $shim FAULTS=sendmsg:delay=5000000
victim=${pids##* }
sleep 0.2
kill -STOP "$victim"
sleep 0.8
kill -KILL "$victim"
over 1 "rank 1 does not answer"

[ $failures -eq 0 ]
