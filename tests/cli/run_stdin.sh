#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Standard input goes to rank 0, the others read nothing; no byte of it is taken that rank 0 does not read.
. "$SOURCE/tests/cli/launching"

input=$scratch/in
seq 100000 >"$input"
at "rank 0 gets all of it"
job 0 -n 3 -- sh -c 'cat >"$1.$TOTUM_RANK"' sh "$scratch/got"
cmp "$input" "$scratch/got.0" || fail "rank 0 has not read what was sent"
for rank in 1 2; do
	[ -e "$scratch/got.$rank" ] && [ ! -s "$scratch/got.$rank" ] || fail "rank $rank has read something"
done
at "through a pipe"
cat "$input" | JOB="$LAUNCHING.$jobs." "$TOTUM" run -n 2 -- sh -c 'cat >"$1.$TOTUM_RANK"' sh "$scratch/got"
cmp "$input" "$scratch/got.0" || fail "rank 0 has not read what was sent"
at "what is not read is left for others"
rest=$({ "$TOTUM" run -n 2 -- true; cat; } <"$input" | wc -l)
[ "$rest" -eq 100000 ] || fail "$rest lines are left instead of 100000"
at "closed"
JOB="$LAUNCHING.$jobs." "$TOTUM" run -n 2 -- sh -c 'cat && echo end' <&- >"$scratch/out" 2>"$scratch/err" ||
	fail "not exit code 0"
[ "$(grep -c end "$scratch/out")" -eq 2 ] || fail "the ranks have not come to their end"

# On a terminal.
command -v script >/dev/null || {
	echo "skipped: script (Debian: bsdutils) is not installed; all but the terminal is well"
	exit 77
}
terminal() { # COMMAND: its output, on a terminal whose keys are our stdin
	script -qec "$1" /dev/null | tr -d '\r'
}
at "a terminal"
said=$(printf 'hello\n' | terminal "$TOTUM run -n 2 -- sh -c 'read x; echo \$TOTUM_RANK:\$x'" | grep : | sort | tr '\n' ' ')
[ "$said" = "0:hello 1: " ] || fail "they have read $said"
at "Ctrl-C"
said=$({ sleep 1; printf '\003'; sleep 0.5; } | terminal "$TOTUM run -n 2 -- sleep 1000; echo code=\$?")
case $said in
*"ended by SIGINT"*) ;;
*) fail "it says $said" ;;
esac
at "Ctrl-C ends a shell's loop too"
if command -v bash >/dev/null; then
	said=$({ sleep 1; printf '\003'; sleep 0.5; } |
		terminal "bash -c 'for i in 1 2; do $TOTUM run -n 2 -- sleep 2; echo after; done'")
	case $said in
	*after*) fail "the loop goes on: $said" ;;
	esac
fi
at "in the background"
said=$({ sleep 1; echo stolen; sleep 1; } |
	terminal "sh -mc '$TOTUM run -n 1 -- sh -c \"read x; echo got:\\\$x.\" & sleep 1.5'")
case $said in
*"got:."*) ;;
*) fail "it has read the terminal: $said" ;;
esac
at "a raw terminal is given back as it was"
said=$(terminal "stty -g; $TOTUM run -n 2 -- sh -c '[ \$TOTUM_RANK -eq 1 ] || stty raw -echo; sleep 0.3; kill -KILL \$\$'; stty -g" </dev/null | grep '^[0-9a-f:]*$' | uniq | wc -l)
[ "$said" -eq 1 ] || fail "the settings have changed"
