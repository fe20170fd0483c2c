#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# totum tune on hosts, by algorithms: what --decide writes is a tuning file whose decisions say what was measured, calls go
# by decisions, and --check prints predictions of the file beside what calls take.  Which algorithm wins does not count.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"
unset TOTUM_LAUNCHER TOTUM_ALGO TOTUM_TUNING

has() { # FILE PATTERN
	grep -qE -e "$2" "$1" || fail "no line of $1 is like \"$2\": $(cat "$1")"
}

hosts_up 2
run_ranks 200 4 packed "$TOTUM" tune --decide allgather --sizes 64:64 --algorithm bruck -o "$PWD/decided" || exit 1
"$TOTUM" tune --show decided >out || fail "what is decided cannot be read"
awk '/^use/ { if (before !~ /^# [0-9]+B [0-9.e+]+us, by price [a-z_,=0-9]+ [0-9.e+]+us/ || !/ n=4 hosts=2 /) exit 1 }
	{ before = $0 }' decided || fail "decisions do not say what was measured: $(cat decided)"
TOTUM_TUNING="$PWD/decided" run_ranks 100 4 packed "$TOTUM" bench allgather -b 64 -e 2K --iters 3 || exit 1

# a message between hosts takes a second, by this file, and bruck is used up to 1 KiB
cat >slow <<END
totum tuning 1
link inside exchange=2.00 ports=1 together=2.00
piece inside from=0 alpha=1us beta=1GB/s
link between exchange=2.00 ports=1 together=1.00
piece between from=0 alpha=1s beta=1GB/s
use allgather n=4 hosts=2 bytes=1:1K algo=bruck
end
END
TOTUM_TUNING="$PWD/slow" run_ranks 200 4 round-robin "$TOTUM" tune --check allgather --sizes 256:2048 --algorithm ring || exit 1
mv job/0.out table
has table "^# predicted by $PWD/slow\$"
has table '^allgather +256 +ring +3000[0-9]{3}\.[0-9] +[0-9.]+ +-100%$'
has table '^allgather +2048 +ring +3000[0-9]{3}\.[0-9] '
has table '^allgather +256 +chosen bruck, best '
has table '^allgather +1024 +chosen bruck, best '
has table '^allgather +2048 +chosen [a-z_,=0-9]+, best '
grep -q '2048 .*chosen bruck,' table && fail "a decision holds beyond its range"
[ "$(grep -c ' chosen ' table)" -eq 3 ] || fail "not three sizes: $(cat table)"
has table '^# the choice within 1\.1 times the best at [0-9] of 3 sizes'
grep -q 'from 64 KiB on' table && fail "sizes are judged that have not been measured"

# what there is nothing to choose for
start_ranks 2 1,1 "$TOTUM" tune --check allgather
wait_ranks 60
[ "$(rank_code 0)" -eq 2 ] || fail "one host: no exit code 2"
has job/0.err 'on one host'
refused() { # PATTERN ARGUMENT...
	pattern=$1
	shift
	"$TOTUM" tune "$@" >out 2>err
	[ $? -eq 2 ] || fail "tune $* is not refused"
	has err "$pattern"
}
refused 'separated by commas' -n 2 --decide allgather,allgahter
refused 'separated by commas' -n 2 --check ''
refused 'no range' -n 2 --check all --sizes 64
refused 'smaller one first' -n 2 --check all --sizes 64:32
refused 'smaller one first' -n 2 --check all --sizes 64:32M
refused 'several things' --check all --show slow
refused 'leave -o out' --check all -o x
refused 'goes with' -n 2 --algorithm ring
hosts_clean || fail "something is left"

[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
