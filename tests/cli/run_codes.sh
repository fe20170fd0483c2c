#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The first rank that fails ends the job, its exit code is the job's, and one sentence tells of it.
. "$SOURCE/tests/cli/launching"

# Rank R of 4 does something, the others wait; the sentence must hold the words.
one_of_four() { # CODE WORDS RANK WHAT
	at "rank $3: $4"
	job "$1" -n 4 -- sh -c "[ \$TOTUM_RANK -ne $3 ] || { sleep 0.1; $4; }; sleep 1000 & wait"
	said "rank $3 (pid |$2|3 other ranks|SIGTERM"
}
one_of_four 7 "exit code 7" 2 'exit 7'
one_of_four 255 "exit code 255" 0 'exit 255'
one_of_four 139 SIGSEGV 3 'kill -SEGV $$'
one_of_four 134 SIGABRT 1 'kill -ABRT $$'
one_of_four 137 SIGKILL 2 'kill -KILL $$'
one_of_four 143 SIGTERM 2 'kill -TERM $$'

at "all ranks end well"
job 0 -n 4 -- true
said ""
at "a rank that ends with 0 ends nothing"
job 0 -n 3 -- sh -c '[ $TOTUM_RANK -eq 1 ] || sleep 0.3; echo done'
said ""
[ "$(grep -c done "$scratch/out")" -eq 3 ] || fail "not every rank has come to its end"
at "the pid is the rank's"
job 9 -n 1 -- sh -c 'echo $$; exit 9'
said "rank 0 (pid $(cat "$scratch/out"))|no other rank"

# Rank 1 of 2 fails when the other has made the file $1.
fails_late='[ $TOTUM_RANK -ne 1 ] || { until [ -e "$1" ]; do sleep 0.05; done; exit 5; }'
at "one that ignores SIGTERM is killed after the grace time"
job 5 -n 2 --grace 200ms -- sh -c "$fails_late"'; trap "" TERM; : >"$1"; while :; do sleep 0.1; done' sh "$scratch/a"
said "rank 1|SIGTERM and then SIGKILL"
at "one that cleans up at SIGTERM has the time to"
job 5 -n 2 --grace 60s -- sh -c "$fails_late"'; trap "sleep 0.5; echo clean; exit 0" TERM; : >"$1"
	while :; do sleep 0.1; done' sh "$scratch/b"
said "rank 1|ended with SIGTERM"
grep -q clean "$scratch/out" || fail "it was not given the time"
at "so has what a rank has started, when the rank itself has gone"
job 5 -n 2 --grace 60s -- sh -c "$fails_late"'
	sh -c "trap \"sleep 0.5; echo clean; exit 0\" TERM; : >$1; while :; do sleep 0.1; done" & wait' sh "$scratch/c"
grep -q clean "$scratch/out" || fail "it was not given the time"
at "and what has outlived its rank"
job 5 -n 2 --grace 60s -- sh -c "$fails_late"'
	sh -c "trap \"sleep 0.5; echo clean; exit 0\" TERM; : >$1; while :; do sleep 0.1; done" & exit 0' sh "$scratch/d"
grep -q clean "$scratch/out" || fail "it was not given the time"
at "a stopped rank hears SIGTERM"
job 5 -n 2 --grace 60s -- sh -c '[ $TOTUM_RANK -ne 1 ] || { sleep 0.3; exit 5; }; kill -STOP $$'
said "rank 1|ended with SIGTERM"

at "all skipped"
job 77 -n 4 -- sh -c 'sleep 0.$TOTUM_RANK; echo "skipped: no such device"; exit 77'
said ""
[ "$(grep -c skipped "$scratch/out")" -eq 4 ] || fail "not every rank has said why"
at "one skipped, one failed"
job 3 -n 2 --grace 60s -- sh -c '[ $TOTUM_RANK -ne 0 ] || exit 77; sleep 0.3; exit 3'
said "rank 1|exit code 3"
at "one skipped, one does not end"
job 77 -n 2 --grace 200ms -- sh -c '[ $TOTUM_RANK -ne 0 ] || exit 77; sleep 1000 & wait'
said "rank 0|exit code 77|1 other rank|SIGTERM"

at "not found"
job 127 -n 4 -- no-such-program-here
said "no-such-program-here|PATH"
job 127 -n 4 -- "$scratch/none"
said "$scratch/none"
at "not executable"
job 126 -n 4 -- /etc/passwd
said "/etc/passwd|execute"
job 126 -n 4 -- "$scratch"
said "$scratch"
at "no interpreter"
printf '#!%s/none\n' "$scratch" >"$scratch/script"
chmod +x "$scratch/script"
job 127 -n 2 -- "$scratch/script"
said "interpreter"
at "a script without a first line"
echo 'exit 6' >"$scratch/script"
job 6 -n 2 -- "$scratch/script"
at "found in the PATH that -x gives"
job 6 -n 2 -x PATH="$scratch:$PATH" -- script
