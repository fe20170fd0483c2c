/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bidirectional_ring - two rings at once, one each way round; a block meets itself on the far side.
 *
 *   3 <--[0]-- 0 --[0]--> 1        round 0: every rank sends its own block both ways
 *   3 <-[1b]-- 0 -[3a]--> 1        round 1, N = 4: both ways lead to one rank, each with a half
 *
 * T = K alpha + (N-1) M/(2 N beta) with K = floor(N/2), 2 ports; the least for a ring whose links
 * work in both directions, in latency and in volume.
 * With an even N the last block of each rank can come from both sides.  It comes in halves; with
 * whole=1 it comes from the left only, and the other direction idles: ceil((N-1)/2) blocks of
 * volume instead of (N-1)/2.
 */
#include "algorithms/claims.h"

enum { WHOLE };

/* Two ranks are each other's left and right: one exchange over one link, nothing to halve. */
static bool halved(int64_t nranks, const int64_t *values)
{
	return nranks % 2 == 0 && nranks > 2 && !values[WHOLE];
}

static int pieces(int64_t nranks, const int64_t *values)
{
	return halved(nranks, values) ? 2 : 1;
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks;
	int64_t both = (n - 1) / 2; /* rounds in which both directions bring a block of their own */

	tt_shift_repeat(schedule, 0, both, +1, 0, +1, 1, 1);
	tt_shift_repeat(schedule, 0, both, -1, 0, -1, 1, 1);
	if (n % 2)
		return;
	struct tt_record *right = tt_shift(schedule, both, +1, both, 1, 1);

	if (!halved(n, values))
		return;
	right->npieces = 1;
	struct tt_record *left = tt_shift(schedule, both, -1, -both, 1, 1);

	left->piece = 1;
	left->npieces = 1;
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks / 2;
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	return halved(nranks, values) ? tt_blocks_of(nranks - 1, 2) : tt_blocks_of(nranks / 2, 1);
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks > 2 ? 2 : nranks - 1;
}

const struct tt_algorithm tt_allgather_bidirectional_ring = {
	.summary = "two rings at once, one each way round, each bringing half of the blocks",
	.parameters = {{"whole", "1: do not halve the last block of an even nranks", 0, 1, 0}},
	.build = build,
	.pieces = pieces,
	.rounds = rounds,
	.volume = volume,
	.ports = ports,
};
