/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * direct - every rank sends its block straight to the root, in one round.
 *
 * T = alpha + M/(N beta) with N-1 ports at the root; through one port its (N-1) M/(N beta) and one
 * alpha. Each block crosses the network once, and nobody but the root waits.
 */
#include "algorithms/claims.h"

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks, root = schedule->root;

	(void)values;
	for (int64_t v = 1; v < n; v++)
		tt_move(schedule, 0, (root + v) % n, root, (root + v) % n, 1);
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks > 1;
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	return tt_blocks_of(rounds(nranks, values), 1);
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks - 1;
}

const struct tt_algorithm tt_gather_direct = {
	.summary = "every rank sends its block straight to the root",
	.build = build,
	.rounds = rounds,
	.volume = volume,
	.ports = ports,
};
