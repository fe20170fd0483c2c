#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each public header stands alone, may be included twice, and compiles without a warning as C90 and as C++17; the version
# it states is the version of the library.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

compile() { # COMPILER ARGUMENT...
	"$@" -Wall -Wextra -Wshadow -Wundef -pedantic -Werror "-I$SOURCE/include" -c -o unit.o
}

for header in "$SOURCE"/include/*.h; do
	name=${header##*/}
	printf '#include <%s>\n#include <%s>\nint user(void);\nint user(void) { return 0; }\n' "$name" "$name" >unit.c
	cp unit.c unit.cpp
	compile "$CC" -std=c90 -Wstrict-prototypes unit.c || { echo "$name is no clean C90"; exit 1; }
	compile "$CC" -std=c17 unit.c || { echo "$name is no clean C17"; exit 1; }
	if command -v c++ >/dev/null; then
		compile c++ -std=c++17 unit.cpp || { echo "$name is no clean C++17"; exit 1; }
	fi
done

# A C++ program links, which it does not when the header forgets extern "C".
cat >version.c <<'END'
#include <stdio.h>
#include <string.h>
#include <totum.h>

int main(void)
{
	char stated[64];

	sprintf(stated, "%d.%d.%d", TOTUM_VERSION_MAJOR, TOTUM_VERSION_MINOR, TOTUM_VERSION_PATCH);
	if (strcmp(stated, totum_version()) == 0)
		return 0;
	printf("totum.h states %s, the library %s\n", stated, totum_version());
	return 1;
}
END
set -- "-I$SOURCE/include" "-L$BUILD" "-Wl,-rpath,$BUILD" ${SANITIZE:+"-fsanitize=$SANITIZE"}
"$CC" version.c "$@" -ltotum -o version
./version
command -v c++ >/dev/null || { echo "skipped: no C++ compiler for the C++17 half (the C half passes)"; exit 77; }
c++ -x c++ version.c -x none "$@" -ltotum -o version
./version
