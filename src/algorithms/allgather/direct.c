/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * direct - every rank sends its block to every other one, in a single round.
 *
 * T = alpha + M/(N beta) with a link for each of the N-1 partners; N-1 ports.
 * Ranks with fewer links send r+1, r+2, .. in turn, so that no receiver is everybody's first.
 */
#include "algorithms/claims.h"

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	(void)values;
	for (int64_t distance = 1; distance < schedule->nranks; distance++)
		tt_shift(schedule, 0, distance, 0, 1, 1);
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks > 1;
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	(void)values;
	return tt_blocks_of(nranks > 1, 1);
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks - 1;
}

const struct tt_algorithm tt_allgather_direct = {
	.summary = "each rank sends its block to every other one at once",
	.build = build,
	.rounds = rounds,
	.volume = volume,
	.ports = ports,
};
