/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * intruder - a second thread on one communicator is refused and spoils nothing; threads with a
 * communicator each are free.  ranks: 2 3
 */
#include "ranks/buffers.h"

#include <stdatomic.h>

enum { TRIES = 20, THREADS = 4, CALLS = 500 };

struct visitor {
	totum_comm *comm, *gate;
	struct harness_rank *rank;
	atomic_int *results; /* how many calls of this rank were right */
	int number;
};

/* A gather that may be refused as a second thread's; returns whether it ran. */
static bool gather_or_refused(totum_comm *comm)
{
	int rank = totum_comm_rank(comm), got[HARNESS_RANKS];
	totum_status status = totum_allgather(&rank, got, 1, TOTUM_I32, comm);

	if (status == TOTUM_EUSAGE) {
		refused(status, TOTUM_EUSAGE);
		return false;
	}
	ok(status);
	for (int r = 0; r < totum_comm_nranks(comm); r++)
		if (got[r] != r)
			fail("place %d holds %d", r, got[r]);
	return true;
}

/* Whoever is refused opens the gate for the other ranks. */
static bool gather_at_once(totum_comm *comm, totum_comm *gate)
{
	if (gather_or_refused(comm))
		return true;
	ok(totum_barrier(gate));
	return false;
}

static void *intrude(void *argument)
{
	struct visitor *visitor = argument;

	self = visitor->rank;
	if (gather_at_once(visitor->comm, visitor->gate))
		atomic_fetch_add(visitor->results, 1);
	return NULL;
}

/*
 * Rank 0 calls from two threads, and the others only when one of the two has been refused: the
 * other one must be the call of this rank.
 */
static void two_threads(totum_comm *comm, totum_comm *gate, int attempt)
{
	atomic_int right = 0;
	struct visitor visitor = {comm, gate, self, &right, 0};
	pthread_t thread;

	step("intruder:n=%d:attempt=%d", totum_comm_nranks(comm), attempt);
	if (totum_comm_rank(comm) > 0) {
		ok(totum_barrier(gate));
		if (!gather_or_refused(comm))
			fail("refused, though this rank has one thread");
		return;
	}
	if (pthread_create(&thread, NULL, intrude, &visitor))
		fail("cannot start a thread");
	if (gather_at_once(comm, gate))
		atomic_fetch_add(&right, 1);
	pthread_join(thread, NULL);
	if (atomic_load(&right) != 1)
		fail("%d of the two calls ran", atomic_load(&right));
}

static void *many_gathers(void *argument)
{
	struct visitor *visitor = argument;
	int nranks = totum_comm_nranks(visitor->comm);
	uint64_t got[HARNESS_RANKS];

	self = visitor->rank;
	for (int i = 0; i < CALLS; i++) {
		uint64_t salt = mix((uint64_t)(visitor->number * CALLS + i)),
			 own = salt + (uint64_t)totum_comm_rank(visitor->comm);

		ok(totum_allgather(&own, got, 1, TOTUM_U64, visitor->comm));
		for (int r = 0; r < nranks; r++)
			if (got[r] != salt + (uint64_t)r)
				fail("thread %d, call %d: place %d is wrong", visitor->number, i,
				     r);
	}
	return NULL;
}

static void a_communicator_each(totum_comm *comm)
{
	struct visitor visitors[THREADS];
	pthread_t threads[THREADS];

	step("intruder:n=%d:a communicator each", totum_comm_nranks(comm));
	for (int i = 0; i < THREADS; i++) {
		visitors[i] = (struct visitor){NULL, NULL, self, NULL, i};
		ok(totum_comm_dup(comm, &visitors[i].comm));
	}
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, many_gathers, &visitors[i]))
			fail("cannot start a thread");
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		ok(totum_comm_free(visitors[i].comm));
	}
}

static void test(totum_comm *comm)
{
	totum_comm *gate;

	ok(totum_comm_dup(comm, &gate));
	for (int i = 0; i < TRIES; i++)
		two_threads(comm, gate, i);
	ok(totum_comm_free(gate));
	a_communicator_each(comm);
}
