#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --timeout ends the whole job with 124 and names the ranks that still ran; a job that ends in time is left alone.
. "$SOURCE/tests/cli/launching"

at "two of four do not end"
job 124 -n 4 --timeout 500ms -- sh -c '[ $TOTUM_RANK -ge 2 ] || exit 0; sleep 1000 & wait'
said "0.5s|ranks 2-3|SIGTERM"
at "one alone"
job 124 -n 1 --timeout 0.3s -- sleep 1000
said "0.3s|rank 0,|SIGTERM"
at "SIGTERM is ignored"
job 124 -n 3 --timeout 3s --grace 200ms -- sh -c 'trap "" TERM; while :; do sleep 0.1; done'
said "ranks 0-2|3 of them SIGKILL"
at "no grace at all"
job 124 -n 2 --timeout 300ms --grace 0 -- sleep 1000
at "in time"
job 0 -n 2 --timeout 100s -- true
said ""
at "0 is no limit"
job 0 -n 2 --timeout 0 -- sleep 0.2
said ""
at "ends with 0 when told to, yet too late"
job 124 -n 2 --timeout 300ms -- sh -c 'trap "exit 0" TERM; while :; do sleep 0.1; done'
at "nobody takes the output"
mkfifo "$scratch/fifo"
sleep 1000 <"$scratch/fifo" &
reader=$!
at "the output is blocked"
jobs=$((jobs + 1))
env JOB="$LAUNCHING.$jobs." "$TOTUM" run -n 2 --tag-output --timeout 500ms --grace 300ms -- yes >"$scratch/fifo" 2>"$scratch/err"
code=$?
kill $reader
[ $code -eq 124 ] || fail "exit code $code instead of 124"
holds "output is lost"
nobody_left
