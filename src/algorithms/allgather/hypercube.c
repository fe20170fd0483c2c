/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hypercube - recursive doubling in all dimensions at once, each with its own part of every block.
 *
 *   blocks are cut in q parts; in round k part j is exchanged along dimension (j+k) mod q:
 *
 *   0 <-[0a] [1a]-> 1        0 <-[0b] [2b]-> 2            round 0, N = 4
 *   0 <-[0a 1a] [2a 3a]-> 2  0 <-[0b 2b] [1b 3b]-> 1      round 1
 *
 * T = q alpha + (N-1)/q M/(N beta), q = log2 N, q ports: all links of a hypercube are always busy.
 */
#include "algorithms/claims.h"

static int pieces(int64_t nranks, const int64_t *values)
{
	return nranks > 1 ? (int)tt_rounds_log2(nranks, values) : 1;
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t q = tt_rounds_log2(schedule->nranks, values);

	for (int64_t part = 0; part < q; part++) {
		int64_t done = 0;

		for (int64_t round = 0; round < q; round++) {
			int64_t mask = (int64_t)1 << (part + round) % q;
			struct tt_record *exchange = tt_exchange(schedule, round, mask, done);

			exchange->piece = (int32_t)part;
			exchange->npieces = 1;
			done |= mask;
		}
	}
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	return tt_blocks_of(nranks - 1, pieces(nranks, values));
}

const struct tt_algorithm tt_allgather_hypercube = {
	.summary = "pairs exchange along every dimension at once, a part of each block on each",
	.refuses = tt_needs_power_of_two,
	.build = build,
	.pieces = pieces,
	.rounds = tt_rounds_log2,
	.volume = volume,
	.ports = tt_rounds_log2,
};
