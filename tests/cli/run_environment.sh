#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a rank is given: who it is, the name and the secret of its job, variables; and nothing else.
. "$SOURCE/tests/cli/launching"

at "who it is"
export TOTUM_RANK=77 TOTUM_SIZE=78 TOTUM_ROOT=local:outer TOTUM_SECRET_FD=99
job 0 -n 3 -- sh -c 'echo $TOTUM_RANK $TOTUM_SIZE $TOTUM_LOCAL_RANK $TOTUM_LOCAL_SIZE'
[ "$(sort "$scratch/out")" = "0 3 0 3
1 3 1 3
2 3 2 3" ] || fail "wrong numbers"

at "the job"
job 0 -n 3 -- sh -c 'echo $TOTUM_ROOT $TOTUM_JOB_ID $(cat <&$TOTUM_SECRET_FD)'
[ "$(sort -u "$scratch/out" | wc -l)" -eq 1 ] || fail "the ranks do not agree"
read -r root id secret <"$scratch/out"
echo "$root" | grep -qE '^local:[0-9a-f]{32}$' || fail "the root is $root"
echo "$id" | grep -qE '^[0-9]+-[0-9a-f]{16}$' || fail "the id is $id"
echo "$secret" | grep -qE '^[0-9a-f]{64}$' || fail "the secret is $secret"
cp "$scratch/out" "$scratch/first"
job 0 -n 3 -- sh -c 'echo $TOTUM_ROOT $TOTUM_JOB_ID $(cat <&$TOTUM_SECRET_FD)'
for word in $(head -n 1 "$scratch/first"); do
	! grep -qF "$word" "$scratch/out" || fail "two jobs have $word"
done

at "the secret is in no list, and can be read again but not be written"
job 0 -n 2 -- sh -c 'fd=/proc/self/fd/$TOTUM_SECRET_FD
	secret=$(cat $fd); [ "$secret" = "$(cat $fd)" ] || exit 3
	cat $fd >"$1.$TOTUM_RANK"
	! grep -qaF -f "$1.$TOTUM_RANK" /proc/self/environ /proc/[0-9]*/cmdline || exit 4
	[ $(cat $fd | wc -c) -eq 64 ] || exit 5
	! (echo x >$fd) 2>/dev/null || exit 6
	! (echo x 1<>$fd) 2>/dev/null || exit 7
	exit 0' sh "$scratch/secret"
at "no other descriptors"
numbers() { # of open descriptors, but for that of the list itself
	sed -n 's/.* \([0-9]*\) -> \(.*\)/\1 \2/p' | grep -v '/proc/[0-9]*/fd$' | cut -d' ' -f1 | sort -n
}
ls -l /proc/self/fd | numbers >"$scratch/ours"
job 0 -n 2 --tag-output --bind-to core --report-bindings -- ls -l /proc/self/fd
[ "$(grep -c '^\[1\].*memfd:totum-secret' "$scratch/out")" -eq 1 ] || fail "the secret is not there once"
grep '^\[1\]' "$scratch/out" | grep -v memfd:totum-secret | numbers >"$scratch/theirs"
cmp -s "$scratch/ours" "$scratch/theirs" || fail "ours: $(cat "$scratch/ours") theirs: $(cat "$scratch/theirs")"
at "signals as the launcher's caller has them"
for what in SigBlk SigIgn; do
	job 0 -n 1 --tag-output -- grep $what /proc/self/status
	[ "$(cat "$scratch/out")" = "[0] $(grep $what /proc/self/status)" ] || fail "$what differs"
done
at "a group of its own"
job 0 -n 2 -- sh -c 'read -r pid comm state parent group rest </proc/self/stat; read -r self rest </proc/$$/stat; echo $group $self'
awk '$1 != $2 { exit 1 }' "$scratch/out" || fail "a rank does not lead its group"

at "-x"
export KNOWN=value
unset UNKNOWN
job 0 -n 2 -x ONE=1 -x TWO= -x THREE=a=b -x KNOWN -x HOME=/nowhere -- sh -c 'echo "$ONE|${TWO-unset}|$THREE|$KNOWN|$HOME"'
[ "$(sort -u "$scratch/out")" = "1||a=b|value|/nowhere" ] || fail "wrong variables"
job 2 -n 2 -x UNKNOWN -- true
holds "-x|UNKNOWN|set"
job 2 -n 2 -x =1 -- true
holds "-x|name"
job 2 -n 2 -x "" -- true
holds "-x|name"
for variable in TOTUM_RANK TOTUM_SIZE=3 TOTUM_LOCAL_RANK=0 TOTUM_ROOT=x TOTUM_SECRET_FD=3; do
	job 2 -n 2 -x $variable -- true
	holds "-x|${variable%%=*}"
done
