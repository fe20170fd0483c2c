/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pat - parallel aggregated trees: Sparbit's far rounds, then tree by tree with A blocks a message.
 *
 * Block r goes to rank r+s along the bits of s, highest first: rank r+s gets it from r+s-low(s),
 * low(s) being the lowest bit of s.  The trees of all blocks run in parallel, shifted.  With D =
 * 2^q/A the rounds are
 *   d = 2^(q-1) .. D   as in Sparbit; then every rank has the blocks at offsets 0, D, 2D ..
 *   s in 1 .. D-1      in depth-first order, larger bits first: the blocks at offsets s-low(s) + jD
 *                      go on by low(s)
 * Rounds in which there is no block, because N is no power of two, are left out.
 *
 * T = (log2 A + min(D, N) - 1) alpha + (N-1) M/(N beta), q = ceil(log2 N), 1 port.
 * A = 2^(q-1) is Sparbit.  A = 1 has N-1 rounds like a ring, but only q partners, and blocks on
 * their way wait in q places at most: the choice for many ranks and little buffer.
 * Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale", 2025.
 */
#include "algorithms/claims.h"

enum { AGGREGATE };

static int64_t spread(int64_t nranks, const int64_t *values)
{
	return ((int64_t)1 << tt_log_ceil(2, nranks)) / values[AGGREGATE];
}

static void send(struct tt_schedule *schedule, int64_t *round, int64_t distance, int64_t offset,
		 int64_t stride)
{
	int64_t left = schedule->nranks - distance - offset;

	if (left > 0)
		tt_shift(schedule, (*round)++, distance, offset, (left + stride - 1) / stride,
			 left > stride ? stride : 1);
}

/* The subtree below offset s, whose children add the bits below `bit`. */
static void descend(struct tt_schedule *schedule, int64_t *round, int64_t s, int64_t bit,
		    int64_t stride)
{
	for (bit /= 2; bit > 0; bit /= 2) {
		send(schedule, round, bit, s, stride);
		descend(schedule, round, s + bit, bit, stride);
	}
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t stride = spread(schedule->nranks, values), round = 0;

	for (int64_t d = stride * values[AGGREGATE] / 2; d >= stride; d /= 2)
		send(schedule, &round, d, 0, 2 * d);
	descend(schedule, &round, 0, stride, stride);
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	if (tt_is_power(2, values[AGGREGATE]) &&
	    (values[AGGREGATE] == 1 || values[AGGREGATE] < nranks))
		return NULL;
	return "needs an aggregate that is a power of two below nranks";
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	int64_t trees = spread(nranks, values);

	return tt_log_ceil(2, values[AGGREGATE]) + (trees < nranks ? trees : nranks) - 1;
}

const struct tt_algorithm tt_allgather_pat = {
	.summary = "parallel trees over few partners, with at most `aggregate` blocks in a message",
	.parameters = {{"aggregate", "most blocks of a message, a power of two", 1, 0, 1}},
	.refuses = refuses,
	.build = build,
	.rounds = rounds,
	.volume = tt_volume_least,
	.ports = tt_ports_one,
};
