/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * neighbor_exchange - neighbours swap what they got last, with the left and the right one in turn.
 *
 *   0 <-[0] [1]-> 1      2 <-[2] [3]-> 3      4 <-[4] [5]-> 5        round 0
 *   1 <-[0 1] [2 3]-> 2  3 <-[2 3] [4 5]-> 4  5 <-[4 5] [0 1]-> 0    round 1
 *   0 <-[4 5] [2 3]-> 1  ..                                          round 2
 *
 * T = (N/2) alpha + (N-1) M/(N beta), 1 port, even N.
 * The volume of the ring in half of its rounds, still among neighbours only; from round 1 on a
 * message is an aligned pair of blocks.
 * Chen, Zhang, Zhang, Yuan, "Performance evaluation of allgather algorithms on terascale Linux
 * cluster with fast Ethernet", 2005.
 */
#include "algorithms/claims.h"
#include "algorithms/moves.h"

/*
 * Pair p (ranks 2p and 2p+1) sends what its two ranks got in the round before: in odd rounds
 * outward, the even rank to its left and the odd one to its right, else to each other.
 */
static void send_pair(struct tt_schedule *schedule, int64_t round, int64_t p)
{
	int64_t n = schedule->nranks, even = 2 * p, odd = 2 * p + 1;
	bool outward = round % 2;
	int64_t left = outward ? (even + n - 1) % n : odd;
	int64_t right = outward ? (odd + 1) % n : even;
	int64_t away =
		outward ? round / 2 * 2 : -(round / 2 * 2); /* from p's blocks to those sent */

	tt_move(schedule, round, even, left, (even + away + n) % n, 2);
	tt_move(schedule, round, odd, right, (even - away + n) % n, 2);
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	(void)values;
	if (schedule->nranks > 1)
		tt_exchange(schedule, 0, 1, 0);
	for (int64_t round = 1; round < schedule->nranks / 2; round++)
		for (int64_t p = 0; p < schedule->nranks / 2; p++)
			send_pair(schedule, round, p);
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	(void)values;
	if (nranks % 2 && nranks > 1)
		return "needs an even number of ranks";
	return tt_too_many_records(nranks * nranks / 2);
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks / 2;
}

const struct tt_algorithm tt_allgather_neighbor_exchange = {
	.summary = "neighbours swap what they got last, left and right in turn",
	.refuses = refuses,
	.build = build,
	.rounds = rounds,
	.volume = tt_volume_least,
	.ports = tt_ports_one,
};
