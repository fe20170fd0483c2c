#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tests/README.md: every test that it names exists, every fault has one or says why not, and the numbers ascend.
. "$SOURCE/tests/cli/scratch"

# From here, so that the log of the ctest that runs this is left alone.
echo "subdirs(\"$BUILD\")" >CTestTestfile.cmake
ctest -N >list || exit 1
sed -n 's/^ *Test *#[0-9]*: //p' list >tests
[ -s tests ] || fail "ctest lists no tests"
grep '^| B[0-9]' "$SOURCE/tests/README.md" >rows
[ "$(wc -l <rows)" -gt 40 ] || fail "the table of faults is not found"

# Not every build has what needs OpenSSL or UCX; the source is there.
exists() { # NAME: of one test, or of a program's with any number of ranks
	grep -q "^$1\(\.n[0-9]*\)\{0,1\}$" tests && return
	case $1 in
	unit.*_tcp | transport.tcp* | transport.ucx*) [ -e "$SOURCE/tests/$(echo "${1%.chaos}" | tr . /).c" ] ;;
	*) false ;;
	esac
}
for name in $(grep -o '`[^`]*`' rows | tr -d '`' | sort -u); do
	exists "$name" || fail "tests/README.md names $name, which is no test"
done
while IFS='|' read -r _ fault found _; do
	case $found in
	*'`'* | ' none: '*) ;;
	*) fail "nothing finds$fault" ;;
	esac
done <rows
sed 's/^| B\([0-9]*\) .*/\1/' rows >numbers
sort -nuc numbers 2>err || fail "numbers do not ascend"
exit $failures
