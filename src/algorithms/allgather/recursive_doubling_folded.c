/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recursive_doubling_folded - recursive doubling for any N, by folding the ranks beyond a power of
 * two.
 *
 *   N = 2^k + e.   before:  rank 2^k+i sends its block to rank i, i < e
 *                  then:    ranks 0 .. 2^k-1 double, and take the blocks of the others along
 *                  after:   rank i sends rank 2^k+i the N-1 blocks that it lacks
 *
 * T = (k+2) alpha + W M/(N beta), W = 1 + sum over j < k of (2^j + min(2^j, e)) + N-1, 1 port; with
 * e = 0 it is recursive doubling.  About twice the least volume: Bruck is better unless pairs must
 * exchange.
 */
#include "algorithms/claims.h"
#include "algorithms/moves.h"

/* The largest power of two up to n. */
static int64_t core(int64_t n)
{
	int64_t power = 1;

	while (2 * power <= n)
		power *= 2;
	return power;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks, power = core(n), extra = n - power;
	int64_t round = extra > 0;

	(void)values;
	for (int64_t i = 0; i < extra; i++)
		tt_move(schedule, 0, power + i, i, power + i, 1);
	for (int64_t span = 1; span < power; span *= 2, round++)
		for (int64_t rank = 0; rank < power; rank++) {
			int64_t first = rank & ~(span - 1);

			tt_move(schedule, round, rank, rank ^ span, first, span);
			if (first < extra)
				tt_move(schedule, round, rank, rank ^ span, power + first,
					least(span, extra - first));
		}
	for (int64_t i = 0; i < extra; i++)
		tt_move(schedule, round, i, power + i, (power + i + 1) % n, n - 1);
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	return tt_too_many_records(2 * nranks * tt_rounds_log2(nranks, values));
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	return tt_rounds_log2(core(nranks), values) + (nranks > core(nranks) ? 2 : 0);
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	int64_t power = core(nranks), extra = nranks - power;
	int64_t sum = extra ? nranks : 0;

	(void)values;
	for (int64_t span = 1; span < power; span *= 2)
		sum += span + least(span, extra);
	return tt_blocks_of(sum, 1);
}

const struct tt_algorithm tt_allgather_recursive_doubling_folded = {
	.summary = "recursive doubling for any nranks: those beyond a power of two fold in",
	.refuses = refuses,
	.build = build,
	.rounds = rounds,
	.volume = volume,
	.ports = tt_ports_one,
};
