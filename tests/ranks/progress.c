/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * progress - requests end while their rank sleeps, when a thread was asked for.  ranks: 2 3
 *
 * Every rank begins a large all-gather and a message and sleeps without calling the library;
 * afterwards one test must find each done.  A wait of its own gives the threads all the time that a
 * loaded machine may need.
 */
#include "ranks/buffers.h"

enum { COUNT = 300000, PATIENCE_MS = 20000 };

static void test(totum_comm *world)
{
	int n = totum_comm_nranks(world), rank = totum_comm_rank(world), right = (rank + 1) % n,
	    left = (rank + n - 1) % n;
	int32_t *send = malloc(COUNT * sizeof *send),
		*all = malloc((size_t)n * COUNT * sizeof *all);
	int32_t *in = malloc(COUNT * sizeof *in);
	totum_comm *comm;

	ok(totum_comm_dup(world, &comm));
	refused(totum_comm_configure(comm, "progress=magic"), TOTUM_EINVAL);
	ok(totum_comm_configure(comm, "progress=thread:timeout=60s"));
	for (int round = 0; round < 10; round++) {
		totum_request *requests[3];
		if (!step("round %d", round))
			continue;
		for (int i = 0; i < COUNT; i++)
			send[i] = rank * 1000003 + i + round;
		memset(all, POISON, (size_t)n * COUNT * sizeof *all);
		ok(totum_iallgather(send, all, COUNT, TOTUM_I32, comm, &requests[0]));
		ok(totum_isend(send, COUNT, TOTUM_I32, right, round, comm, &requests[1]));
		ok(totum_irecv(in, COUNT, TOTUM_I32, left, round, comm, NULL, &requests[2]));
#ifdef __SANITIZE_THREAD__
		/* looking at a buffer that a thread writes is a race: what this test does */
		nap_us(300000);
#else
		/* the results appear by themselves: nothing is called */
		volatile int32_t *last = &all[(size_t)left * COUNT + COUNT - 1],
				 *end = &in[COUNT - 1];
		int32_t wanted = left * 1000003 + COUNT - 1 + round;
		for (int ms = 0; ms < PATIENCE_MS && (*last != wanted || *end != wanted); ms++)
			nap_us(1000);
		if (*last != wanted || *end != wanted)
			fail("nothing goes on while the rank sleeps: %d and %d, not %d", *last,
			     *end, wanted);
#endif
		for (int i = 0; i < 3; i++)
			ok(totum_wait(requests[i]));
		for (int r = 0; r < n; r++)
			for (int i = 0; i < COUNT; i++)
				if (all[(size_t)r * COUNT + (size_t)i] != r * 1000003 + i + round)
					fail("element %d of rank %d is wrong", i, r);
	}
	ok(totum_comm_free(comm));
	free(send);
	free(all);
	free(in);
}
