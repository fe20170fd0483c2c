/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ring - every rank passes on to its right neighbour what it got from the left one in the round
 * before.
 *
 *   0 --[0]--> 1 --[1]--> 2 --[2]--> 3 --[3]--> 0       round 0
 *   0 --[3]--> 1 --[0]--> 2 --[1]--> 3 --[2]--> 0       round 1
 *   0 --[2]--> 1 --[3]--> 2 --[0]--> 3 --[1]--> 0       round 2
 *
 * T = (N-1) alpha + (N-1) M/(N beta), 1 port.
 * The least volume for one port, and only neighbours talk: on a physical ring no link carries two
 * messages. Latency is its price: N-1 rounds.
 */
#include "algorithms/claims.h"

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	(void)values;
	tt_shift_repeat(schedule, 0, schedule->nranks - 1, +1, 0, 1, 1, 1);
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks - 1;
}

const struct tt_algorithm tt_allgather_ring = {
	.summary = "each rank passes on what it got last, always to the same neighbour",
	.build = build,
	.rounds = rounds,
	.volume = tt_volume_least,
	.ports = tt_ports_one,
};
