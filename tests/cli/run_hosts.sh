#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A job on several hosts, which a stand-in for ssh plays on this one: who is where and is given what, streams, exit codes.
. "$SOURCE/tests/cli/launching"
export TOTUM_SSH="'$SOURCE/tests/cli/pretend_ssh'"

lists() { # TEXT: the sorted output, in one line
	got=$(sort -n "$scratch/out" | tr '\n' ';')
	[ "$got" = "$1" ] || fail "it has printed $got"
}

who='echo $TOTUM_RANK $TOTUM_SIZE $TOTUM_LOCAL_RANK $TOTUM_LOCAL_SIZE $PRETENDED'
at "packed"
job 0 --hosts a:2,b:3 -n 4 -- sh -c "$who"
lists "0 4 0 2 a;1 4 1 2 a;2 4 0 2 b;3 4 1 2 b;"
at "as many as there are slots"
job 0 --host a:2,b -- sh -c "$who"
lists "0 3 0 2 a;1 3 1 2 a;2 3 0 1 b;"
at "in turn"
job 0 --hosts a:1,b:3,c:2 --map-by node -n 6 -- sh -c "$who"
lists "0 6 0 1 a;1 6 0 3 b;2 6 0 2 c;3 6 1 3 b;4 6 1 2 c;5 6 2 3 b;"
at "shared evenly where there are no slots"
job 0 -H a,b,c -n 5 -- sh -c "$who"
lists "0 5 0 2 a;1 5 1 2 a;2 5 0 2 b;3 5 1 2 b;4 5 0 1 c;"
at "a host that comes twice"
job 0 -H a,b -H a -- sh -c "$who"
lists "0 3 0 2 a;1 3 1 2 a;2 3 0 1 b;"
at "a host without a rank is not called"
job 0 -H a:2,refusing:2 -n 2 -- sh -c "$who"
lists "0 2 0 2 a;1 2 1 2 a;"
at "a file of hosts"
printf '# two\na slots=2 # first\n\n  b:1\r\n' >"$scratch/hosts"
job 0 --hostfile "$scratch/hosts" -- sh -c "$who"
lists "0 3 0 2 a;1 3 1 2 a;2 3 0 1 b;"

at "the job"
job 0 -H a,b,c -n 6 -- sh -c 'echo $TOTUM_ROOT $TOTUM_JOB_ID $(cat <&$TOTUM_SECRET_FD)'
[ "$(sort -u "$scratch/out" | wc -l)" -eq 1 ] || fail "the ranks do not agree"
read -r root id secret <"$scratch/out"
echo "$root" | grep -qE '^tcp://[][0-9a-f.:]+:[0-9]+$' || fail "the root is $root"
echo "$id" | grep -qE '^[0-9]+-[0-9a-f]{16}$' || fail "the id is $id"
echo "$secret" | grep -qE '^[0-9a-f]{64}$' || fail "the secret is $secret"
at "on one host, however many there could be"
job 0 -H a:2,b -n 2 -- sh -c 'echo ${TOTUM_ROOT%:*}'
lists "local;local;"
at "a root that is given"
job 0 -H a,b --root 127.0.0.1:28001 -- sh -c 'echo $TOTUM_ROOT'
lists "tcp://127.0.0.1:28001;tcp://127.0.0.1:28001;"
at "and one of the new kind"
job 0 -H a,b --root '[::1]:28001' -- sh -c 'echo $TOTUM_ROOT'
lists "tcp://[::1]:28001;tcp://[::1]:28001;"
at "the root's port is kept for rank 0, which can listen there"
if command -v python3 >/dev/null; then
	job 0 -H a,b -- python3 -c '
import os, socket, sys
host, port = os.environ["TOTUM_ROOT"].removeprefix("tcp://").rsplit(":", 1)
address = host.strip("[]"), int(port)
if os.environ["TOTUM_RANK"] == "0":
	with socket.create_server(address, family=socket.AF_INET6 if ":" in host else socket.AF_INET) as server:
		print(server.accept()[0].recv(100).decode())
else:
	while True:
		try:
			with socket.create_connection(address, 10) as s:
				s.sendall(b"met")
			break
		except ConnectionRefusedError:
			pass
'
	lists "met;"
fi
at "the secret is in no list of arguments, and in no environment"
job 0 -H a,b -- sh -c 'cat <&$TOTUM_SECRET_FD >"$1.$TOTUM_RANK"
	! grep -qaF -f "$1.$TOTUM_RANK" /proc/[0-9]*/environ /proc/[0-9]*/cmdline' sh "$scratch/secret"

at "arguments of every kind, the directory, and variables"
mkdir "$scratch/here it is"
export TOTUM_TIMEOUT=77s ONE="a b" OTHER=unseen
(
	cd "$scratch/here it is" || exit 1
	# each rank's line in one piece, for those of two would mix
	job 0 -H a,b -x ONE -x 'TWO=$(false) "'"'" -- sh -c 'pwd; all=$(printf "<%s>" "$@" "$ONE" "$TWO" "$TOTUM_TIMEOUT" \
		"${OTHER-none}"); printf "%s\n" "$all"' sh '' ' ' '*' '$HOME' "it's" 'a"b' '\' '`id`' '; exit 1' 'x
y' "$(printf '\351\001')"
) || exit 1
printf "$scratch/here it is\n<><%s><%s><%s><%s><%s><%s><%s><%s><%s><\351\001><%s><%s><77s><none>\n" ' ' '*' '$HOME' "it's" \
	'a"b' '\' '`id`' '; exit 1' 'x
y' 'a b' '$(false) "'"'" >"$scratch/one"
cat "$scratch/one" "$scratch/one" | sort >"$scratch/want"
sort "$scratch/out" | cmp -s - "$scratch/want" || fail "wrong words"
unset TOTUM_TIMEOUT
at "a directory that is given"
job 0 -H a,b --wdir "$scratch/here it is" -- sh -c 'basename "$PWD"'
lists "here it is;here it is;"

input=$scratch/in
seq 200000 >"$input"
at "input is that of rank 0"
job 0 -H a,b,c -- sh -c 'cat >"$1.$TOTUM_RANK"' sh "$scratch/got"
cmp "$input" "$scratch/got.0" || fail "rank 0 has not read what was sent"
for rank in 1 2; do
	[ -e "$scratch/got.$rank" ] && [ ! -s "$scratch/got.$rank" ] || fail "rank $rank has read something"
done
at "input that is not read"
job 0 -H a,b -- true
at "input that rank 0 begins to read late, and that has no end"
jobs=$((jobs + 1))
yes | JOB="$LAUNCHING.$jobs." timeout 60 "$TOTUM" run -H a,b -- sh -c 'sleep 0.5; head -n 100000 | wc -l' >"$scratch/out" 2>&1
grep -q "^100000$" "$scratch/out" || fail "it has not read"
input=

at "output and errors stay apart, and whole"
job 0 -H a,b -n 4 -- sh -c 'seq 100000 | sed "s/^/$TOTUM_RANK /" >"$1.$TOTUM_RANK"; cat "$1.$TOTUM_RANK"; echo err$TOTUM_RANK >&2' \
	sh "$scratch/sent"
cat "$scratch"/sent.? | wc -c >"$scratch/want"
wc -c <"$scratch/out" | cmp -s - "$scratch/want" || fail "bytes are lost"
[ "$(sort "$scratch/err" | tr '\n' ' ')" = "err0 err1 err2 err3 " ] || fail "wrong errors"
at "tagged lines are whole"
job 0 -H a,b,c -n 6 --map-by node --tag-output -- sh -c '
	for i in $(seq 300); do printf "%s %0$((i * 37 % 211 + 1))d " $TOTUM_RANK 7; echo $i; done; printf end; head -c 200000 /dev/zero | tr "\0" x'
awk '
{
	rank = substr($1, 2) + 0
	if ($1 != "[" rank "]") { print "line " NR ": " substr($0, 1, 99); exit 1 }
	if (length($0) > 1000) { last[rank] = length($0); next }
	if ($2 != rank || $4 != ++count[rank] || length($3) != $4 * 37 % 211 + 1) { print "line " NR ": " $0; exit 1 }
}
END {
	for (r = 0; r < 6; r++)
		if (count[r] != 300 || last[r] != 200007) { print "rank " r ": " count[r] " lines, " last[r]; exit 1 }
}' "$scratch/out" || fail "a line is lost, mixed or out of order"
at "a reader that is slow"
jobs=$((jobs + 1))
JOB="$LAUNCHING.$jobs." "$TOTUM" run -H a,b -- seq 300000 2>"$scratch/err" | { sleep 1; wc -l; } >"$scratch/out"
[ "$(cat "$scratch/out")" -eq 600000 ] || fail "lines are lost"
at "a reader that goes away"
jobs=$((jobs + 1))
{
	JOB="$LAUNCHING.$jobs." "$TOTUM" run -H a,b --tag-output -- yes 2>"$scratch/err"
	echo $? >"$scratch/code"
} | head -n 1 >"$scratch/out"
until_true test -s "$scratch/code"
[ "$(cat "$scratch/code")" -eq 141 ] || fail "exit code $(cat "$scratch/code") instead of 141"
said "SIGPIPE"
nobody_left
at "a full disk"
if [ -w /dev/full ]; then
	jobs=$((jobs + 1))
	JOB="$LAUNCHING.$jobs." "$TOTUM" run -H a,b -- yes >/dev/full 2>"$scratch/err" </dev/null
	holds "cannot write the output|No space"
	nobody_left
fi

# Rank R of 4 does something, the others wait.
one_of_four() { # CODE WORDS RANK WHAT
	at "rank $3: $4"
	job "$1" -H a:3,b -n 4 -- sh -c "[ \$TOTUM_RANK -ne $3 ] || { sleep 0.1; $4; }; sleep 1000 & wait"
	said "rank $3 (pid |$2|3 other ranks|SIGTERM"
}
one_of_four 7 "on a) ended with exit code 7" 2 'exit 7'
one_of_four 139 "on b) was killed by SIGSEGV" 3 'kill -SEGV $$'
one_of_four 137 SIGKILL 0 'kill -KILL $$'
at "all skipped, on several hosts"
job 77 -H a,b -- sh -c 'sleep 0.$TOTUM_RANK; exit 77'
said ""
at "one skipped, one failed"
job 3 -H a,b --grace 60s -- sh -c '[ $TOTUM_RANK -ne 0 ] || exit 77; sleep 0.3; exit 3'
said "rank 1|exit code 3"
at "one that ignores SIGTERM is killed after the grace time"
job 5 -H a,b --grace 200ms -- sh -c '[ $TOTUM_RANK -ne 0 ] || { sleep 0.3; exit 5; }; trap "" TERM; while :; do sleep 0.1; done'
said "rank 0|SIGTERM and then SIGKILL"
at "one that cleans up at SIGTERM has the time to, and so has what it has started"
job 5 -H a,b --grace 60s -- sh -c '[ $TOTUM_RANK -ne 0 ] || { sleep 0.3; exit 5; }
	sh -c "trap \"sleep 0.3; echo clean; exit 0\" TERM; while :; do sleep 0.1; done" & wait'
grep -q clean "$scratch/out" || fail "it was not given the time"
at "timeout"
job 124 -H a,b -n 3 --timeout 500ms -- sleep 1000
said "ranks 0-2"
at "not found, not executable"
job 127 -H a,b -- no-such-program-here
said "no-such-program-here|on "
job 126 -H a,b -- /etc/passwd
said "/etc/passwd|execute"
at "what ranks leave behind is killed"
job 0 -H a,b -n 4 -- sh -c 'sleep 1000 & setsid -f sleep 1000; exit 0'
at "verbose"
job 0 -H a,b -v --bind-to core -- true
holds "rank 1 (pid |on b) has started on cpu|on a) ended with exit code 0"

at "a host that greets"
job 0 -H talkative,b -- sh -c "$who"
lists "0 2 0 1 talkative;1 2 0 1 b;"
said ""
at "64 ranks"
job 0 -H a,b,c,d -n 64 -- /bin/true
said ""
at "40 hosts"
job 0 -H "$(seq -s, -f h%g 40)" -- sh -c 'echo $PRETENDED'
[ "$(sort -u "$scratch/out" | wc -l)" -eq 40 ] || fail "not every host has a rank"
at "this host needs no ssh"
(
	unset TOTUM_SSH
	job 0 -H localhost:2 -- sh -c 'echo $TOTUM_RANK ${TOTUM_ROOT%:*}'
) || exit 1
lists "0 local;1 local;"
