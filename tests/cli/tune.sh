#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# totum tune: what it measures becomes a file that it reads, alone and under a launcher; files are merged, and those that
# are wrong are refused with their line.  How fast anything is does not count.
set -u
. "$SOURCE/tests/cli/scratch"
unset TOTUM_LAUNCHER TOTUM_ALGO TOTUM_TUNING RANK WORLD_SIZE

tune() { # CODE ARGUMENT...
	want=$1
	shift
	timeout 120 "$TOTUM" tune "$@" >out 2>err </dev/null
	code=$?
	[ $code -eq "$want" ] || fail "totum tune $*: exit code $code instead of $want"
}
has() { # FILE PATTERN
	grep -qE -e "$2" "$1" || fail "$name: no line of $1 is like \"$2\""
}
facts() { # FILE: one of ranks on one host
	[ "$(head -n 1 "$1")" = "totum tuning 1" ] || fail "$name: $1 begins with \"$(head -n 1 "$1")\""
	[ "$(tail -n 1 "$1")" = end ] || fail "$name: $1 ends with \"$(tail -n 1 "$1")\""
	has "$1" '^link inside exchange=[0-9]+\.[0-9]{2} ports=[1-9] together=[0-9]+\.[0-9]{2}$'
	has "$1" '^piece inside from=0 alpha=[0-9.]+(ns|us|ms|s)? beta=[0-9]+[KMGT]?B/s$'
	has "$1" '^add cached=[0-9]+[KMGT]?B/s memory=[0-9]+[KMGT]?B/s$'
	has "$1" '^copy cached=[0-9]+[KMGT]?B/s memory=[0-9]+[KMGT]?B/s stream=[0-9]+[KMGT]?B/s$'
	! grep -q between "$1" || fail "$name: links between hosts, on one host"
}

name="two ranks"
tune 0 -n 2 -o two
facts two
has out '^inside +0 +[0-9.]+(ns|us|ms|s) +[0-9.]+[num]?s to [0-9.]+[num]?s +[0-9.]+[KMGT]?B/s .* to .*%$'
has out '^adding: .* in memory'
has out '^copying: .* past the caches'
! grep -q 'not kept' out || fail "$name: says that the file is not kept"

name="under a launcher"
timeout 120 "$TOTUM" run -n 3 -- "$TOTUM" tune -o three >out 2>err || fail "$name: exit code $?"
facts three
has out '3 ranks on 1 host'
timeout 60 "$TOTUM" run -n 1 -- "$TOTUM" tune >out 2>err
[ $? -eq 2 ] || fail "one rank: no exit code 2"
has err 'one rank has no links; give -n 2'

name="ranks that ssh has started, and a file to the standard output"
TOTUM_SSH="'$SOURCE/tests/cli/pretend_ssh'" tune 0 --hosts a:1,b:2 -o -
[ ! -s err ] || fail "$name: something on stderr"
cp out ssh
facts ssh
tune 2 --map-by node
tune 2 --hosts a:1,b:1 -n 3

name="shown again"
tune 0 --show two
has out '^inside +0 +[0-9.]+(ns|us|ms|s) '
"$TOTUM" tune --show two | grep -q ' to .*B/s' && fail "$name: intervals that nobody knows"

name=merged
tune 0 --merge two two -o twice
cmp two twice || fail "$name: a file merged with itself is another one"
cat >between <<END
totum tuning 1
# by hand
piece between alpha=28us from=0 beta=1.17GB/s
link between together=1 exchange=1.98 ports=2
use allgather n=8 hosts=2 bytes=1:64K algo=bruck,radix=3
end
END
tune 0 --merge two between
mv out both
facts=$(grep -c . two)
[ "$(grep -c . both)" -eq $((facts + 3)) ] || fail "$name: not all lines of both"
has both '^piece between from=0 alpha=28us beta=1170MB/s$'
tune 0 --merge between two
cmp out both || fail "$name: the order counts where nothing is replaced"
cp between before
tune 0 --merge both between -o between
cmp between both || fail "$name: a file that is read cannot be written"
mv before between

name=wrong
sed 's/^link/lnik/' between >bad
tune 2 --show bad
has err '^totum tune: bad:4: .*did you mean link'
head -n 3 between >bad
tune 2 --merge between bad
has err '^totum tune: bad:3: .*cut off'
sed 's/tuning 1/tuning 2/' between >bad
tune 2 --show bad
has err "bad:1: version '2'"
tune 1 --show nowhere
has err 'cannot open the tuning file nowhere'

name=refused
tune 2 -n 1
tune 2 -n x
tune 2 --bind-to moon
tune 2 two
tune 2 --merge two
tune 2 --merge --show two
tune 2 -n 2 -o no/such/folder/file
has err 'cannot write no/such/folder/file'
awk -F'[= ]' '/^link/ && ($4 > 2 || $8 > 3) {exit 1}' two three ssh || fail "more than a link can carry: $(cat two three ssh)"

[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
