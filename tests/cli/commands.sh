#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The command itself: what it lists, how it is asked for help, and how it refuses.
set -u

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() { # TEXT
	echo "FAILED: $1"
	cat "$scratch/out" "$scratch/err"
	exit 1
}
totum() { # CODE ARGUMENT...
	want=$1
	shift
	timeout 20 "$TOTUM" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	code=$?
	[ $code -eq "$want" ] || fail "totum $*: exit code $code instead of $want"
}
# Refused: 2, nothing on stdout, and a sentence that holds the word.
refused() { # WORD ARGUMENT...
	word=$1
	shift
	totum 2 "$@"
	[ ! -s "$scratch/out" ] || fail "totum $*: there is output"
	grep -qF -e "$word" "$scratch/err" || fail "totum $*: does not say \"$word\""
	[ "$(grep -vc '^Try ' "$scratch/err")" -eq 1 ] || fail "totum $*: not one sentence"
}

totum 0
cp "$scratch/out" "$scratch/list"
for way in help --help; do
	totum 0 $way
	cmp -s "$scratch/out" "$scratch/list" || fail "totum $way differs from totum"
done
for file in "$SOURCE"/cli/commands/*.c; do
	command=$(basename "$file" .c)
	grep -qE "^  $command +[a-z]" "$scratch/list" || fail "$command is not listed with a summary"
	totum 0 "$command" --help
	grep -q "^Usage: totum $command" "$scratch/out" || fail "totum $command --help says no usage"
	cp "$scratch/out" "$scratch/help"
	totum 0 help "$command"
	cmp -s "$scratch/out" "$scratch/help" || fail "totum help $command differs from totum $command --help"
	refused "no-such-option" "$command" --no-such-option
done
totum 0 version
cp "$scratch/out" "$scratch/version"
grep -qE '^totum [0-9]+\.[0-9]+\.[0-9]+$' "$scratch/version" || fail "no version"
totum 0 --version
cmp -s "$scratch/out" "$scratch/version" || fail "totum --version differs from totum version"

refused "'run'" rnu
refused "'version'" versoin
refused "'version'" help vers
refused "lists them" frobnicate
refused "there is no command ''" ""
refused "there is no command" "$(head -c 5000 /dev/zero | tr '\0' x)"
refused "--frob" --frob
refused "both" help run both

if [ -w /dev/full ]; then
	timeout 20 "$TOTUM" help >/dev/full 2>"$scratch/err"
	[ $? -eq 1 ] || fail "a full disk goes unnoticed"
fi

# totum run
for n in 0 -1 abc 100000 4097 4x "" " 4" 1e2 99999999999999999999; do
	refused "-n" run -n "$n" -- true
	refused "$n" run -np "$n" -- true
	refused "4096" run "--np=$n" -- true
done
refused "-n" run -- true
refused "requires an argument -- 'n'" run -n
refused "which program" run -n 2
refused "which program" run -n 2 --
for time in 5 abc -1s "" "1 s" 1d nan inf 1e999s 0x1s; do
	refused "--timeout" run -n 1 "--timeout=$time" -- true
	refused "--grace" run -n 1 "--grace=$time" -- true
done
for time in 0 100000ms 100.5s 2e2s 1m 3h 1000000000us; do
	totum 0 run -n 1 "--timeout=$time" "--grace=$time" -- true
done
totum 0 run -np 2 echo -n x # what is behind the program is the program's
[ "$(cat "$scratch/out")" = xx ] || fail "the program has not got its arguments"
