#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# totum run --share-memory: what the ranks are given, that they read each other's allocations, and what happens where they
# cannot.
[ -z "$SANITIZE" ] || { echo "skipped: a sanitizer has an allocator of its own"; exit 77; }
. "$SOURCE/tests/cli/launching"

for variable in LD_PRELOAD TOTUM_DEBUG TOTUM_SHARE_FROM TOTUM_SINGLE_COPY; do
	unset $variable
done
library=$BUILD/libtotum_share.so
program=$BUILD/bin/ranks_shared

# So many ranks say in their log what becomes of shared allocations.
decided() { # N DECISION
	got=$(grep -c "memory that an allocator shares: $2" "$scratch/err")
	[ "$got" -eq "$1" ] || fail "$got of $1 ranks say \"$2\""
}

at "the variable"
job 0 -n 2 --share-memory -- sh -c 'echo "$LD_PRELOAD"'
[ "$(sort -u "$scratch/out")" = "$library" ] || fail "LD_PRELOAD is wrong"
job 0 -n 2 -- sh -c 'echo "$LD_PRELOAD"'
[ -z "$(sort -u "$scratch/out")" ] || fail "LD_PRELOAD is set without the option"
for way in environment option; do
	[ $way = option ] || export LD_PRELOAD=libc.so.6
	job 0 -n 2 --share-memory $([ $way = environment ] || echo -x LD_PRELOAD=libc.so.6) -- sh -c 'echo "$LD_PRELOAD"'
	[ "$(sort -u "$scratch/out")" = "$library:libc.so.6" ] || fail "LD_PRELOAD is wrong, with one of the $way"
	unset LD_PRELOAD
done

at "ordinary programs"
job 0 -n 2 --share-memory -- sh -c 'head -c 3000000 /dev/zero | tr "\0" x | sort | wc -c | sort'
[ "$(sort -u "$scratch/out")" -eq 3000001 ] || fail "wrong count"

at "all ranks share"
export TOTUM_DEBUG=info
job 0 -n 3 --share-memory -- "$program"
decided 3 "one copy"
job 0 -n 3 --share-memory -x TOTUM_SINGLE_COPY=off -- "$program"
decided 3 "one copy"
job 0 -n 3 -- "$program"
decided 0 ""
at "one rank does not"
job 0 -n 3 --share-memory -- sh -c '[ "$TOTUM_RANK" -ne 1 ] || unset LD_PRELOAD; exec "$1"' sh "$BUILD/bin/ranks_memory"
decided 3 "one copy"
at "by hand"
job 0 -n 2 -- env LD_PRELOAD="$library" "$program"
decided 2 "one copy"
at "from another size on"
job 0 -n 2 --share-memory -x TOTUM_SHARE_FROM=8M -- "$program"
job 0 -n 2 --share-memory -x TOTUM_SHARE_FROM=4K -- "$program"

at "one rank cannot map the others' memory"
job 0 -n 3 --share-memory -x FORBIDDEN=1 -- sh -c '[ "$TOTUM_RANK" -ne 1 ] || ulimit -v 6000000; exec "$1"' sh "$program"
decided 3 "as of private memory"
holds "large allocations cannot be mapped: Cannot allocate memory"
at "neither that nor private memory"
job 0 -n 3 --share-memory -x FORBIDDEN=1 -x TOTUM_SINGLE_COPY=off -- \
	sh -c '[ "$TOTUM_RANK" -ne 2 ] || ulimit -v 6000000; exec "$1"' sh "$program"
decided 3 "as of private memory"
at "not enough addresses for an arena"
job 0 -n 2 --share-memory -x FORBIDDEN=1 -- sh -c 'ulimit -v 900000; exec "$1"' sh "$BUILD/bin/ranks_hello"
unset TOTUM_DEBUG

at "wrong sizes"
job 1 -n 1 --share-memory -x TOTUM_SHARE_FROM=many -- "$program"
holds "TOTUM_SHARE_FROM|many"
job 1 -n 1 --share-memory -x TOTUM_SHARE_FROM=100 -- "$program"
holds "TOTUM_SHARE_FROM|at least 4K"

at "no such library"
mkdir "$scratch/alone" "$scratch/a blank"
cp "$BUILD"/libtotum.so.? "$scratch/alone/"
cp "$BUILD"/libtotum.so.? "$library" "$scratch/a blank/"
export LD_LIBRARY_PATH="$scratch/alone"
job 125 -n 2 --share-memory -- true
said "--share-memory|libtotum_share.so is not in $scratch/alone"
export LD_LIBRARY_PATH="$scratch/a blank"
job 125 -n 2 --share-memory -- true
said "--share-memory|$scratch/a blank|has a blank"
unset LD_LIBRARY_PATH

at "the doctor"
job 0 -n 1 --share-memory -x TOTUM_SHARE_FROM=1M -- "$TOTUM" doctor
grep -q "^  ok  *shared malloc  *on: other ranks read allocations of 1.0M" "$scratch/out" || fail "it does not say on"
job 0 -n 1 -- "$TOTUM" doctor
grep -q "^  ok  *shared malloc  *off; .totum run --share-memory. turns it on" "$scratch/out" || fail "it does not say off"
(
	ulimit -v 2000000
	LD_PRELOAD=$library "$TOTUM" doctor >"$scratch/out"
)
grep -q "^  note  *shared malloc  *on, but the system gives it no memory" "$scratch/out" || fail "it does not say why not"
