#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# totum plan: the reference problem's figures, the choice on several machines, exclusions, JSON and refusals.
set -u

. "$SOURCE/tests/cli/scratch"

plan() { # CODE ARGUMENT...
	want=$1
	shift
	"$TOTUM" plan "$@" >out 2>err </dev/null
	code=$?
	[ $code -eq "$want" ] || fail "totum plan $*: exit code $code instead of $want"
}

# The row of an algorithm, blanks squeezed.
row() { # NAME EXPECTED
	tr -s ' ' <out | sed 's/^ //' | grep -E -e "^([*!]+ )?$1 " >row ||
		{ fail "there is no row for $1"; return; }
	grep -qF -e "$2" row || fail "the row of $1 is \"$(cat row)\" and lacks \"$2\""
}

has() { # TEXT
	grep -qF -e "$1" out || fail "the output lacks \"$1\""
}

says() { # TEXT
	grep -qF -e "$1" err || fail "the error lacks \"$1\""
}

plan 0 allgather:n=8:bytes=8M --alpha 1us --beta 10GB/s
has "bound 737.0032us = 3us + 734.0032us on 1 link"
row ring "ring 7 7 1 741.0032us 1.0054 737.0032us"
row recursive_doubling "recursive_doubling 3 7 1 737.0032us 1.0000 737.0032us"
row bidirectional_ring "bidirectional_ring 4 7 2 738.0032us"
row bidirectional_ring "371.0016us on 2 links"
row direct "direct 1 7 7 735.0032us"
row direct "105.8576us on 7 links"
grep -q '^\* ' out || fail "no choice is marked"

plan 0 allgather:n=8:bytes=8M --ports 2
has "bound 369.0016us = 2us + 367.0016us on 2 links"
row bidirectional_ring "bidirectional_ring 4 7/2 2 371.0016us"
row bidirectional_ring,whole=1 "423.4304us"
plan 0 allgather:n=8:bytes=8M:links=7
row direct "direct 1 1 7 105.8576us 1.0000 105.8576us"

# The machine can be in the problem, and options go before it.
plan 0 allgather:n=8:bytes=8M:alpha=2us:beta=20GB/s
row ring "381.0016us"
plan 0 allgather:n=8:bytes=8M:alpha=2us:beta=20GB/s --alpha 1us --beta 10GB/s
row ring "741.0032us"
plan 0 allgather:n=8:bytes=8M --overhead 1us
row direct "741.0032us"
plan 0 reduce_scatter:n=8:bytes=8M --gamma 10GB/s
has "bound 1.471006ms = 3us + 734.0032us + 734.0032us on 1 link"

plan 0 allgather:n=9:bytes=9
has "excluded: recursive_doubling needs a power of two of ranks"
plan 0 allgather:n=9:bytes=9:algo=recursive_doubling
has "there is no choice: recursive_doubling does not apply"
plan 0 allgather:n=9:bytes=9:algo=bruck,radix=7 --explain
has "the choice that was asked for: bruck,radix=7"
has "after t rounds a block is at no more than 2^t ranks"
plan 0 allgather:n=1
has "bound 0s"
plan 0 allgather:n=1000000:bytes=1G
row ring "ring 999999 999999 1 1.107373s"

plan 0 allgather:n=8:bytes=8M --all
row bruck,radix=5 "421.4304us on 4 links"

# Over hosts: those of the topology, packed or not.
plan 0 allgather:bytes=64M:topo=2x4 --explain
has "The ranks are on hosts 2x4, for which hierarchical is made"
grep -q '^\* *hierarchical' out || fail "many bytes between two hosts do not go by hierarchical"
plan 0 allgather:bytes=64M:topo=2x4:algo=ring --explain
has "the choice that was asked for: ring"
cat >scattered.topo <<'END'
topology scattered
host a r0
host b r1
host a r2
host b r3
switch a.memory b.memory
link r0 a.memory 10GB/s 1us
link r2 a.memory 10GB/s 1us
link r1 b.memory 10GB/s 1us
link r3 b.memory 10GB/s 1us
link a.memory b.memory 1GB/s 20us
END
plan 0 allgather:bytes=64M --topology ./scattered.topo --explain
has "The ranks are on hosts 0,1,0,1, for which"
row hierarchical,outer=1,parts=8 "1.0067"

# On wires that ranks share.
plan 0 allgather:bytes=8M --topology ring:8 --explain
row recursive_doubling "recursive_doubling 3 21 1 2.205010ms"
row neighbor_exchange "neighbor_exchange 4 7 1 738.0032us"
has "bound 369.0016us = 2us + 367.0016us, lambda 7/2 blocks per 10GB/s"
has "found by symmetry"
has "* the choice: bidirectional_ring"
plan 0 allgather:topo=fattree:4x4,uplink=1:bytes=1M
has "lambda 12 blocks per 1GB/s: 12 blocks must enter leaf0"
plan 0 allgather:bytes=8M --topology ring:8 --beta 20GB/s --alpha 0
row ring "367.0016us"
plan 0 allgather:bytes=1G --topology ring:1000000
row ring "ring 999999 999999 1 1.107373s"
plan 2 allgather:n=9 --topology ring:8
says "the problem has 9 ranks"
plan 2 allgather --topology rnig:8
says "did you mean ring"
plan 2 allgather --topology boxes:2x8 --beta 1GB/s
says "has its own"
plan 2 allgather --topology ring:8 --ports 2
says "has its own"

# Over a range of sizes: swing needs 3 rounds and 8 blocks, the bidirectional ring 4 and 7/2; they meet at 17777.8 B.
plan 0 allgather --topology ring:8 --sweep 64:1G
has "17.4K  swing"
has "bidirectional_ring"
plan 0 allgather --topology ring:8 --sweep 64:1G --json sweep.json
if command -v jq >/dev/null; then
	[ "$(jq -c '[.choices[].from | round]' sweep.json)" = '[64,17778]' ] || fail "the crossover in the JSON"
fi
plan 0 allgather --topology ring:8 --sweep 64:1G --svg 'sweep&.svg'
grep -qF "totum plan allgather --topology ring:8 --sweep 64:1G --svg 'sweep&amp;.svg'" 'sweep&.svg' ||
	fail "the picture lacks the command line"
plan 0 allgather --heatmap 2:9 --ports 3 --sweep 1K:1M
has "bruck,radix=4"
plan 0 allgather --heatmap 2:9 --ports 3 --svg map.svg
plan 0 allgather:n=4 --heatmap 2:9 --json map.json
if command -v jq >/dev/null; then
	[ "$(jq -c '[.rows[].nranks]' map.json)" = '[2,3,4,5,6,7,8,9]' ] || fail "the ranks in the JSON"
fi
if command -v xmllint >/dev/null; then
	xmllint --noout 'sweep&.svg' map.svg || fail "a picture is no XML"
fi
plan 2 allgather:n=8 --sweep 1G:64
says "no range of sizes"
plan 2 allgather:n=8 --heatmap 9
says "no range of ranks"
plan 2 allgather:n=8 --svg x.svg
says "--sweep or a --heatmap"
plan 2 allgather --topology ring:8 --heatmap 2:9
plan 1 allgather:n=8 --sweep 64:1G --svg /absent/x.svg
says "cannot write"

plan 0 allgather:n=8:bytes=8M --json -
if command -v jq >/dev/null; then
	[ "$(jq '.candidates[] | select(.algorithm == "ring") | .seconds * 1e10 | round' out)" = 7410032 ] ||
		fail "the time of ring in the JSON"
	[ "$(jq '[.candidates[] | select(.chosen)] | length' out)" = 1 ] || fail "one choice in the JSON"
	[ "$(jq -r .least.volume out)" = 7 ] || fail "the least volume in the JSON"
fi

plan 2
says "which problem"
plan 2 allgather:n=8 --alpha 1
says "alpha"
plan 2 allgather:n=8 --beta 0B/s
says "beta"
plan 2 allgather:n=8 --ports 0
says "links"
plan 2 allgather:n=8 --alpha 1us,links=2
says "no value"
plan 2 allgather:n=8:byte=1
plan 2 allgather:n=0
plan 2 allgathre:n=8
plan 2 allgather:n=8:algo=rnig
says "did you mean 'ring'"
plan 2 allgather:n=8 allgather:n=9
says "one too many"
exit $((failures > 0))
