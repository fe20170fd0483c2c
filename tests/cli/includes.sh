#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tree includes only in the allowed directions, and tools/includes notices each kind of wrong include.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$SOURCE/tools/includes" "$SOURCE" || { echo "tools/includes finds wrong includes in the tree"; exit 1; }

# A tree of one header a folder, to plant in.
plant() { # FILE INCLUDE
	rm -rf "$scratch/tree"
	for folder in base schedule topology algorithms proof draw transport launch host runtime planner api; do
		mkdir -p "$scratch/tree/src/$folder"
		echo '#include "totum.h"' >"$scratch/tree/src/$folder/x.h"
	done
	mkdir -p "$scratch/tree/include" "$scratch/tree/cli" "$scratch/tree/examples" "$scratch/tree/src/novel"
	echo '#include <stddef.h>' >"$scratch/tree/include/totum.h"
	echo '#include "totum.h"' >"$scratch/tree/include/totum_patterns.h"
	echo '#include <totum.h>' >"$scratch/tree/cli/x.h"
	printf '/* one line before */\n%s\n' "$2" >"$scratch/tree/$1"
}
allowed() { # FILE INCLUDE
	plant "$1" "$2"
	"$SOURCE/tools/includes" "$scratch/tree" || { echo "refused $2 in $1"; exit 1; }
}
refused() { # FILE INCLUDE
	plant "$1" "$2"
	if said=$("$SOURCE/tools/includes" "$scratch/tree"); then
		echo "let pass $2 in $1"
		exit 1
	fi
	case $said in
	"$1:2: "*) ;;
	*) echo "for $2 in $1 it does not name the place but says: $said"; exit 1 ;;
	esac
}

allowed src/schedule/y.c '#include "base/x.h"'
allowed src/schedule/y.c '#include "x.h"'
allowed src/runtime/y.c '#include "planner/x.h"'
allowed src/api/y.c '#include "launch/x.h"'
allowed cli/y.c '#include "x.h"'
allowed cli/y.c '#include "totum_patterns.h"'
allowed examples/y.c '#include <totum.h>'

refused src/base/y.c '#include "schedule/x.h"'
refused src/base/y.c '#include "../api/x.h"'
refused src/base/y.h '#  include "host/x.h"'
refused src/base/y.c '#include <host/x.h>'
refused src/schedule/y.c '#include "algorithms/x.h"'
refused src/algorithms/y.c '#include "host/x.h"'
refused src/transport/y.c '#include "schedule/x.h"'
refused src/planner/y.c '#include "runtime/x.h"'
refused src/runtime/y.c '#include "totum_patterns.h"'
refused src/base/y.c '#include "base/missing.h"'
refused src/novel/y.c '#include "base/x.h"'
refused cli/y.c '#include "../src/base/x.h"'
refused cli/y.c '#include "base/x.h"'
refused examples/y.c '#include "../cli/x.h"'
