#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks that do not come to the meeting, die there, or do not agree on it: all who are there say in
# one sentence who it is, in time, and a meeting under the same name can begin anew at once.
set -u

. "$SOURCE/tests/cli/faulty"
hello=$BUILD/bin/ranks_hello
shim="env LD_PRELOAD=$BUILD/bin/totum_faults.so ASAN_OPTIONS=verify_asan_link_order=0:$ASAN_OPTIONS"

# A meeting has a name; of each rank of it there is a file with its pid and one with its output.
meet() { # NAME
	meeting=$1
	mkdir "$scratch/$1"
}
rank() { # R N [COMMAND..]: in the background
	r=$1 n=$2
	shift 2
	who=$r
	while [ -e "$scratch/$meeting/$who.pid" ]; do
		who=$who+
	done
	"$@" "$hello" --create "$r" "$n" "local:meeting-$$-$meeting" \
		>"$scratch/$meeting/$who.out" 2>&1 &
	echo $! >"$scratch/$meeting/$who.pid"
}
# All have ended, with the code, and each says one line with the words; a victim says nothing.
over() { # NAME CODE WORDS
	name=$1
	for file in "$scratch/$name"/*.pid; do
		who=$(basename "$file" .pid)
		wait "$(cat "$file")" 2>/dev/null
		code=$?
		[ "$code" -ne 137 ] || continue
		[ "$code" -eq "$2" ] || said "exit code $code of rank $who, not $2"
		out=$scratch/$name/$who.out
		[ "$(wc -l <"$out")" -eq 1 ] || said "rank $who does not say one line"
		grep -q -e "$3" "$out" || said "rank $who does not say \"$3\""
	done
}
said() { # TEXT
	tail -n 5 "$scratch/$name"/*.out >"$scratch/out" 2>&1
	: >"$scratch/err"
	complain "$1"
}
# Waits, not for long, until rank 0 has accepted so many connections.
connected() { # N
	name=$meeting
	descriptors=/proc/$(cat "$scratch/$meeting/0.pid")/fd
	for _ in $(seq 100); do
		[ "$(ls -l "$descriptors" | grep -c socket:)" -gt "$1" ] && return
		sleep 0.02
	done
	said "rank 0 has no $1 connections"
}

# --- nobody waits for longer than asked: all of these at the same time ----------------------------

export TOTUM_TIMEOUT=2s
meet "1 and 3 do not come"
for r in 0 2 4; do rank $r 5; done
meet "1 and 3 do not come, and others have waited for long"
for r in 2 4; do rank $r 5; done
meet "rank 0 does not come"
for r in 1 2; do rank $r 3; done
meet "too many to name"
rank 0 400
meet "two are rank 0"
for r in 0 0; do rank $r 2; done
meet "stopped"
for r in 0 2; do rank $r 3; done
# shellcheck disable=SC2086 # a list
rank 1 3 $shim FAULTS=sendmsg:delay=60000000
meeting="1 and 3 do not come, and others have waited for long"
sleep 1
rank 0 5
kill -STOP "$(cat "$scratch/stopped/1.pid")"
sleep 1.4
kill -KILL "$(cat "$scratch/stopped/1.pid")"

over "1 and 3 do not come" 1 "rank 1, 3 of 5 did not come"
over "1 and 3 do not come, and others have waited for long" 1 "rank 1, 3 of 5 did not come"
over "rank 0 does not come" 1 "rank 0 of the job .* has not started"
over "too many to name" 1 "rank 1, 2, 3, .* and 3[0-9]* more of 400 did not come"
over "two are rank 0" 1 "rank 1 of 2 did not come\|another process is rank 0"
over "stopped" 1 "rank 1 does not answer"

# --- what is found at once ------------------------------------------------------------------------

export TOTUM_TIMEOUT=60s
meet "all come"
for r in 2 0 1; do rank $r 3; done
over "all come" 0 "rank . of 3"
meet "two numbers of ranks"
for r in 0 1; do rank $r 3; done
connected 1
rank 2 4
over "two numbers of ranks" 1 "rank 2 was told of 4 ranks, rank 0 of 3"
# One waits at the door while another spoils the meeting.
meet "not let in yet"
# shellcheck disable=SC2086 # a list
rank 0 3 $shim FAULTS=accept4:delay=500000
rank 2 4
sleep 0.2
rank 1 3
over "not let in yet" 1 "rank 2 was told of 4 ranks, rank 0 of 3"
meet "two are rank 1"
for r in 0 2 1; do rank $r 4; done
connected 2
rank 1 4
over "two are rank 1" 1 "two processes say they are rank 1"

# A rank that is late on purpose at some moment, and is then killed.
dies() { # NAME CALL
	meet "$1"
	rank 0 3
	# shellcheck disable=SC2086 # a list
	rank 1 3 $shim FAULTS="$2:delay=60000000"
	connected 1
	[ "$2" = send ] || rank 2 3
	[ "$2" = send ] || connected 2
	kill -KILL "$(cat "$scratch/$1/1.pid")"
	[ "$2" != send ] || for r in 1 2; do rank $r 3; done
}
dies "killed before it takes the memory" recvmsg
over "killed before it takes the memory" 1 "rank 1 of 3 died\|rank 1 has gone"
dies "killed before it has joined" sendmsg
over "killed before it has joined" 1 "rank 1 of 3 died\|rank 1 has gone"
# Who has not said who he is yet is missed by nobody.
dies "killed before its hello" send
over "killed before its hello" 0 "rank . of 3"

[ $failures -eq 0 ]
