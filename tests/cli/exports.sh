#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shared library exports the functions of the public headers and nothing else, under its soname; the static one
# takes no name that a program could want for itself.
set -eu

library=$BUILD/libtotum.so
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

command -v nm >/dev/null && command -v readelf >/dev/null || { echo "skipped: no nm and readelf (binutils)"; exit 77; }

major=$(sed -n 's/^#define TOTUM_VERSION_MAJOR //p' "$SOURCE/include/totum.h")
soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = "libtotum.so.$major" ] || { echo "the soname is \"$soname\", not libtotum.so.$major"; exit 1; }

# Names as the headers declare them: the word before the parenthesis of what begins with TOTUM_API.
cat "$SOURCE"/include/*.h | tr '\n\t' '  ' | grep -o 'TOTUM_API [^;(]*(' |
	sed -n 's/.*[ *]\(totum_[a-z0-9_]*\)($/\1/p' | sort >declared
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >exported
[ "$(wc -l <declared)" -gt 10 ] || { echo "found only these declarations:"; cat declared; exit 1; }

comm -13 declared exported >extra
comm -23 declared exported >absent
# A sanitizer adds names of its own to every object.
nm -g --defined-only "$BUILD/libtotum.a" | awk 'NF == 3 { print $3 }' |
	grep -vE '^((totum|tt)_|__(odr_)?asan|__(ub|t)san|__gcov)' >foreign || true
bad=0
complain() { # FILE SENTENCE
	[ -s "$1" ] || return 0
	echo "$2:"
	cat "$1"
	bad=1
}
complain extra "exported but in no public header"
complain absent "in a public header but not exported"
complain foreign "global names of libtotum.a that begin neither with totum_ nor with tt_"
exit $bad
