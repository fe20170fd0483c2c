/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * direct - every rank sends every other one its block, all in one round.
 *
 * T = alpha + M/(N beta) with a link for each of the N-1 partners; N-1 ports.
 */
#include "algorithms/claims.h"
#include "algorithms/moves.h"

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks;

	(void)values;
	for (int64_t rank = 0; rank < n; rank++)
		for (int64_t distance = 1; distance < n; distance++)
			tt_move(schedule, 0, rank, (rank + distance) % n,
				rank * n + (rank + distance) % n, 1);
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	(void)values;
	return tt_too_many_records(nranks * nranks);
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks > 1;
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	return tt_blocks_of(rounds(nranks, values), 1);
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	(void)values;
	return nranks - 1;
}

const struct tt_algorithm tt_alltoall_direct = {
	.summary = "every rank sends every other one its block at once",
	.refuses = refuses,
	.build = build,
	.rounds = rounds,
	.volume = volume,
	.ports = ports,
};
