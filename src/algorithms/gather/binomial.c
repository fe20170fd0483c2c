/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * binomial - blocks flow up a tree to the root, each rank waiting for its branch before it sends.
 *
 *   1 --[1]--> 0     3 --[3]--> 2         round 0, counted from the root
 *   2 --[2 3]--> 0                        round 1
 *
 * T = q alpha + (N-1) M/(N beta), q = ceil(log2 N), 1 port: the least of both.  Scatter is its
 * reverse.
 */
#include "algorithms/claims.h"

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks, root = schedule->root, round = 0;

	(void)values;
	for (int64_t span = 1; span < n; span *= 2, round++)
		for (int64_t v = span; v < n; v += 2 * span)
			tt_move(schedule, round, (root + v) % n, (root + v - span) % n,
				(root + v) % n, v + span < n ? span : n - v);
}

const struct tt_algorithm tt_gather_binomial = {
	.summary = "blocks flow up a binomial tree to the root",
	.build = build,
	.rounds = tt_rounds_log2,
	.volume = tt_volume_least,
	.ports = tt_ports_one,
};
