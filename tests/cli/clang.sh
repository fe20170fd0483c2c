#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the fuzzers are made of compiles with clang, whose warnings are others than gcc's: they are seldom built.
set -u

[ -z "$SANITIZE" ] || { echo "skipped: the same sources as in the optimised build"; exit 77; }
command -v clang-14 >/dev/null || { echo "skipped: clang-14 is not installed"; exit 77; }
commands=$BUILD/compile_commands.json
[ -s "$commands" ] || { echo "skipped: no $commands with the flags of each file"; exit 77; }

wrong=$(mktemp)
trap 'rm -f "$wrong"' EXIT
sed -n 's/^ *"command": "[^ ]* \(.*\)",$/\1/p' "$commands" | sed 's/\\\(.\)/\1/g' |
	grep -E -- "-c $SOURCE/(src|tests/fuzz)/[^ ]*\.c\$" |
	sed 's/.*/clang-14 -fsyntax-only & || exit 255/' | tr '\n' '\0' |
	xargs -0 -P 2 -n 1 sh -c >"$wrong" 2>&1 || { cat "$wrong"; exit 1; }
