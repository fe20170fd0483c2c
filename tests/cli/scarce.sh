#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Too little shared memory, descriptors, file size or address space: where there is another way it
# is taken, else every rank says in one sentence what is wanted; nobody dies by SIGBUS or waits.
set -u

. "$SOURCE/tests/cli/faulty"
hello=$BUILD/bin/ranks_hello
program=$BUILD/bin/ranks_scarce
skipped=
full=errno=ENOSPC

# Without memfd all goes on in /dev/shm.
for error in ENOSYS EPERM EACCES; do
	survives 4 "memfd_create:errno=$error" "$program"
done
MOST=131073 survives 3 "memfd_create:errno=ENOSYS" "$BUILD/bin/ranks_switches"
unset MOST

# No shared memory at all.
refused "Too many open files|ulimit -n" 16 "memfd_create@0:errno=EMFILE" "$hello"
refused "roll|Too many open files|ulimit -n" 3 "memfd_create@0:errno=EMFILE,from=2,to=2" "$hello"
refused "rank 1|map|ulimit -v" 3 "mmap@1:errno=ENOMEM,least=300000,to=1" "$hello"
refused "No space left|/dev/shm" 3 "memfd_create:errno=ENOSYS; shm_open@0:$full" "$hello"
refused "cannot size|No space left" 16 "ftruncate@0:$full" "$hello"
refused "too small|are free|--shm-size" 16 "posix_fallocate@0:$full" "$hello"
refused "cannot reserve|Input/output" 2 "posix_fallocate@0:errno=EIO" "$hello"

# Where memory must be reserved, a communicator, an allocation or a window can fail by itself.
shm="memfd_create:errno=ENOSYS; posix_fallocate"
export REFUSED=split
survives 3 "$shm@1:$full,from=2,to=2" "$program"
# More often than there can be communicators.
TIMES=4200 survives 3 "mmap@1:errno=ENOMEM,least=1000000,from=2,to=4201" "$program"
unset TIMES
export REFUSED=split,alloc,window REFUSED_RANK=0
survives 3 "$shm@0:$full,from=4,to=6" "$program"
unset REFUSED_RANK
REFUSED=alloc,window
survives 3 "$shm:$full,least=60000000" "$program"
export REFUSED=alloc,window REFUSED_RANK=1
survives 3 "mmap@1:errno=ENOMEM,least=1000000000" "$program"

# A limit that one rank has set for itself.
name="TOTUM_MEMORY_LIMIT on rank 0"
REFUSED=alloc,window REFUSED_RANK=0 "$TOTUM" run -n 3 --timeout 100s -- sh -c \
	'[ "$TOTUM_RANK" -ne 0 ] || export TOTUM_MEMORY_LIMIT=1M; exec "$0"' "$program" \
	>"$scratch/out" 2>"$scratch/err" </dev/null || complain "exit code $?"
unset REFUSED REFUSED_RANK

# Descriptors run out: on rank 0, which has a connection a rank, and on another one.
refused "open files|ulimit -n" 16 "accept4@0:errno=EMFILE,from=9" "$hello"
refused "rank 2|local socket|Too many open files|ulimit -n" 3 "socket@2:errno=EMFILE" "$hello"

# Limits as a shell sets them.
limited() { # LIMIT VALUE WORDS N
	name="ulimit $1 $2, $4 ranks"
	(
		ulimit "$1" "$2"
		exec "$TOTUM" run -n "$4" --timeout 100s -- "$hello"
	) >"$scratch/out" 2>"$scratch/err" </dev/null
	code=$?
	[ $code -eq 1 ] || complain "exit code $code instead of 1"
	grep -q "$3" "$scratch/err" || complain "does not say \"$3\""
}
limited -f 64 "ulimit -f unlimited" 16
# the address sanitizer needs more addresses than there are
[ -n "$SANITIZE" ] || limited -v 30000 "Cannot allocate memory" 16

# A file system of one megabyte for shared memory, as in a small container.
small='mount -t tmpfs -o size=1m none /dev/shm && exec "$@"'
if unshare -m sh -c "$small" sh true 2>/dev/null; then
	export LD_PRELOAD="$BUILD/bin/totum_faults.so" FAULTS="memfd_create:errno=ENOSYS"
	name="/dev/shm of 1 MB"
	ASAN_OPTIONS="verify_asan_link_order=0:$ASAN_OPTIONS" unshare -m sh -c "$small" sh \
		"$TOTUM" run -n 16 --timeout 100s -- "$hello" \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	code=$?
	unset LD_PRELOAD FAULTS
	[ $code -eq 1 ] || complain "exit code $code instead of 1"
	grep -q "memory is too small.*--shm-size" "$scratch/err" || complain "does not say so"
	name="/dev/shm of 1 MB, which is not needed"
	unshare -m sh -c "$small" sh "$TOTUM" run -n 4 --timeout 100s -- "$program" \
		>"$scratch/out" 2>"$scratch/err" </dev/null || complain "exit code $?"
else
	skipped="a file system to be mounted"
fi

[ $failures -eq 0 ] || exit 1
[ -z "$skipped" ] && exit 0
echo "skipped: this system does not allow $skipped; all else is well"
exit 77
