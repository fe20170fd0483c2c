/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * binomial - whoever has the buffer passes it on, so that twice as many have it after each round.
 *
 *   0 --> 1       0 --> 2, 1 --> 3       0 --> 4, 1 --> 5, 2 --> 6, 3 --> 7      0 is the root
 *
 * T = q (alpha + M/beta), q = ceil(log2 N), 1 port: the fewest rounds, for small buffers.
 */
#include "algorithms/claims.h"

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks, root = schedule->root, round = 0;

	(void)values;
	for (int64_t span = 1; span < n; span *= 2, round++)
		for (int64_t v = 0; v < span && v + span < n; v++)
			tt_move(schedule, round, (root + v) % n, (root + v + span) % n, 0, n);
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	return tt_blocks_of(nranks * tt_rounds_log2(nranks, values), 1);
}

const struct tt_algorithm tt_broadcast_binomial = {
	.summary = "whoever has the buffer passes it on: twice as many ranks each round",
	.build = build,
	.rounds = tt_rounds_log2,
	.volume = volume,
	.ports = tt_ports_one,
};
