#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# totum verify: right and wrong schedules, from problems, files and the standard input, and its exit codes.
set -u

. "$SOURCE/tests/cli/scratch"

verify() { # CODE ARGUMENT...
	want=$1
	shift
	"$TOTUM" verify "$@" >out 2>err </dev/null
	code=$?
	[ $code -eq "$want" ] || fail "totum verify $*: exit code $code instead of $want"
	[ "$want" -eq 0 ] || [ -s err ] || fail "totum verify $*: no sentence"
}

has() { # TEXT
	grep -qF -e "$1" out || fail "the output lacks \"$1\""
}

verify 0 allgather:n=8:algo=bidirectional_ring
has "allgather by bidirectional_ring, 8 ranks: right"
has "volume 7/2"
has "which is what the algorithm claims"
for algorithm in $("$TOTUM" show --list | awk '$1 == "allgather" { print $2 }'); do
	"$TOTUM" verify -q "allgather:n=16:algo=$algorithm" >out 2>err || fail "allgather:n=16:algo=$algorithm is wrong"
	[ ! -s out ] || fail "verify -q writes"
done
verify 0 allreduce:n=7:algo=ring
verify 0 allgather:n=1000000:algo=ring
verify 0 allgather:n=6:algo=gather_broadcast,resend=1
has "redundant"

# Made for the hosts of the topology, or for others that are made up.
for problem in allgather:topo=3x2:algo=hierarchical broadcast:topo=3x2:root=4:algo=hierarchical,parts=3 \
	gather:topo=4x2:root=5:algo=hierarchical allgather:n=7:algo=hierarchical,hosts=3,parts=2; do
	verify 0 "$problem"
	has "which is what the algorithm claims"
done
"$TOTUM" show hierarchical -n 6 --on 3x2 --text >placed.schedule
"$TOTUM" show hierarchical,hosts=2 -n 6 --text >made_up.schedule
verify 0 ./placed.schedule
cmp -s placed.schedule made_up.schedule && fail "hierarchical takes no notice of the topology's hosts"

"$TOTUM" show ring -n 6 --text >right.schedule
verify 0 ./right.schedule
"$TOTUM" verify - <right.schedule >out 2>err || fail "a right schedule from the standard input is wrong"

# One thing broken each time: a block that is not there, a round too few, a block twice.
sed 's/first=0/first=1/' right.schedule >wrong.schedule
verify 1 ./wrong.schedule
has "WRONG"
grep -q '[Rr]ank 1' err || fail "the sentence names no rank"
sed -e 's/x5/x4/' -e 's/rounds=5/rounds=4/' right.schedule >wrong.schedule
verify 1 ./wrong.schedule
grep -q 'ends without' err || fail "the sentence does not say what is missing"

verify 2
verify 2 ./absent.schedule
verify 2 rnig
verify 2 allgather:n=6:algo=rnig
head -n 2 right.schedule >cut.schedule
verify 2 ./cut.schedule
grep -qF './cut.schedule:2:' err || fail "the sentence names no line"
printf 'schedule 1 \377\377' >cut.schedule
verify 2 ./cut.schedule
exit $((failures > 0))
