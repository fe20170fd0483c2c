/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hello - the least that a launcher must make possible, also for tests/cli/launchers.sh: every rank
 * gathers all numbers and says "rank R of N" once.  ranks: 1 4
 */
#include "ranks/harness.h"

static void test(totum_comm *comm)
{
	int rank = totum_comm_rank(comm), nranks = totum_comm_nranks(comm), got[HARNESS_RANKS];

	if (nranks > HARNESS_RANKS)
		fail("more than %d ranks", HARNESS_RANKS);
	for (int i = 0; i < 100; i++) {
		int own = rank + i;

		ok(totum_allgather(&own, got, 1, TOTUM_I32, comm));
		for (int r = 0; r < nranks; r++)
			if (got[r] != r + i)
				fail("place %d holds %d", r, got[r] - i);
	}
	printf("rank %d of %d\n", rank, nranks);
	fflush(stdout);
}
