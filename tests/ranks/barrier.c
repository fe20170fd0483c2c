/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * barrier - nobody leaves before everybody has come.  ranks: 1 2 3 4 5 6 7 8 9
 *
 * The clock is one for the host: each rank notes when it came and when it left, after a nap of its
 * own, and all notes are gathered.
 */
#include "ranks/buffers.h"

enum { ROUNDS = 60 };

struct visit {
	uint64_t came, left;
};

static void check_visits(const struct visit *visits, int nranks)
{
	for (int late = 0; late < nranks; late++)
		for (int early = 0; early < nranks; early++)
			if (visits[early].left < visits[late].came)
				fail("rank %d left %llu ns before rank %d came", early,
				     (unsigned long long)(visits[late].came - visits[early].left),
				     late);
}

static void test(totum_comm *comm)
{
	int rank = totum_comm_rank(comm), nranks = totum_comm_nranks(comm);
	uint64_t random = seed() + (uint64_t)rank;
	struct visit visits[HARNESS_RANKS];

	for (int i = 0; i < ROUNDS; i++) {
		step("barrier:n=%d:round=%d", nranks, i);
		if (below(&random, 3) == 0)
			nap_us((long)below(&random, 2000));
		struct visit own = {.came = now_ns()};

		ok(totum_barrier(comm));
		own.left = now_ns();
		ok(totum_allgather(&own, visits, sizeof own, TOTUM_U8, comm));
		check_visits(visits, nranks);
	}
	step("barrier:n=%d:many", nranks);
	for (int i = 0; i < 2000; i++)
		ok(totum_barrier(comm));
}
