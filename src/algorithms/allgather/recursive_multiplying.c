/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recursive_multiplying - groups of R ranks exchange all they have, each round R times as far
 * apart.
 *
 *   R = 3, N = 9:  {0 1 2} {3 4 5} {6 7 8}     round 0: each sends its block to both others
 *                  {0 3 6} {1 4 7} {2 5 8}     round 1: each sends the three blocks it has
 *
 * T = w alpha + (N-1)/(R-1) M/(N beta), N = R^w, R-1 ports.  Recursive doubling is R = 2, direct is
 * R = N.
 */
#include "algorithms/claims.h"
#include "algorithms/moves.h"

enum { RADIX };

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks, radix = values[RADIX], round = 0;

	for (int64_t span = 1; span < n; span *= radix, round++)
		for (int64_t rank = 0; rank < n; rank++) {
			int64_t digit = rank / span % radix;

			for (int64_t j = 1; j < radix; j++)
				tt_move(schedule, round, rank,
					rank + ((digit + j) % radix - digit) * span,
					rank / span * span, span);
		}
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	return tt_log_ceil(values[RADIX], nranks);
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	if (!tt_is_power(values[RADIX], nranks))
		return "needs a number of ranks that is a power of its radix";
	return tt_too_many_records(nranks * (values[RADIX] - 1) * rounds(nranks, values));
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	return tt_blocks_of(nranks - 1, values[RADIX] - 1);
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	return nranks > 1 ? values[RADIX] - 1 : 0;
}

const struct tt_algorithm tt_allgather_recursive_multiplying = {
	.summary = "groups exchange all they have, each round radix times as far apart",
	.parameters = {{"radix", "ranks of a group; radix-1 ports", 2, 0, 2}},
	.refuses = refuses,
	.build = build,
	.rounds = rounds,
	.volume = volume,
	.ports = ports,
};
