/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * circulant - the buffer goes out in n parts and the fewest rounds that one port allows.
 *
 * In every round each rank sends one part to one other, and algorithms/circulant.h says which and
 * to whom.
 * T = (n-1+q) (alpha + M/(n beta)), q = ceil(log2 N), 1 port; the best n is sqrt((q-1) M/(alpha
 * beta)). n = 1 is a binomial tree.
 */
#include "algorithms/circulant.h"
#include "algorithms/claims.h"
#include "algorithms/moves.h"

enum { PARTS };

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	return nranks > 1 ? values[PARTS] - 1 + tt_rounds_log2(nranks, values) : 0;
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks, parts = values[PARTS], root = schedule->root;
	struct tt_circulant plan;

	if (!tt_circulant_make(&plan, n))
		schedule->failed = TOTUM_EMEMORY;
	for (int64_t round = 0; !schedule->failed && round < rounds(n, values); round++) {
		int64_t i = round + tt_circulant_idle(&plan, parts), skip = plan.skip[i % plan.q];

		for (int64_t r = 0; r < n; r++) {
			int64_t part = tt_circulant_part(&plan, r, i, parts);

			if (part >= 0)
				tt_move_part(schedule, round, (root + r) % n, (root + r + skip) % n,
					     part, parts);
		}
	}
	tt_circulant_free(&plan);
}

static int pieces(int64_t nranks, const int64_t *values)
{
	return tt_part_pieces(nranks, values[PARTS]);
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	return tt_too_many_records(nranks * rounds(nranks, values));
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	return tt_blocks_of(rounds(nranks, values) * nranks, values[PARTS]);
}

const struct tt_algorithm tt_broadcast_circulant = {
	.summary = "the buffer in parts, each by its own tree, in the fewest rounds",
	.parameters = {{"parts", "parts that the buffer is cut in", 1, 4096, 8}},
	.refuses = refuses,
	.build = build,
	.pieces = pieces,
	.rounds = rounds,
	.volume = volume,
	.ports = tt_ports_one,
};
