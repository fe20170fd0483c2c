/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recursive_doubling - pairs exchange all they have, with partners twice as far away in each round.
 *
 *   0 <-[0] [1]-> 1              2 <-[2] [3]-> 3            round 0
 *   0 <-[0 1] [2 3]-> 2          1 <-[0 1] [2 3]-> 3        round 1
 *
 * T = q alpha + (N-1) M/(N beta), q = log2 N, 1 port.
 * The least latency and the least volume for one port, where N is a power of two and far messages
 * cost no more than near ones.  What is sent is always one aligned run of blocks.
 */
#include "algorithms/claims.h"

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t round = 0;

	(void)values;
	for (int64_t mask = 1; mask < schedule->nranks; mask *= 2)
		tt_exchange(schedule, round++, mask, mask - 1);
}

const struct tt_algorithm tt_allgather_recursive_doubling = {
	.summary = "pairs exchange all they have, each round twice as far apart",
	.refuses = tt_needs_power_of_two,
	.build = build,
	.rounds = tt_rounds_log2,
	.volume = tt_volume_least,
	.ports = tt_ports_one,
};
