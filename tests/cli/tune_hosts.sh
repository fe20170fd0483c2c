#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# totum tune on hosts: links inside a host and between hosts are told apart wherever the ranks are, and what is measured
# between is no more than the network lets through, which no load of the machine changes.
. "$SOURCE/tests/hosts/hosts"
. "$SOURCE/tests/hosts/job"
unset TOTUM_LAUNCHER TOTUM_ALGO TOTUM_TUNING

has() { # FILE PATTERN
	grep -qE -e "$2" "$1" || fail "no line of $1 is like \"$2\": $(cat "$1")"
}
hasnt() { # FILE PATTERN
	! grep -qE -e "$2" "$1" || fail "a line of $1 is like \"$2\": $(cat "$1")"
}
# The 100 Mbit/s of a link are 12.5 MB/s, and more where the burst that it lets through counts.
below_the_rate() { # FILE
	"$TOTUM" tune --show "$1" >table || fail "$1 cannot be shown"
	awk '$1 == "between" && $4 ~ /B\/s$/ {
		rate = $4 + 0
		if ($4 ~ /GB/) rate *= 1000
		if ($4 ~ /KB/) rate /= 1000
		if ($4 ~ /[0-9]B/) rate /= 1000000
	} END { exit !(rate > 0 && rate < 60) }' table || fail "more than the link carries: $(cat table)"
}

hosts_up 2 rate=100mbit

# two ranks on each host, in turns
run_ranks 200 4 round-robin "$TOTUM" tune -o "$PWD/four" || exit 1
has four '^link inside .* ports=1 '
has four '^piece inside from=0 '
has four '^link between '
has four '^piece between from=0 '
has four '^add '
has job/0.out '4 ranks on 2 hosts'
below_the_rate four

# a rank on each: nothing inside, and nobody to add with
run_ranks 200 2 packed "$TOTUM" tune -o "$PWD/two" || exit 1
hasnt two inside
has two '^piece between from=0 '
hasnt two '^add '
has two '^copy '
below_the_rate two

# a message between hosts takes a second, by the file, and none inside does
cat >slow <<END
totum tuning 1
link inside exchange=2.00 ports=1 together=2.00
piece inside from=0 alpha=1us beta=1GB/s
link between exchange=2.00 ports=1 together=2.00
piece between from=0 alpha=1s beta=1GB/s
end
END
TOTUM_TUNING="$PWD/slow" run_ranks 100 2 packed "$TOTUM" bench allgather -b 64 -e 64 --iters 3 || exit 1
awk '!/^#/ { if ($20 + 0 < 1000000) exit 1; n++ } END { exit !n }' job/0.out ||
	fail "links between hosts are not predicted: $(cat job/0.out)"

# the planner believes the links between hosts
"$TOTUM" plan allgather:n=4 --tuning four >out || fail "no plan"
has out 'links between hosts by four$'

[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
