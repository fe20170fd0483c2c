/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pairwise - in round t every rank sends to the rank t+1 further on and receives from the one t+1
 * before.
 *
 * T = (N-1) (alpha + M/(N beta)), 1 port; M is what one rank receives, N blocks.
 * The least volume; no rank is ever the target of two.
 */
#include "algorithms/claims.h"
#include "algorithms/moves.h"

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t n = schedule->nranks;

	(void)values;
	for (int64_t distance = 1; distance < n; distance++)
		for (int64_t rank = 0; rank < n; rank++)
			tt_move(schedule, distance - 1, rank, (rank + distance) % n,
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
	return nranks - 1;
}

const struct tt_algorithm tt_alltoall_pairwise = {
	.summary = "each round one partner, one rank further on",
	.refuses = refuses,
	.build = build,
	.rounds = rounds,
	.volume = tt_volume_least,
	.ports = tt_ports_one,
};
