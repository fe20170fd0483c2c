/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bruck - a block that has to go o ranks further on takes the digits of o as its steps, all blocks
 * together.
 *
 *   round k: every rank sends j*R^k ranks on what it has of the blocks whose o has digit j there.
 *
 * T = w alpha + W M/(N beta), w = ceil(log_R N), R-1 ports; W is the sum over the digits of how
 * many o below N have a 1 there, about w N/R.  M is what one rank receives, N blocks.
 * Few messages for small blocks: each block travels up to w times.
 * Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications", 1997.
 */
#include "algorithms/claims.h"
#include "algorithms/moves.h"

enum { RADIX };

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * The blocks at `rank` that go `step` ranks on, a multiple of span: their offsets are a + step +
 * m*period, a < span.
 */
static void send(struct tt_schedule *schedule, int64_t round, int64_t rank, int64_t step,
		 int64_t span, int64_t period)
{
	int64_t n = schedule->nranks;

	for (int64_t offset = step; offset < n; offset += period) {
		/*
		 * They came from ranks rank-a and go to one rank: one run, a row of the block
		 * matrix apart.
		 */
		struct tt_record *move =
			tt_move(schedule, round, rank, (rank + step) % n,
				rank * n + (rank + offset) % n, least(span, n - offset));

		move->move.stride = -n;
	}
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks, radix = values[RADIX], round = 0;

	for (int64_t span = 1; span < n; span *= radix, round++)
		for (int64_t step = span; step < least(n, span * radix); step += span)
			for (int64_t rank = 0; rank < n; rank++)
				send(schedule, round, rank, step, span, span * radix);
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	(void)values;
	return tt_too_many_records(nranks * nranks);
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	return tt_log_ceil(values[RADIX], nranks);
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	int64_t sum = 0;

	for (int64_t span = 1; span < nranks; span *= values[RADIX]) {
		int64_t period = span * values[RADIX], rest = nranks % period - span;

		sum += nranks / period * span + (rest < 0 ? 0 : least(rest, span));
	}
	return tt_blocks_of(sum, 1);
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	return least(values[RADIX], nranks) - 1;
}

const struct tt_algorithm tt_alltoall_bruck = {
	.summary = "blocks travel by the digits of their distance, all together, in few messages",
	.parameters = {{"radix", "base of the digits; radix-1 ports", 2, 0, 2}},
	.refuses = refuses,
	.build = build,
	.rounds = rounds,
	.volume = volume,
	.ports = ports,
};
