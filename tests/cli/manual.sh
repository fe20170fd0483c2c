#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The manual is complete and has nothing else: commands and their options, variables, functions and
# constants, each compared both ways with what the command says and the headers declare.
set -u

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
man=$SOURCE/man
failures=0

fail() { # TEXT
	echo "FAILED: $1"
	failures=$((failures + 1))
}

# Two sorted lists of names are equal.
same() { # LIST LIST ONLY-IN-FIRST ONLY-IN-SECOND
	for name in $(comm -23 "$1" "$2"); do fail "$name $3"; done
	for name in $(comm -13 "$1" "$2"); do fail "$name $4"; done
}

# --- commands -------------------------------------------------------------------------------------
"$TOTUM" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | sort >commands
[ "$(wc -l <commands)" -gt 5 ] || fail "totum help lists no commands"
for page in "$man"/totum-*.1; do basename "$page" .1; done | sed 's/^totum-//' | sort >pages
grep -vx 'help\|version' commands >with_page
same with_page pages "is a command without a page" "is a page without a command"
sed -n 's/^\.Xr totum-\([a-z]*\) 1.*/\1/p' "$man/totum.1" | sort -u >linked
same with_page linked "is not in SEE ALSO of totum(1)" "is in SEE ALSO of totum(1), and no command"
for name in help version; do
	grep -q "Cm $name" "$man/totum.1" || fail "totum(1) does not know of totum $name"
done
sed -n 's/^| `totum \([a-z]*\).*/\1/p' "$SOURCE/README.md" | sort -u >in_readme
same commands in_readme "is not in the table of the README" "is in the table of the README, and no command"

# Commands that texts speak of.
{
	grep -hoE '`totum [a-z]+' "$SOURCE"/docs/*.md "$SOURCE/README.md" "$SOURCE/CONTRIBUTING.md"
	sed -n -E 's/^\.(Dl|Ic|Nm) (.* )?totum ([a-z]+).*/totum \3/p' "$man"/*.[137]
	grep -hoE '\.Xr totum-[a-z]+ 1' "$man"/*.[137] | sed 's/-/ /; s/ 1$//'
} | sed 's/.*totum //' | sort -u >spoken_of
comm -13 commands spoken_of | while read -r name; do echo "$name"; done >unknown
[ ! -s unknown ] || fail "texts speak of commands that there are not: $(tr '\n' ' ' <unknown)"

# --- options ---------------------------------------------------------------------------------------
accepts() { # COMMAND OPTION
	timeout 20 "$TOTUM" "$1" "$2" </dev/null 2>&1 | grep -q 'unrecognized option\|invalid option' && return 1
	return 0
}
while read -r command; do
	"$TOTUM" "$command" --help | sed -n 's/^  *\(-.*\)/\1/p' | sed 's/   .*//' |
		grep -oE '(^|[ ,])--?[A-Za-z][A-Za-z_-]*' | tr -d ' ,' |
		grep -vxE -- '--help|--usage|--version|-V' | sort -u >offered
	grep -oE '\<Fl -?[A-Za-z][A-Za-z_-]*' "$man/totum-$command.1" | sed 's/^Fl /-/' | sort -u >documented
	for option in $(comm -23 offered documented); do
		fail "totum $command $option is not in its page"
	done
	for option in $(comm -13 offered documented); do # aliases are not offered
		accepts "$command" "$option" || fail "totum-$command(1) has $option, which it does not take"
	done
done <with_page

# --- variables ---------------------------------------------------------------------------------------
"$TOTUM" info | sed -n 's/^\(TOTUM_[A-Z_]*\) .*/\1/p' | sort >variables
sed -n 's/^\.It Ev \(TOTUM_[A-Z_]*\).*/\1/p' "$man/totum.7" | sort >documented
same variables documented "is not in totum(7)" "is in totum(7), and no variable"
sed -n 's/^| `\(TOTUM_[A-Z_]*\)`.*/\1/p' "$SOURCE/docs/environment.md" | sort >documented
same variables documented "is not in docs/environment.md" "is in docs/environment.md, and no variable"

# --- functions ---------------------------------------------------------------------------------------
cat "$SOURCE"/include/*.h | tr '\n\t' '  ' | grep -oE 'TOTUM_API (const )?[a-z_]+ +\**totum_[a-z0-9_]+\(' |
	sed 's/.*[ *]\(totum_[a-z0-9_]*\)($/\1/' | sort -u >functions
grep -hoE '"totum_[a-z0-9_]+"' "$SOURCE"/include/*.h | tr -d '"' >named # by a program, not by us
sort -u functions named >callable
[ "$(wc -l <functions)" -gt 100 ] || fail "the headers declare too few functions"
sed -n 's/^\.F[no] \(totum_[a-z0-9_]*\).*/\1/p' "$man"/*.3 | sort -u >documented
same callable documented "is declared, and in no manual page" "is in a manual page, and not declared"

# Each function, and each constant, that texts speak of is there.
grep -hoE '\<(totum|TOTUM)_[A-Za-z0-9_]+' "$SOURCE"/include/*.h | sort -u >names
sort -u names variables >known
cat "$SOURCE"/docs/*.md "$SOURCE/README.md" "$SOURCE/CONTRIBUTING.md" "$man"/*.[137] |
	sed '/^\.Dt/d; s/libtotum_[a-z]*//g; s/totum::totum_static//g' |
	grep -oE '\<(totum|TOTUM)_[A-Za-z0-9_]+' | sed 's/_$//' | sort -u >spoken_of
for name in $(comm -13 known spoken_of); do
	grep -q "^$name" known || fail "texts speak of $name, which there is not"
done

# --- constants ---------------------------------------------------------------------------------------
grep -hoE '^	TOTUM_[A-Z0-9_]+|typedef enum [a-z_]+ \{ .*|^#define TOTUM_[A-Z0-9_]+ ' "$SOURCE"/include/*.h |
	grep -oE 'TOTUM_[A-Z0-9_]+' | grep -vx TOTUM_API | sort -u >constants
[ "$(wc -l <constants)" -gt 40 ] || fail "the headers have too few constants"
for name in $(cat constants); do # "TOTUM_I8 , I16 , I32": the first of a list has the prefix
	grep -hE '^\.(Dv|It Dv)' "$man"/*.3 | grep -qE "[ _]${name#TOTUM_}( |$)" ||
		fail "$name is in no manual page"
done

# --- form --------------------------------------------------------------------------------------------
if command -v mandoc >/dev/null; then
	mandoc -Tlint -W warning "$man"/*.[137] >out || fail "mandoc complains: $(cat out)"
fi
if command -v groff >/dev/null; then
	for page in "$man"/*.[137]; do
		groff -mandoc -Tutf8 -ww -z "$page" >out 2>&1
		[ ! -s out ] || fail "groff complains of $page: $(head -n 3 out)"
	done
fi

[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
