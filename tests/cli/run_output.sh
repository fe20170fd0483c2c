#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Output: untouched without --tag-output; with it, whole lines of all ranks behind "[rank] ", none lost, none mixed.
. "$SOURCE/tests/cli/launching"

at "untouched"
job 0 -n 1 -- printf 'a\nb'
[ "$(od -An -c "$scratch/out" | tr -d ' ')" = 'a\nb' ] || fail "the output has changed"

at "stdout and stderr stay apart"
job 0 -n 2 --tag-output -- sh -c 'echo out; echo err >&2'
[ "$(sort "$scratch/out")" = "[0] out
[1] out" ] || fail "wrong stdout"
[ "$(sort "$scratch/err")" = "[0] err
[1] err" ] || fail "wrong stderr"

at "empty lines, and a last line without an end"
job 0 -n 1 --tag-output -- printf '\n\nx\ny'
[ "$(cat "$scratch/out"; echo .)" = "[0] 
[0] 
[0] x
[0] y
." ] || fail "wrong lines"
at "no output, no line"
job 0 -n 3 --tag-output -- true
[ ! -s "$scratch/out" ] || fail "there is output"

# Lines of many lengths, written in pieces that end anywhere; each line names its rank and number and its own length.
at "many lines of eight ranks at once"
lines='
BEGIN {
	rank = ENVIRON["TOTUM_RANK"]
	for (i = 0; i < 3000; i++) {
		length_ = (i * 37 + rank * 11) % 211
		line = sprintf("%d %d %d ", rank, i, length_)
		while (length_-- > 0)
			line = line "x"
		printf "%s\n", line
	}
}'
job 0 -n 8 --tag-output -- sh -c 'awk "$1" | dd bs=333 status=none' sh "$lines"
awk '
{
	rank = substr($1, 2) + 0
	if ($1 != "[" rank "]" || $2 != rank || $3 != next_[rank]++ || length($5) != $4 || NF > 5) {
		print "line " NR ": " $0
		exit 1
	}
}
END {
	for (r = 0; r < 8; r++)
		if (next_[r] != 3000) {
			print "rank " r " has " next_[r] " lines"
			exit 1
		}
}' "$scratch/out" || fail "a line is lost, mixed or out of order"

at "a line longer than a pipe"
job 0 -n 2 --tag-output -- sh -c 'head -c 300000 /dev/zero | tr "\0" $TOTUM_RANK; echo; echo end'
[ "$(awk '{ print $1, length($2) }' "$scratch/out" | sort)" = "[0] 3
[0] 300000
[1] 3
[1] 300000" ] || fail "wrong lines"
at "a line without end is cut, not kept for ever"
job 0 -n 1 --tag-output -- sh -c 'head -c 5000000 /dev/zero | tr "\0" x'
[ "$(sed 's/^\[0\] //' "$scratch/out" | tr -d '\n' | wc -c)" -eq 5000000 ] || fail "bytes are lost"
[ "$(wc -l <"$scratch/out")" -ge 3 ] || fail "it has not been cut"

at "lines come when they are complete, not at the end"
begin -n 2 --tag-output -- sh -c 'echo early; sleep 1000 & wait'
has_said "[1] early"
kill -TERM $launcher
ends 143
at "the last words of a rank that is killed"
job 137 -n 2 --tag-output -- sh -c 'echo "I am $TOTUM_RANK"; [ $TOTUM_RANK -ne 1 ] || { printf dying; sleep 0.3; kill -KILL $$; }; sleep 1000'
for line in "[0] I am 0" "[1] I am 1" "[1] dying"; do
	grep -qxF "$line" "$scratch/out" || fail "\"$line\" is missing"
done
at "a grandchild that keeps the output open does not keep the job"
job 0 -n 2 --tag-output -- sh -c 'setsid -f sleep 1000; echo done'
[ "$(grep -c done "$scratch/out")" -eq 2 ] || fail "the output is lost"
at "nor do many that do not keep it"
job 0 -n 2 --tag-output -- sh -c 'for i in $(seq 30); do setsid -f sleep 1000 >/dev/null 2>&1; done; echo done'
[ "$(grep -c done "$scratch/out")" -eq 2 ] || fail "the output is lost"

at "the reader goes away"
jobs=$((jobs + 1))
{
	JOB="$LAUNCHING.$jobs." "$TOTUM" run -n 2 --tag-output -- yes 2>"$scratch/err"
	echo $? >"$scratch/code"
} | head -n 1 >"$scratch/out"
until_true test -s "$scratch/code"
[ "$(cat "$scratch/code")" -eq 141 ] || fail "exit code $(cat "$scratch/code") instead of 141"
said "SIGPIPE"
nobody_left
at "the disk is full"
if [ -w /dev/full ]; then
	JOB="$LAUNCHING.$jobs." "$TOTUM" run -n 1 --tag-output -- echo >/dev/full 2>"$scratch/err"
	[ $? -eq 125 ] || fail "not exit code 125"
	holds "No space left"
fi
at "the launcher's stdout is closed"
JOB="$LAUNCHING.$jobs." "$TOTUM" run -n 2 --tag-output -- sh -c 'echo lost; echo kept >&2' >&- 2>"$scratch/err" ||
	fail "not exit code 0"
[ "$(grep -c kept "$scratch/err")" -eq 2 ] || fail "stderr is lost"

at "verbose"
job 0 -n 2 -v -- true
holds "rank 0 is pid |rank 1 is pid |rank 0 (pid |rank 1 (pid |exit code 0"
job 3 -n 2 -v -- sh -c '[ $TOTUM_RANK -eq 0 ] || exit 3; sleep 1000'
holds "rank 1 (pid |exit code 3|rank 0 (pid |killed by SIGTERM"
