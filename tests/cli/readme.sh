#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the documents name exists: the README's program, commands and files, links between documents, environment
# variables, and a manual entry for each public function.
set -eu

cd "$SOURCE"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
bad=0

wrong() {
	echo "$*"
	bad=1
}

documents=$(ls ./*.md docs/*.md bench/*.md)

# The first program, verbatim, and as short as promised.
awk '/^```c$/ { on = 1; next } /^```$/ { if (on) exit } on' README.md >"$scratch/first.c"
cmp -s "$scratch/first.c" examples/first.c ||
	wrong "the first C program of README.md differs from examples/first.c"
[ "$(wc -l <examples/first.c)" -lt 20 ] || wrong "examples/first.c has 20 lines or more"

# The code in documents, one piece a line: what stands in backquotes, and fenced lines.
awk '/^```/ { fenced = !fenced; next }
	fenced { print; next }
	{ n = split($0, part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' $documents |
	sed 's/^\$ //' >"$scratch/code"

# Commands: those that documents name exist, and those that exist are in the README's table.
sed -nE 's/^(.*bin\/)?totum ([a-z]+).*/\2/p' "$scratch/code" | sort -u >"$scratch/named"
"$TOTUM" help </dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z_]*\) .*/\1/p' | sort >"$scratch/commands"
[ -s "$scratch/named" ] && [ -s "$scratch/commands" ] || wrong "no command found in the documents or in totum help"
for name in $(comm -23 "$scratch/named" "$scratch/commands"); do
	wrong "documents name \"totum $name\", which does not exist"
done
for name in $(cat "$scratch/commands"); do
	grep -q "^| \`totum $name[ \`]" README.md || wrong "the table of README.md lacks \"totum $name\""
	"$TOTUM" "$name" --help >/dev/null 2>&1 </dev/null || wrong "\"totum $name --help\" fails"
done
for name in $(sed -nE 's/^\.\/([a-z]+).*/\1/p' "$scratch/code" | sort -u); do
	[ -x "$name" ] || wrong "documents name ./$name, which is not there or not executable"
done

# Paths: names with a slash in backquotes, and links.
for path in $(grep -xE '[a-z_]+/[a-zA-Z0-9_./-]*' "$scratch/code" | sort -u); do
	case $path in
	build/* | *NAME*) ;;
	*) [ -e "$path" ] || wrong "documents name $path, which is not there" ;;
	esac
done
for document in $documents; do
	for link in $(grep -oE '\]\([^)#:]+[)#]' "$document" | sed 's/^](//; s/.$//'); do
		[ -e "$(dirname "$document")/$link" ] || wrong "$document links to $link, which is not there"
	done
done

# Environment variables: those that the sources read are those that the documents explain.
grep -rhoE '"TOTUM_[A-Z_]+"' src cli --include='*.c' --include='*.h' | tr -d '"' | sort -u >"$scratch/read"
sed -n 's/^| `\(TOTUM_[A-Z_]*\)`.*/\1/p' docs/environment.md | sort -u >"$scratch/explained"
sed -n 's/^\.It Ev \(TOTUM_[A-Z_]*\).*/\1/p' man/totum.7 | sort -u >"$scratch/manual"
sed -n 's/^	\(TOTUM_[A-Z]*\) = .*/\1/p' include/totum.h | sort -u >"$scratch/statuses"
comm -23 "$scratch/read" "$scratch/statuses" >"$scratch/variables"
diff "$scratch/variables" "$scratch/explained" >"$scratch/diff" ||
	wrong "variables read (<) and explained in docs/environment.md (>): $(grep '^[<>]' "$scratch/diff" | tr '\n' ' ')"
diff "$scratch/explained" "$scratch/manual" >"$scratch/diff" ||
	wrong "variables in docs/environment.md (<) and man/totum.7 (>): $(grep '^[<>]' "$scratch/diff" | tr '\n' ' ')"

# Every status has its entry.
while read -r name; do
	grep -q "^| \`$name\`" docs/errors.md || wrong "docs/errors.md does not explain $name"
	grep -q "$name" man/libtotum.3 || wrong "libtotum(3) does not name $name"
done <"$scratch/statuses"

# Every public function is in a synopsis of section 3 with its prototype, blanks apart; "..." stands for any arguments.
grep -hv "^#" include/*.h | tr '\n\t' '  ' | grep -o 'TOTUM_API [^;]*;' | sed 's/TOTUM_API //; s/ //g' | sort >"$scratch/prototypes"
awk '
	/^\.Sh/ { on = /SYNOPSIS/ }
	!on { next }
	/^\.Ft/ { type = substr($0, 5) }
	/^\.F[no]/ { text = type $2 "("; comma = "" }
	/^\.(Fn|Fa)/ {
		n = split($0, part, "\"")
		for (i = 2; i <= n; i += 2) { text = text comma part[i]; comma = "," }
		if (n == 1) text = text $3
	}
	/^\.F[nc]/ { gsub(/ /, "", text); print text ");" }
' man/*.3 | sort >"$scratch/synopses"
for prototype in $(comm -23 "$scratch/prototypes" "$scratch/synopses"); do
	grep -qF "${prototype%%(*}(..." "$scratch/synopses" || wrong "no manual page of section 3 has $prototype"
done
for synopsis in $(comm -13 "$scratch/prototypes" "$scratch/synopses"); do
	grep -qF "${synopsis%%(*}(" "$scratch/prototypes" || wrong "no public header has $synopsis"
done

if command -v groff >/dev/null; then
	for page in man/*.[1-9]; do
		groff -mandoc -Tutf8 -ww "$page" 2>"$scratch/groff" >/dev/null || true
		[ ! -s "$scratch/groff" ] || wrong "$page is not clean: $(head -n 1 "$scratch/groff")"
	done
fi
exit $bad
