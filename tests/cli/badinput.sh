#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Wrong variables: one sentence that says which and what is accepted, a failure, no output, no crash, no hang.
set -u

program=$BUILD/bin/ranks_hello
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

complain() { # TEXT
	echo "FAILED: $1"
	cat "$scratch/out" "$scratch/err"
	failures=$((failures + 1))
}

# The program must fail with one line that holds every word (a | between words).
refused() { # WORDS VARIABLE=VALUE...
	words=$1
	shift
	env "$@" timeout 20 "$program" >"$scratch/out" 2>"$scratch/err" </dev/null
	code=$?
	[ $code -eq 1 ] || complain "$*: exit code $code instead of 1"
	[ ! -s "$scratch/out" ] || complain "$*: there is output"
	[ "$(wc -l <"$scratch/err")" -eq 1 ] || complain "$*: not one line"
	while [ -n "$words" ]; do
		word=${words%%|*}
		grep -qF -e "$word" "$scratch/err" || complain "$*: does not say \"$word\""
		[ "$word" = "$words" ] && break
		words=${words#*|}
	done
}

accepted() { # VARIABLE=VALUE...
	env "$@" timeout 20 "$program" >"$scratch/out" 2>"$scratch/err" </dev/null ||
		complain "$*: refused"
}

for variable in $(env | sed -n 's/^\(TOTUM_[A-Z_]*\)=.*/\1/p'); do
	unset "$variable"
done
unset RANK WORLD_SIZE PMI_RANK OMPI_COMM_WORLD_RANK SLURM_PROCID

accepted TOTUM_TIMEOUT=30s
accepted TOTUM_TIMEOUT=1.5m TOTUM_WAIT=sleep TOTUM_DEBUG=off TOTUM_ALGO=auto TOTUM_LAUNCHER=none
for value in "" abc -1s 0 30 4k 1s1 "3s " " 3s" 1e99h nan inf 0x10s 99999999999999999999s; do
	refused "TOTUM_TIMEOUT" "TOTUM_TIMEOUT=$value"
done
for value in "" sometimes SPIN "spin " 1; do
	refused "TOTUM_WAIT|spin|sleep" "TOTUM_WAIT=$value"
done
refused "TOTUM_DEBUG|info" TOTUM_DEBUG=loud
refused "TOTUM_LAUNCHER|torchrun" TOTUM_LAUNCHER=mpi
refused "rings|ring" TOTUM_ALGO=rings
refused "bruck|radix" TOTUM_ALGO=bruck,radix=0
refused "bruck|base" TOTUM_ALGO=bruck,base=2
refused "TOTUM_ALGO" "TOTUM_ALGO=$(head -c 5000 /dev/zero | tr '\0' x)"

refused "TOTUM_TIMEUOT|TOTUM_TIMEOUT" TOTUM_TIMEUOT=3s
refused "TOTUM_ALGORITHM|TOTUM_ALGO" TOTUM_ALGORITHM=ring
refused "TOTUM_" TOTUM_=1
refused "TOTUM_X" "TOTUM_X$(head -c 5000 /dev/zero | tr '\0' y)=1"

refused "TOTUM_SIZE" TOTUM_RANK=0 TOTUM_SIZE=0 TOTUM_ROOT=local:bad
refused "TOTUM_RANK|TOTUM_SIZE" TOTUM_RANK=2 TOTUM_SIZE=2 TOTUM_ROOT=local:bad
refused "TOTUM_SIZE" TOTUM_RANK=0 TOTUM_ROOT=local:bad
refused "TOTUM_RANK" TOTUM_SIZE=2 TOTUM_ROOT=local:bad
refused "TOTUM_ROOT" TOTUM_RANK=0 TOTUM_SIZE=2
for value in -1 "" x 1.5 18446744073709551616 "1 " 0x1; do
	refused "TOTUM_RANK" "TOTUM_RANK=$value" TOTUM_SIZE=3 TOTUM_ROOT=local:bad
	refused "TOTUM_SIZE" "TOTUM_SIZE=$value" TOTUM_RANK=0 TOTUM_ROOT=local:bad
done
refused "TOTUM_ROOT|local:" TOTUM_RANK=0 TOTUM_SIZE=2 TOTUM_ROOT=nowhere:bad
refused "TOTUM_SECRET_FD" TOTUM_RANK=0 TOTUM_SIZE=1 TOTUM_ROOT=local:bad TOTUM_SECRET_FD=77
refused "OMPI_COMM_WORLD_SIZE" OMPI_COMM_WORLD_RANK=0 PMIX_NAMESPACE=1
refused "PMI_FD" PMI_RANK=0 PMI_SIZE=2
refused "WORLD_SIZE" RANK=0 MASTER_ADDR=127.0.0.1 MASTER_PORT=1
refused "MASTER_ADDR" RANK=0 WORLD_SIZE=2
refused "PMI_RANK" TOTUM_LAUNCHER=pmi

# A variable on one rank alone is a mismatch that every rank reports, never a hang.
"$TOTUM" run -n 3 --timeout 30s -- sh -c \
	'[ "$TOTUM_RANK" = 1 ] && export TOTUM_ALGO=ring; exec "$0"' "$program" >"$scratch/out" 2>"$scratch/err"
code=$?
[ $code -eq 1 ] || complain "TOTUM_ALGO on one rank: exit code $code instead of 1"
grep -q "TOTUM_ALGO.*ring.*rank 1" "$scratch/err" || complain "TOTUM_ALGO on one rank: not found"

# One that concerns the rank alone is its own affair.
for setting in TOTUM_WAIT=sleep TOTUM_WAIT=spin TOTUM_TIMEOUT=20s TOTUM_MEMORY_LIMIT=1G \
	TOTUM_SINGLE_COPY=off; do
	"$TOTUM" run -n 3 --timeout 30s -- sh -c \
		'[ "$TOTUM_RANK" = 1 ] && export "$1"; exec "$0"' "$program" "$setting" \
		>"$scratch/out" 2>"$scratch/err" || complain "$setting on one rank: refused"
done

[ $failures -eq 0 ]
