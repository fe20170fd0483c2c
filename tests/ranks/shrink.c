/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shrink - a rank aborts, several die: the survivors find each other and go on.  ranks: 1 3 5
 * shared: 3
 *
 * Killing a rank would end the launcher's job, so a rank that dies here frees its communicator
 * without a word, which is a death to the others.
 */
#include "ranks/buffers.h"

static void gather(totum_comm *comm, int round)
{
	int n = totum_comm_nranks(comm), mine[2] = {totum_comm_rank(comm), round},
	    all[2 * HARNESS_RANKS];

	ok(totum_allgather(mine, all, 2, TOTUM_I32, comm));
	for (int r = 0; r < n; r++)
		if (all[2 * r] != r || all[2 * r + 1] != round)
			fail("rank %d brought %d in round %d, not round %d", r, all[2 * r],
			     all[2 * r + 1], round);
}

/* All live: the abort is everybody's, and the new communicator has them all. */
static void after_abort(totum_comm *world)
{
	totum_comm *comm, *next;

	ok(totum_comm_dup(world, &comm));
	refused(totum_comm_shrink(comm, &next), TOTUM_EUSAGE);
	ok(totum_barrier(comm));
	if (totum_comm_rank(comm) == totum_comm_nranks(comm) - 1)
		ok(totum_comm_abort(comm));
	totum_status status = TOTUM_OK;
	while (!status)
		status = totum_barrier(comm);
	says_rank(refused(status, TOTUM_EABORTED), totum_comm_nranks(comm) - 1);
	ok(totum_comm_shrink(comm, &next));
	if (totum_comm_nranks(next) != totum_comm_nranks(world) ||
	    totum_comm_rank(next) != totum_comm_rank(world))
		fail("%d of %d became %d of %d", totum_comm_rank(world), totum_comm_nranks(world),
		     totum_comm_rank(next), totum_comm_nranks(next));
	gather(next, 7);
	ok(totum_comm_free(next));
	ok(totum_comm_free(comm));
}

/* Rank 1, then in the new communicator the last rank, leave without a word. */
static void after_deaths(totum_comm *world)
{
	totum_comm *comm, *next;

	ok(totum_comm_dup(world, &comm));
	for (int deaths = 0; deaths < 2; deaths++) {
		int n = totum_comm_nranks(comm), victim = deaths ? n - 1 : 1;
		if (totum_comm_rank(comm) == victim) {
			nap_us(2000);
			break;
		}
		totum_status status = TOTUM_OK;
		for (int round = 0; !status; round++)
			status = totum_barrier(comm);
		if (!says_rank(refused(status, TOTUM_ELOST), victim))
			fail("\"%s\" does not name rank %d", totum_errmsg(), victim);
		ok(totum_comm_shrink(comm, &next));
		ok(totum_comm_free(comm));
		comm = next;
		if (totum_comm_nranks(comm) != n - 1)
			fail("%d of %d survive", totum_comm_nranks(comm), n);
		for (int round = 0; round < 100; round++)
			gather(comm, round);
	}
	ok(totum_comm_free(comm));
}

static void test(totum_comm *comm)
{
	if (step("abort"))
		after_abort(comm);
	if (totum_comm_nranks(comm) >= 3 && step("deaths"))
		after_deaths(comm);
	ok(totum_barrier(comm));
}
