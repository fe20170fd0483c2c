#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The models of docs/protocol.md: spin finds no error in any of them, and finds the one that each mutation makes.
set -u

command -v spin >/dev/null || { echo "spin is not installed, so the protocols are not checked"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

# As the code has them, but for an eighth of the slots, since all would take too long: the proportions decide.
cat >places.c <<'END'
#include <stdio.h>
#include "host/area.h"
int main(void)
{
	printf("-DSLOTS=%d -DLEAD=%d -DSTAGES=%d -DSTAGE_LEAD=%d\n", TT_BEATS / 8, (TT_LEAD + 7) / 8, TT_STAGES, TT_STAGE_LEAD);
	return 0;
}
END
"$CC" -std=c11 -I"$SOURCE/src" -I"$SOURCE/include" -o places places.c || exit 1
places=$(./places)

# Leaves spin's verdict in the file out.
check() { # MODEL HOW DEFINES...
	model=$1
	how=$2
	shift 2
	case $how in
	safety) compile="-DSAFETY -DNOFAIR" search="" ;;
	race) compile="-DSAFETY -DNOFAIR" search="-E" ;; # assertions only: not the deadlock that would be found first
	ends) compile="" search="-a -f" ;;              # every fair run comes to what the model promises
	esac
	rm -f pan*
	# shellcheck disable=SC2086 # lists of options
	spin -a "$@" "$SOURCE/tests/model/$model.pml" >out 2>&1 && "$CC" -O1 -w $compile -o pan pan.c >>out 2>&1 &&
		./pan -m5000000 $search >out 2>&1
}

fail() { # TEXT
	echo "FAILED: $1"
	cat out
	failures=$((failures + 1))
}

right() { # MODEL HOW DEFINES...
	check "$@"
	grep -q 'errors: 0$' out && ! grep -q 'not completed\|too small' out || fail "$* has an error, or was not searched whole"
}

wrong() { # ERROR MODEL HOW DEFINES...
	error=$1
	shift
	check "$@"
	grep -q "^pan:1: $error" out || fail "$* should end in: $error"
}

# shellcheck disable=SC2086 # a list of options
right slots safety $places
right slots safety -DN=3
right source safety
right source safety -DN=3 -DCALLS=2
right sleep safety
right sleep safety -DN=3 -DBEATS=1
right sleep safety -DFULL
right sleep safety -DFULL -DN=3 -DBEATS=2
right sleep ends -DFAILS -DTIMED
right bell safety
right bell safety -DFAILS
right bell safety -DN=3 -DCHAIN=1
right bell safety -DN=3 -DUNITS=1 -DROOM=1 -DFAILS
right leave safety

wrong "assertion violated" slots race -DLEAD=3
wrong "assertion violated" slots race -DSLOTS=5 -DLEAD=3
wrong "assertion violated" slots race -DSTAGE_LEAD=2
wrong "assertion violated" slots race -DNO_SETTLE
wrong "assertion violated" slots race -DGREEDY
wrong "assertion violated" slots race -DEARLY
wrong "assertion violated" source safety -DNO_EXIT
wrong "assertion violated" source safety -DHASTY
wrong "invalid end state" sleep safety -DNO_FENCE
wrong "invalid end state" sleep safety -DFENCE_FIRST
wrong "invalid end state" sleep safety -DLOOK_FIRST
wrong "invalid end state" sleep safety -DLOOK_FIRST -DFULL
wrong "invalid end state" sleep safety -DNO_COMPARE
wrong "invalid end state" sleep safety -DFAILS
wrong "acceptance cycle" sleep ends -DFAILS -DTIMED -DDEAF
wrong "invalid end state" bell safety -DLOOK_FIRST
wrong "invalid end state" bell safety -DSEEN_LATE
wrong "invalid end state" bell safety -DMUTE
wrong "assertion violated" leave safety -DASK_LATE

[ $failures -eq 0 ] || { echo "$failures of the checks failed"; exit 1; }
