#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An allocation of the library fails on one rank, the first, the second, and so on: that rank ends
# with a sentence that says so, nobody crashes, and nobody waits for it.
set -u

. "$SOURCE/tests/cli/faulty"
[ -z "$SANITIZE" ] || {
	echo "skipped: sanitizers have allocators of their own"
	exit 77
}

# The rank has failed as it should, or has gone on without.
check() { # N PLAN PROGRAM
	faulty "$@"
	case $code in
	0) return ;;
	1) grep -q "no memory" "$scratch/err" || complain "no memory is not the reason" ;;
	*) complain "exit code $code" ;;
	esac
}

# Every allocation, until there are no more, which are more than LEAST.
every() { # N RANK PROGRAM LEAST
	i=0 may_miss=1
	while [ $i -lt 400 ]; do
		i=$((i + 1))
		check "$1" "malloc@$2:errno=ENOMEM,from=$i,to=$i" "$3"
		[ -s "$scratch/log" ] || break
	done
	may_miss=
	[ $i -gt "$4" ] || complain "only $i allocations"
}

every 2 0 "$BUILD/bin/ranks_scarce" 10
every 2 1 "$BUILD/bin/ranks_scarce" 10
for i in 1 2 3 4 5 6 8 10 13 16 20 25 32 40 50 63 79 100 126 158 200 251 316 398 501 631 794; do
	check 3 "malloc@2:errno=ENOMEM,from=$i,to=$i" "$BUILD/bin/ranks_forms"
	check 2 "malloc@1:errno=ENOMEM,from=$i,to=$i" "$BUILD/bin/ranks_messages"
done

[ $failures -eq 0 ]
