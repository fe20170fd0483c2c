#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Adding an algorithm is one new file: a copy of the tree is built, a file is dropped into a folder, and after
# nothing but another build the algorithm is listed, shown, proved, derived from, priced, run, and tested.
set -eu

[ -z "$SANITIZE" ] || { echo "skipped: it makes an optimised build of its own"; exit 77; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() { # TEXT
	echo "FAILED: $1"
	[ ! -s out ] || cat out
	exit 1
}

build() {
	cmake --build build --parallel 2 --target totum_command example_first unit_algorithms >out 2>&1 || fail "the copy does not build"
}

# The rest of the arguments must succeed and print a line that matches.
prints() { # PATTERN COMMAND...
	pattern=$1
	shift
	"$@" >out 2>&1 || fail "$* ends with $?"
	grep -q -e "$pattern" out || fail "$* prints no line that matches \"$pattern\""
}

mkdir tree
(cd "$SOURCE" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C tree
cmake -S tree -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON >out 2>&1 || fail "the copy cannot be configured"
build
totum=$scratch/build/bin/totum
"$totum" show star_of_zero -n 5 >out 2>&1 && fail "star_of_zero is there before it is written"

cat >tree/src/algorithms/allgather/star_of_zero.c <<'END'
/* star_of_zero - rank 0 gets all blocks and sends everybody what is missing. */
#include "algorithms/claims.h"

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks;

	(void)values;
	for (int64_t rank = 1; rank < n; rank++) {
		tt_move(schedule, 0, rank, 0, rank, 1);
		tt_move(schedule, 1, 0, rank, (rank + 1) % n, n - 1);
	}
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks > 1 ? 2 : 0;
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	(void)values;
	return tt_blocks_of(nranks > 1 ? nranks : 0, 1);
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks - 1;
}

const struct tt_algorithm tt_allgather_star_of_zero = {
	.summary = "rank 0 gets all blocks and sends everybody what is missing",
	.build = build,
	.rounds = rounds,
	.volume = volume,
	.ports = ports,
};
END
build

prints '^allgather by star_of_zero, 5 ranks' "$totum" show star_of_zero -n 5
prints '^2 rounds, volume 5 blocks, 4 ports, verified' "$totum" show star_of_zero -n 5
prints 'which is what the algorithm claims' "$totum" verify allgather:n=7:algo=star_of_zero
prints '^reduce_scatter by star_of_zero, 7 ranks: right' "$totum" verify reduce_scatter:n=7:algo=star_of_zero
prints '^allreduce by star_of_zero, 7 ranks: right' "$totum" verify allreduce:n=7:algo=star_of_zero
prints ' star_of_zero ' "$totum" plan allgather:n=6:bytes=64K
prints '^rank 2 of 3: the last square is 4' env TOTUM_ALGO=star_of_zero "$totum" run -n 3 -- build/bin/first
if "$totum" help | grep -q '^  bench '; then
	prints 'star_of_zero' "$totum" bench allgather -n 3 -e 64K --iters 3 --algorithm star_of_zero
fi

# The tests know it too, though none names it: a false claim is found.
sed -i 's/nranks > 1 ? 2 : 0;/nranks > 1 ? 2 : 1;/' tree/src/algorithms/allgather/star_of_zero.c
build
if build/bin/unit_algorithms >out 2>&1; then
	fail "a false claim of a new algorithm passes the tests"
fi
grep -q 'allgather:n=1:algo=star_of_zero claims 1 rounds and has 0' out || fail "the false claim is not what the tests found"
