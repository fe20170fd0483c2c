#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Where a rank may not read another's memory, for whatever reason and be it one rank alone, all
# ranks stage instead, and every size arrives.
set -u

. "$SOURCE/tests/cli/faulty"
program=$BUILD/bin/ranks_switches
skipped=
export TOTUM_SINGLE_COPY=on LEAST=2049 MOST=300001

# What the ranks have decided stands in the log of each, and they all agree.
agree() { # N DECISION
	[ $code -eq 0 ] || complain "exit code $code"
	got=$(grep -c "large messages of private memory: $2" "$scratch/err")
	[ "$got" -eq "$1" ] || complain "$got of $1 ranks say \"$2\""
}

# Without a plan: N ranks with variables of their own.
allowed() { # N DECISION ENV.. -- the program
	n=$1 decision=$2
	shift 2
	name="$n ranks, $*"
	"$TOTUM" run -n "$n" --timeout 100s -x TOTUM_DEBUG=info -- env "$@" "$program" \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	code=$?
	agree "$n" "$decision"
}

allowed 3 "one copy"
if [ $code -eq 0 ] && grep -q "memory: staged" "$scratch/err"; then
	echo "skipped: this system forbids processes to read each other's memory anyway"
	exit 77
fi

export TOTUM_DEBUG=info
for rank in "" @0 @2; do
	for error in EPERM ENOSYS; do
		faulty 3 "process_vm_readv$rank:errno=$error" "$program"
		agree 3 staged
	done
done
# The first look at one neighbour goes well, the second at the other does not.
faulty 3 "process_vm_readv@1:errno=EPERM,from=2" "$program"
agree 3 staged
# What is read is short of a word: that proves nothing, but what follows the first bytes does.
faulty 2 "process_vm_readv:cap=1,to=8" "$program"
agree 2 "one copy"
unset TOTUM_DEBUG

# The same said by the kernel itself.
allowed 3 staged FORBID=EPERM
if [ $code -eq 77 ]; then
	skipped="filters of system calls"
	failures=0
else
	allowed 3 staged FORBID=EPERM FORBID_RANK=1
	allowed 2 staged FORBID=ENOSYS FORBID_RANK=0
	# another call that a sandbox may refuse, and that all ranks use or none
	allowed 3 "one copy" FORBID=fence FORBID_RANK=1
	allowed 2 "one copy" FORBID=fence
fi
# A process that may not be looked into, be it by others of its user.
user=
if [ "$(id -u)" -eq 0 ]; then
	user="setpriv --reuid 65534 --regid 65534 --clear-groups"
	$user test -x "$program" -a -x "$TOTUM" 2>/dev/null || user=none
fi
if [ "$user" = none ]; then
	skipped="${skipped:+$skipped, }another user to run the tests"
else
	name="not to be looked into"
	# the leak sanitizer would have to look into the process
	# shellcheck disable=SC2086 # a list
	FORBID=dump FORBID_RANK=1 ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" \
		$user "$TOTUM" run -n 3 --timeout 100s -x TOTUM_DEBUG=info -- "$program" \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	code=$?
	agree 3 staged
fi

# The setting of one rank alone.
name="TOTUM_SINGLE_COPY=off on rank 1"
"$TOTUM" run -n 3 --timeout 100s -x TOTUM_DEBUG=info -- sh -c \
	'[ "$TOTUM_RANK" -ne 1 ] || export TOTUM_SINGLE_COPY=off; exec "$0"' "$program" \
	>"$scratch/out" 2>"$scratch/err"
code=$?
agree 3 staged
name="TOTUM_SINGLE_COPY=off on rank 1, where the others would measure"
TOTUM_SINGLE_COPY=auto "$TOTUM" run -n 2 --timeout 100s -x TOTUM_DEBUG=info -- sh -c \
	'[ "$TOTUM_RANK" -ne 1 ] || export TOTUM_SINGLE_COPY=off; exec "$0"' "$program" \
	>"$scratch/out" 2>"$scratch/err"
code=$?
agree 2 staged

# The permission is withdrawn in the middle of the work: all ranks say so, also when the launcher asks them to end because
# another one has ended, and none has wrong data.
name="withdrawn"
faulty 3 "process_vm_readv@1:errno=EPERM,from=9" sh -c 'trap "" TERM; exec "$0"' "$program"
[ $code -eq 1 ] || complain "exit code $code instead of 1"
grep -q "FAILED rank 1: .*TOTUM_ESYSTEM.*rank 1 cannot read .*SINGLE_COPY=off" "$scratch/err" ||
	complain "no sentence of rank 1"
grep "FAILED" "$scratch/err" | grep -qv TOTUM_ESYSTEM && complain "another failure"

[ $failures -eq 0 ] || exit 1
[ -z "$skipped" ] && exit 0
echo "skipped: this system does not allow $skipped; all else is well"
exit 77
