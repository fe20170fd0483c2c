#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Many ranks, and the limits that they meet: all start and end, or one sentence says which limit.
. "$SOURCE/tests/cli/launching"

at "64 ranks"
job 0 -n 64 -- /bin/true
said ""
at "64 ranks, tagged"
job 0 -n 64 --tag-output -- sh -c 'echo $TOTUM_RANK'
[ "$(sed 's/^\[\([0-9]*\)\] \1$/ok/' "$scratch/out" | grep -c ok)" -eq 64 ] || fail "not one line from each rank"
at "300 ranks that all fail at once"
job 7 -n 300 -- sh -c 'exit 7'
said "exit code 7"
at "twenty jobs at once"
for i in $(seq 20); do
	"$TOTUM" run -n 4 -- sh -c 'echo $TOTUM_ROOT' >"$scratch/root.$i" 2>&1 &
done
wait
[ "$(sort -u "$scratch"/root.* | wc -l)" -eq 20 ] || fail "not twenty jobs with a root of their own"
[ "$(cat "$scratch"/root.* | wc -l)" -eq 80 ] || fail "not four ranks each"

at "few descriptors by the soft limit: no trouble, and the ranks have that limit"
(
	ulimit -Sn 64
	job 0 -n 50 --tag-output -- sh -c 'ulimit -Sn'
	[ "$(grep -c '\] 64$' "$scratch/out")" -eq 50 ] || fail "the limit of the ranks is $(cat "$scratch/out")"
) || exit 1
at "few descriptors by the hard limit"
(
	ulimit -n 64
	job 0 -n 64 -- true
	job 125 -n 64 --tag-output -- true
	holds "cannot |rank |open files|--tag-output"
) || exit 1
