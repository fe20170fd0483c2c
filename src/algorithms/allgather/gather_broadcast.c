/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather_broadcast - blocks flow up a binomial tree to rank 0, and from there down to everybody.
 *
 *   up:    1 --[1]--> 0     3 --[3]--> 2          down:  0 --[0 1]--> 2
 *          2 --[2 3]--> 0                                0 --[2 3 0]--> 1     2 --[0 1 2]--> 3
 *
 * Down the tree goes only what the receiver's branch does not have, so that each rank gets each
 * block once.
 * T = 2q alpha + W M/(N beta), q = ceil(log2 N), 1 port, W = (N-1) + sum over the q levels of N
 * minus the blocks of the smallest branch on that level.  With resend=1 all N blocks go down, as
 * textbooks have it:
 * W = (N-1) + qN, and no reverse.  For small messages on networks that favour trees.
 */
#include "algorithms/claims.h"

enum { RESEND };

/* The ranks, and so blocks, of the branch under v: those of v .. v+span-1 that exist. */
static int64_t branch(int64_t nranks, int64_t v, int64_t span)
{
	return v + span < nranks ? span : nranks - v;
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks, q = tt_log_ceil(2, n);

	for (int64_t level = 0; level < q; level++) {
		int64_t span = (int64_t)1 << level;

		for (int64_t v = span; v < n; v += 2 * span) {
			int64_t own = values[RESEND] ? 0 : branch(n, v, span);

			tt_move(schedule, level, v, v - span, v, branch(n, v, span));
			tt_move(schedule, 2 * q - 1 - level, v - span, v, (v + own) % n, n - own);
		}
	}
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	return 2 * tt_rounds_log2(nranks, values);
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	int64_t sum = nranks - 1;

	for (int64_t span = 1; span < nranks; span *= 2) {
		/* The highest odd multiple of span has the smallest branch. */
		int64_t last = (((nranks - 1) / span - 1) | 1) * span;

		sum += nranks - (values[RESEND] ? 0 : branch(nranks, last, span));
	}
	return tt_blocks_of(sum, 1);
}

static bool redundant(int64_t nranks, const int64_t *values)
{
	return nranks > 1 && values[RESEND];
}

const struct tt_algorithm tt_allgather_gather_broadcast = {
	.summary = "a binomial tree collects all blocks in rank 0 and spreads them again",
	.parameters = {{"resend", "1: send down the tree even what the receiver has", 0, 1, 0}},
	.build = build,
	.rounds = rounds,
	.volume = volume,
	.ports = tt_ports_one,
	.redundant = redundant,
};
