/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * crowd - four threads of every rank call on one communicator at once: each call is refused, or it
 * is a whole call whose data are not mixed with another's; four communicators serve them freely.
 *
 * ranks: 2 3
 *
 * On the one communicator a thread that is refused tries again, so that all ranks make as many
 * calls.  Which threads of two ranks meet is left to chance; therefore every contribution proves
 * itself, and in the end what was received of a rank adds up to what it sent.
 */
#include "ranks/buffers.h"

#include <stdatomic.h>

enum { THREADS = 4, CALLS = 250, OWN_CALLS = 1000, WORDS = 9 };

struct worker {
	totum_comm *comm;
	struct harness_rank *rank;
	int number;
	atomic_ullong *sums; /* [nranks], of what was received */
	atomic_int *refusals;
};

/* A contribution that shows whose it is, that it is whole, and which. */
static void prepare(uint64_t words[WORDS], int rank, uint64_t which)
{
	words[0] = which;
	for (int i = 1; i < WORDS; i++)
		words[i] = mix(which ^ (uint64_t)i << 32 ^ (uint64_t)rank << 48);
}

static void accept(const struct worker *worker, const uint64_t *got, int rank)
{
	uint64_t want[WORDS];

	prepare(want, rank, got[0]);
	if (memcmp(want, got, sizeof want) != 0)
		fail("thread %d got a mixed block of rank %d", worker->number, rank);
	atomic_fetch_add(&worker->sums[rank], got[0]);
}

static void *call_together(void *argument)
{
	const struct worker *worker = argument;
	int nranks = totum_comm_nranks(worker->comm), rank = totum_comm_rank(worker->comm);
	uint64_t own[WORDS], got[WORDS * HARNESS_RANKS];

	self = worker->rank;
	for (int i = 0; i < CALLS;) {
		prepare(own, rank, (uint64_t)(worker->number * CALLS + i));
		totum_status status = totum_allgather(own, got, WORDS, TOTUM_U64, worker->comm);

		if (status == TOTUM_EUSAGE) {
			refused(status, TOTUM_EUSAGE);
			atomic_fetch_add(worker->refusals, 1);
			nap_us(20);
			continue;
		}
		ok(status);
		for (int r = 0; r < nranks; r++)
			accept(worker, got + r * WORDS, r);
		i++;
	}
	return NULL;
}

static void *call_alone(void *argument)
{
	const struct worker *worker = argument;
	int nranks = totum_comm_nranks(worker->comm), rank = totum_comm_rank(worker->comm);
	uint64_t own[WORDS], got[WORDS * HARNESS_RANKS];

	self = worker->rank;
	for (int i = 0; i < OWN_CALLS / (1 + SLOWNESS); i++) {
		uint64_t which = (uint64_t)(worker->number * OWN_CALLS + i);

		prepare(own, rank, which);
		ok(totum_allgather(own, got, WORDS, TOTUM_U64, worker->comm));
		for (int r = 0; r < nranks; r++)
			if (got[r * WORDS] != which)
				fail("thread %d, call %d: call %llu of rank %d came",
				     worker->number, i, (unsigned long long)got[r * WORDS], r);
			else
				accept(worker, got + r * WORDS, r);
	}
	return NULL;
}

static void crowd(totum_comm *const comms[THREADS], void *(*work)(void *), atomic_ullong *sums)
{
	atomic_int refusals = 0;
	struct worker workers[THREADS];
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){comms[i], self, i, sums, &refusals};
		if (pthread_create(&threads[i], NULL, work, &workers[i]))
			fail("cannot start a thread");
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* All that every rank sent, once each. */
static void check_sums(const atomic_ullong *sums, int nranks, uint64_t calls)
{
	for (int r = 0; r < nranks; r++)
		if (atomic_load(&sums[r]) != calls * (calls - 1) / 2)
			fail("the calls of rank %d add up to %llu", r, atomic_load(&sums[r]));
}

static void test(totum_comm *comm)
{
	int nranks = totum_comm_nranks(comm);
	atomic_ullong sums[HARNESS_RANKS] = {0}, own_sums[HARNESS_RANKS] = {0};
	totum_comm *comms[THREADS] = {comm, comm, comm, comm};

	step("crowd:n=%d:one communicator", nranks);
	crowd(comms, call_together, sums);
	check_sums(sums, nranks, THREADS * CALLS);
	step("crowd:n=%d:four communicators", nranks);
	for (int i = 0; i < THREADS; i++)
		ok(totum_comm_dup(comm, &comms[i]));
	crowd(comms, call_alone, own_sums);
	for (int i = 0; i < THREADS; i++)
		ok(totum_comm_free(comms[i]));
}
