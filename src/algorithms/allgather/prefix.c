/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * prefix - every rank has the L blocks up to its own; L grows to N by any steps that k ports allow.
 *
 *   1 = L_0 < L_1 < .. < L_s = N, L_(t+1) <= (k+1) L_t: in round t rank r sends runs of its blocks
 *   r, r-1, .. to k ranks, each as far away as it must be to append the run to what it has.
 *
 *   0 --[0]--> 1    0 --[0]--> 2       0 --[0 4]--> 3      N = 5, balanced lengths 1, 2, 3, 5
 *   0 --[0]--> 1    0 --[0 4]--> 2     0 --[0]--> 4        plain lengths 1, 2, 4, 5
 *
 * Plain lengths multiply by k+1 and leave the remainder to the last round, as Bruck does; balanced
 * ones divide N by k+1, rounding up, so that no message is much larger than N/(k+1).
 * T = s alpha + W M/(N beta), s = ceil(log_(k+1) N), k ports; W is the sum over rounds of the
 * growth divided by k, rounded up: N-1 for one port.
 * Balanced lengths are the skips of Traeff, "(Poly)logarithmic time construction of round-optimal
 * n-block broadcast schedules", 2022.
 */
#include "algorithms/claims.h"

enum { BALANCED, PORTS };

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	return tt_log_ceil(values[PORTS] + 1, nranks);
}

/* L_t. */
static int64_t length(int64_t nranks, const int64_t *values, int64_t t)
{
	int64_t factor = values[PORTS] + 1, plain = 1, balanced = nranks;

	for (int64_t i = 0; i < t && plain < nranks; i++)
		plain *= factor;
	for (int64_t i = rounds(nranks, values); i > t; i--)
		balanced = (balanced + factor - 1) / factor;
	return values[BALANCED] ? balanced : plain < nranks ? plain : nranks;
}

/* How many blocks a rank gets in round t. */
static int64_t growth(int64_t nranks, const int64_t *values, int64_t t)
{
	return length(nranks, values, t + 1) - length(nranks, values, t);
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks;

	for (int64_t t = 0; t < rounds(n, values); t++) {
		int64_t at = length(n, values, t), left = growth(n, values, t);

		for (int64_t ports = values[PORTS]; left > 0; ports--) {
			int64_t run = (left + ports - 1) / ports;

			tt_shift(schedule, t, at, 0, run, 1);
			at += run;
			left -= run;
		}
	}
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	int64_t sum = 0;

	for (int64_t t = 0; t < rounds(nranks, values); t++)
		sum += (growth(nranks, values, t) + values[PORTS] - 1) / values[PORTS];
	return tt_blocks_of(sum, 1);
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	int64_t most = 0;

	for (int64_t t = 0; t < rounds(nranks, values); t++)
		if (growth(nranks, values, t) > most)
			most = growth(nranks, values, t);
	return most < values[PORTS] ? most : values[PORTS];
}

const struct tt_algorithm tt_allgather_prefix = {
	.summary = "the blocks up to each rank's own grow by steps, near first, plain or balanced",
	.parameters = {{"balanced", "1: no small last message", 0, 1, 0},
		       {"ports", "messages that a rank sends at once", 1, 0, 1}},
	.build = build,
	.rounds = rounds,
	.volume = volume,
	.ports = ports,
};
