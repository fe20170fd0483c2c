#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# totum show: the step table of the README, other forms of the argument, the text form round, and refusals.
set -u

. "$SOURCE/tests/cli/scratch"

show() { # CODE ARGUMENT...
	want=$1
	shift
	"$TOTUM" show "$@" >out 2>err </dev/null
	code=$?
	[ $code -eq "$want" ] || fail "totum show $*: exit code $code instead of $want"
	[ "$want" -eq 0 ] || [ "$(wc -l <err)" -ge 1 ] || fail "totum show $*: no sentence"
}

has() { # TEXT
	grep -qF -e "$1" out || fail "the output lacks \"$1\""
}

says() { # TEXT
	grep -qF -e "$1" err || fail "the error lacks \"$1\""
}

show 0 ring -n 4 --moves
cat >expected <<'END'
allgather by ring, 4 ranks

        | 0       | 1       | 2       | 3
start   | A       | B       | C       | D
round 1 | A,D     | B,A     | C,B     | D,C
round 2 | A,D,C   | B,A,D   | C,B,A   | D,C,B
round 3 | A,D,C,B | B,A,D,C | C,B,A,D | D,C,B,A

round 1  0>1:A  1>2:B  2>3:C  3>0:D
round 2  0>1:D  1>2:A  2>3:B  3>0:C
round 3  0>1:C  1>2:D  2>3:A  3>0:B

3 rounds, volume 3 blocks, 1 port, verified
END
diff expected out >&2 || fail "show ring -n 4 --moves is not as expected"

show 0 bruck,radix=3 -n 9
has "2 rounds, volume 4 blocks, 2 ports, verified"
show 0 ring -n 5 --collective reduce_scatter
has "A{0-2+5} is block A"
show 0 ring -n 5 --collective broadcast --root 2
has "broadcast by ring, 5 ranks, root 2"
show 0 allgather:n=6:algo=swing
has "allgather by swing, 6 ranks"
show 0 ring -n 1000000
has "rounds 1-999999  r > r+1  block r-t"
has "verified"
show 0 --list
has "radix=2 (2 to n)"

# Text form: what is written is read, by name and through a pipe.
show 0 bidirectional_ring -n 8 --text
mv out ring.schedule
show 0 ./ring.schedule
has "4 rounds, volume 7/2 blocks, 2 ports, verified"
"$TOTUM" show - <ring.schedule >out 2>err || fail "show - fails"
has "4 rounds, volume 7/2 blocks"

# A wrong schedule is shown, and called wrong.
sed 's/first=0/first=1/' ring.schedule >wrong.schedule
show 0 ./wrong.schedule
has "WRONG"
has "?"

show 0 ring -n 4 --json ring.json
if command -v jq >/dev/null; then
	[ "$(jq -c '[.rounds[].blocks[0]]' ring.json)" = '[[0,3],[0,3,2],[0,3,2,1]]' ] || fail "the blocks in the JSON"
	[ "$(jq -c .rounds[1].moves[0] ring.json)" = '{"from":0,"to":1,"blocks":[3]}' ] || fail "the moves in the JSON"
	[ "$(jq -r .command ring.json)" = "totum show ring -n 4 --json ring.json" ] || fail "the command in the JSON"
fi

# A picture is well-formed, says who asked for it, and its size does not run away.
show 0 ring -n 4 --moves --svg 'ring <4>.svg'
grep -qF 'totum show ring -n 4 --moves --svg' 'ring <4>.svg' || fail "the picture lacks the command line"
grep -qF '&lt;4&gt;' 'ring <4>.svg' || fail "the picture's text is not escaped"
if command -v xmllint >/dev/null; then
	xmllint --noout 'ring <4>.svg' || fail "the picture is no XML"
fi
for collective in reduce_scatter allreduce broadcast; do
	show 0 ring -n 9 --collective $collective --svg "$collective.svg"
done
# On a physical ring the far exchanges share links.
show 0 recursive_doubling -n 8 --on ring:8
has "3              8    16  r0>r1"
has "volume 21"
show 0 ring -n 8 --on ring:8
has "1-7            8     1"
show 0 swing -n 16 --on torus:4x4 --svg loads.svg
grep -qF 'round 4: load 8' loads.svg || fail "the picture lacks a round"
show 2 ring -n 8 --on ring:9
show 2 ring -n 8 --on rnig:8
says "did you mean ring"
show 2 ring -n 200 --on ring:200 --svg big.svg
says "too many for a picture"
show 2 ring -n 65 --svg big.svg
says "at most 64 ranks"

show 2
says "--list"
show 2 ring
says "how many ranks"
show 2 rnig -n 4
says "did you mean 'ring'"
show 2 ring -n 0x4
says "'0x4' is not an integer"
show 2 recursive_doubling -n 6
says "needs a power of two of ranks"
show 2 bruck,radix=1 -n 6
says "radix"
show 2 ring -n 4 --collective allgathre
says "allgathre"
show 2 ring -n 4 --root 4 --collective broadcast
show 2 ring swing -n 4
says "one too many"
show 2 ./absent
says "cannot read ./absent"
show 1 ring -n 4 --json /absent/file
says "cannot write /absent/file"
head -c 40 ring.schedule >cut.schedule
show 2 ./cut.schedule
says "./cut.schedule:"
if [ -w /dev/full ]; then
	"$TOTUM" show ring -n 4 >/dev/full 2>err && fail "a full disk goes unnoticed"
	says "cannot write"
fi
exit $((failures > 0))
