/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bruck - every rank collects the blocks that follow its own, twice as many each round, for any N.
 *
 *   rank r has blocks r .. r+d-1, sends them, or as many as are missing, to r-d, and gets the next.
 *
 *   0 --[0]--> 4        1 --[1]--> 0      ..    round 0, N = 5
 *   0 --[0 1]--> 3      1 --[1 2]--> 4    ..    round 1
 *   0 --[0]--> 1        1 --[1]--> 2      ..    round 2: one block is missing
 *
 * With a radix R, to R-1 partners d, 2d, .. away at once, and d grows R-fold:
 * T = ceil(log_R N) alpha + W M/(N beta), W = sum of min(d, N-d) over d = 1, R, R^2 .. < N, R-1
 * ports; for R = 2 W is N-1.  Blocks go straight to their place in the result, so that a message is
 * at most two runs of it and no rotation is needed at the end.
 * Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications", 1997.
 */
#include "algorithms/claims.h"

enum { RADIX };

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks, round = 0;

	for (int64_t d = 1; d < n; d *= values[RADIX], round++)
		for (int64_t j = 1; j < values[RADIX] && j * d < n; j++)
			tt_shift(schedule, round, -j * d, 0, least(d, n - j * d), -1);
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	return tt_log_ceil(values[RADIX], nranks);
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	int64_t sum = 0;

	for (int64_t d = 1; d < nranks; d *= values[RADIX])
		sum += least(d, nranks - d);
	return tt_blocks_of(sum, 1);
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	return least(values[RADIX], nranks) - 1;
}

const struct tt_algorithm tt_allgather_bruck = {
	.summary = "each rank collects the blocks after its own, twice as many each round",
	.parameters = {{"radix", "growth of the blocks in a round; radix-1 ports", 2, 0, 2}},
	.build = build,
	.rounds = rounds,
	.volume = volume,
	.ports = ports,
};
