/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * distance_halving - recursive doubling in the opposite order: far first, while messages are small.
 *
 *   0 <-[0] [4]-> 4        1 <-[1] [5]-> 5        ..    round 0, N = 8
 *   0 <-[0 4] [2 6]-> 2    1 <-[1 5] [3 7]-> 3    ..    round 1
 *   0 <-[0 2 4 6] [1 3 5 7]-> 1                   ..    round 2
 *
 * T = q alpha + (N-1) M/(N beta), q = log2 N, 1 port.
 * Most bytes stay near, where links are short; the blocks of a message are not adjacent.  Its
 * reverse merges neighbours first and keeps the order of ranks, as an addition that is not
 * commutative needs.
 */
#include "algorithms/claims.h"

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t round = 0;

	(void)values;
	for (int64_t mask = schedule->nranks / 2; mask > 0; mask /= 2)
		tt_exchange(schedule, round++, mask, (schedule->nranks - 1) & ~(2 * mask - 1));
}

const struct tt_algorithm tt_allgather_distance_halving = {
	.summary = "pairs exchange all they have, far partners first",
	.refuses = tt_needs_power_of_two,
	.build = build,
	.rounds = tt_rounds_log2,
	.volume = tt_volume_least,
	.ports = tt_ports_one,
};
