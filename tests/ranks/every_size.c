/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * every_size - jobs of 1 to 33 ranks, all of them threads of this process: barriers that nobody
 * leaves before everybody has come, and gathers of a word.  ranks: 1
 */
#include "ranks/buffers.h"

#include <stdatomic.h>

enum { MOST = 33, ROUNDS = 25 };

struct job {
	totum_comm *comms[MOST];
	atomic_int came[ROUNDS]; /* how many ranks have come to the barrier of a round */
	int nranks;
};

struct member {
	struct job *job;
	struct harness_rank *self;
	int rank;
};

static void one_round(const struct member *member, int round)
{
	struct job *job = member->job;
	totum_comm *comm = job->comms[member->rank];
	uint64_t own = mix((uint64_t)round) + (uint64_t)member->rank, got[MOST];

	if ((member->rank + round) % 7 == 0)
		nap_us(50);
	atomic_fetch_add(&job->came[round], 1);
	ok(totum_barrier(comm));
	if (atomic_load(&job->came[round]) != job->nranks)
		fail("rank %d has left round %d, to which %d of %d have come", member->rank, round,
		     atomic_load(&job->came[round]), job->nranks);
	ok(totum_allgather(&own, got, 1, TOTUM_U64, comm));
	for (int r = 0; r < job->nranks; r++)
		if (got[r] != mix((uint64_t)round) + (uint64_t)r)
			fail("rank %d, round %d: the word of rank %d is wrong", member->rank, round,
			     r);
}

static void *live(void *argument)
{
	const struct member *member = argument;

	self = member->self;
	for (int round = 0; round < ROUNDS; round++)
		one_round(member, round);
	return NULL;
}

static void one_job(int nranks)
{
	struct job job = {.nranks = nranks};
	struct member members[MOST];
	pthread_t threads[MOST];

	step("every_size:n=%d", nranks);
	ok(totum_init_threads(nranks, job.comms));
	for (int r = 0; r < nranks; r++) {
		members[r] = (struct member){&job, self, r};
		if (pthread_create(&threads[r], NULL, live, &members[r]))
			fail("cannot start a thread");
	}
	for (int r = 0; r < nranks; r++)
		pthread_join(threads[r], NULL);
	for (int r = 0; r < nranks; r++)
		ok(totum_comm_free(job.comms[r]));
}

static void test(totum_comm *comm)
{
	(void)comm;
	for (int nranks = 1; nranks <= MOST; nranks++)
		one_job(nranks);
}
