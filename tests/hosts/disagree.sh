#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Ranks on several hosts that do not agree on what their job is, or of which one cannot do what the others can: all of them
# say so, in one sentence, with the rank; or all of them take another way.
set -u

. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"

# A job of four ranks on three hosts, of which rank 3 has variables of its own, and a host to itself.
odd() { # VARIABLE=VALUE...
	start_ranks 4 2,1,1,3 sh -c '
		[ "$TOTUM_RANK" -ne 3 ] || export "$@"
		exec "$0"' "$BUILD/bin/ranks_hello" "$@"
	wait_ranks 60 || fail "ranks hang: $*"
}

refused() { # WORDS VARIABLE=VALUE...
	words=$1
	shift
	odd "$@"
	for rank in 0 1 2 3; do
		[ "$(rank_code $rank)" -eq 1 ] && [ ! -s job/$rank.out ] &&
			[ "$(grep -c "$words" job/$rank.err)" -eq 1 ] && continue
		show_ranks
		fail "$*: rank $rank has not ended with a sentence that says \"$words\""
		return
	done
}

accepted() { # VARIABLE=VALUE...
	odd "$@"
	[ "$(cat job/*.code | grep -cx 0)" -eq 4 ] && return
	show_ranks
	fail "$*: refused"
}

hosts_up 3
export TOTUM_TIMEOUT=20s
refused "TOTUM_ALGO.*rank 3" TOTUM_ALGO=ring
for setting in TOTUM_ENCRYPT=1 TOTUM_CHECKSUM=1 TOTUM_STREAMS=3; do
	refused "${setting%=*} is . on rank [03] (host host[23]) and . on rank .; set it alike.*allgather(" $setting
done
refused "TOTUM_TRANSPORT.*rank 3" TOTUM_TRANSPORT=tcp
refused "rank 3" TOTUM_INTERFACES=nosuch0
refused "rank 3 was told of 5 ranks" TOTUM_SIZE=5
refused "two processes say they are rank 2\|another process" TOTUM_RANK=2

# What is a rank's own affair; one that nobody reaches reaches the others.
accepted TOTUM_INTERFACES=lo
accepted TOTUM_INTERFACES=eth0
accepted TOTUM_INTERFACES=^lo TOTUM_WAIT=sleep TOTUM_TIMEOUT=30s

# UCX is not there on one host: the others do without it too, or say so if they were told to take it.
ucx=$(ldconfig -p | sed -n 's/.*libucp\.so\.0 .*=> //p' | head -n 1)
if [ -n "$ucx" ]; then
	run_on 3 mount --bind /dev/null "$ucx" || exit 1
	TOTUM_DEBUG=info accepted TOTUM_WAIT=sleep
	grep -q "loaded UCX" job/0.err && fail "UCX is taken, which rank 3 has not"
	export TOTUM_TRANSPORT=ucx
	refused "cannot use UCX\|rank 3 on host host3 cannot be reached" TOTUM_WAIT=sleep
fi
exit $failures
