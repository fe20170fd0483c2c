#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# totum plan by a tuning file: which links it takes, what goes before them, and that it says so.
set -u
. "$SOURCE/tests/cli/scratch"
unset TOTUM_LAUNCHER TOTUM_ALGO TOTUM_TUNING

plan() { # CODE ARGUMENT...
	want=$1
	shift
	timeout 60 "$TOTUM" plan "$@" >out 2>err
	code=$?
	[ $code -eq "$want" ] || fail "totum plan $*: exit code $code instead of $want"
}
has() { # FILE PATTERN
	grep -qE -e "$2" "$1" || fail "no line of $1 is like \"$2\""
}
cat >between <<END
totum tuning 1
link between exchange=1.98 ports=2 together=1.00
piece between from=0 alpha=28us beta=1170MB/s
end
END
cat >inside <<END
totum tuning 1
link inside exchange=1.50 ports=1 together=2.00
piece inside from=0 alpha=500ns beta=8GB/s
add cached=20GB/s memory=5GB/s
end
END
"$TOTUM" tune --merge inside between -o both || exit 1

plan 0 allgather:n=4 --tuning between
has out 'alpha=28us,beta=1\.1583GB/s,.*links=2; links between hosts by between$'
plan 0 allgather:n=4:beta=2GB/s --tuning between --alpha 3us
has out 'alpha=3us,beta=2GB/s,.*links=2; links between'
plan 0 allgather:n=4 --tuning both --links-of inside
has out 'links inside a host by both$'
plan 2 allgather:n=4 --tuning between --links-of inside
has err 'between says nothing of links inside a host'
plan 2 allgather:n=4 --links-of inside
has err 'which tuning file'
plan 2 allgather:n=4 --tuning between --links-of outside
has err 'inside and between'
TOTUM_TUNING=between
export TOTUM_TUNING
plan 0 allgather:n=4 --json -
has out '"measured": "links between hosts by between"'
plan 0 allgather --heatmap 2:4
has out 'links between hosts by between$'
plan 0 allgather:n=4 --tuning inside
has out 'links inside a host by inside$'
TOTUM_TUNING=nowhere plan 1 allgather:n=4
has err 'cannot open the tuning file nowhere'
unset TOTUM_TUNING

head -n 3 between >bad
plan 2 allgather:n=4 --tuning bad
has err '^totum plan: bad:3: .*cut off'
plan 0 allreduce:n=4 --tuning inside
has out 'alpha=500ns,beta=6GB/s,gamma=5GB/s,links=1'
plan 0 allreduce:topo=ring:4 --tuning inside
has out 'topology ring-4; adding as by the tuning file$'

[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
