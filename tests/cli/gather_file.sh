#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# examples/gather_file: files of every awkward size, each rank with the hash of the whole; and one sentence for each
# file that is none.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
program=$BUILD/bin/gather_file

fail() {
	echo "$*"
	echo "standard output:"
	cat out
	echo "standard error:"
	cat err
	exit 1
}
gather() { # NRANKS FILE
	code=0
	"$TOTUM" run -n "$1" --timeout 60s -- "$program" "$2" >out 2>err </dev/null || code=$?
}

# One rank gathers nothing: its hash is that of the file.
whole() { # FILE
	"$program" "$1" | sed -n 's/^rank 0 of 1: [0-9]* bytes, XXH3 //p'
}
gathers() { # FILE NRANKS...
	file=$1
	bytes=$(wc -c <"$file")
	hash=$(whole "$file")
	shift
	for nranks in "$@"; do
		gather "$nranks" "$file"
		[ "$code" -eq 0 ] || fail "$bytes bytes, $nranks ranks: exit code $code"
		rank=0
		while [ "$rank" -lt "$nranks" ]; do
			grep -qx "rank $rank of $nranks: $bytes bytes, XXH3 $hash" out ||
				fail "$bytes bytes, $nranks ranks: rank $rank has not the file's hash $hash"
			rank=$((rank + 1))
		done
		[ "$(wc -l <out)" -eq "$nranks" ] || fail "$bytes bytes, $nranks ranks: more lines than ranks"
	done
}

# Known values of XXH3 with 64 bits, without a seed.
: >empty
printf abc >abc
[ "$(whole empty)" = 2d06800538d394c2 ] || { echo "the hash of nothing is $(whole empty)"; exit 1; }
[ "$(whole abc)" = 78af5f94892f3950 ] || { echo "the hash of abc is $(whole abc)"; exit 1; }

seq 1 300000 >numbers
for bytes in 0 1 2 3 4 5 1000003; do
	head -c "$bytes" numbers >"part$bytes"
	gathers "part$bytes" 1 2 4 5
done

refuses() { # NRANKS FILE SENTENCE
	gather "$1" "$2"
	[ "$code" -eq 1 ] || fail "$2: exit code $code, not 1"
	[ ! -s out ] || fail "$2: prints a result"
	grep -qF "gather_file: $3" err || fail "$2: does not say \"$3\""
}
refuses 3 missing "cannot open missing: No such file or directory"
refuses 3 . ". is a directory; give a regular file"
refuses 3 /dev/null "/dev/null is not a regular file; give a regular file"
mkfifo pipe
refuses 2 pipe "pipe is not a regular file"

# A file whose size is more than can be read from it is what a file looks like that shrinks meanwhile.
longer=/sys/kernel/mm/transparent_hugepage/enabled
if [ -r "$longer" ] && [ "$(stat -c %s "$longer")" -eq 4096 ]; then
	refuses 2 "$longer" "$longer ends at byte"
fi
refuses 2 /proc/cpuinfo "/proc/cpuinfo goes on behind its 0 bytes"

if [ "$(id -u)" != 0 ]; then
	cp abc secret
	chmod 000 secret
	refuses 2 secret "cannot open secret: Permission denied"
fi

# Ranks that see files of different sizes are told so, all of them.
head -c 4 numbers >differs0
head -c 5 numbers >differs1
code=0
"$TOTUM" run -n 2 --timeout 60s -- sh -c '"$0" differs$TOTUM_RANK' "$program" >out 2>err </dev/null || code=$?
[ "$code" -ne 0 ] || fail "files of 4 and of 5 bytes: exit code 0"
[ ! -s out ] || fail "files of 4 and of 5 bytes: prints a result"
grep -q "gather_file: .*rank" err || fail "files of 4 and of 5 bytes: names no rank"

code=0
"$program" >out 2>err || code=$?
[ "$code" -eq 2 ] && grep -q '^usage: ' err || fail "without a file: exit code $code"
