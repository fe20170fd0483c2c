/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rescue - all-gathers that fail because a rank leaves, and are completed by the others: what the
 * call refuses, what it says, and which shards are here.  ranks: 2 3 5
 *
 * A rank leaves by freeing its communicator, which is a death to the others (rescue_kill.c kills).
 */
#include "ranks/harness.h"

enum { MOST = 40000, ROOM = (MOST + 3) * HARNESS_RANKS };

static int32_t send[HARNESS_RANKS][MOST], recv[HARNESS_RANKS][ROOM];

static int32_t value(int rank, size_t index, int call)
{
	return (int32_t)(rank * 1000003 + (int)index * 31 + call * 7);
}

static void fill(int rank, size_t count, int call)
{
	for (size_t i = 0; i < count; i++)
		send[rank][i] = value(rank, i, call);
	memset(recv[rank], 0x5A, sizeof recv[rank]);
}

/* The blocks that are here are right; whose are not, is `lost`, -1: nobody's. */
static void check(int rank, int n, const size_t *counts, const size_t *displs, int call,
		  const unsigned char *here, int lost)
{
	for (int r = 0; r < n; r++) {
		if (here[r] != (r != lost))
			fail("the shard of rank %d is %shere", r, here[r] ? "" : "not ");
		for (size_t i = 0; i < counts[r] && here[r]; i++)
			if (recv[rank][displs[r] + i] != value(r, i, call))
				fail("element %zu of rank %d is %d, not %d", i, r,
				     recv[rank][displs[r] + i], value(r, i, call));
	}
}

static void lay_out(int n, size_t count, bool uneven, size_t *counts, size_t *displs)
{
	for (int r = 0; r < n; r++) {
		counts[r] = uneven ? count * (size_t)(r % 3) / 2 : count;
		displs[r] = (size_t)r * (count + 2 * uneven) + uneven;
	}
}

/* Rank 1 leaves without having called: its shard is lost, unless there is nothing in it. */
static void never_came(totum_comm *world, size_t count, bool uneven)
{
	int n = totum_comm_nranks(world), me = totum_comm_rank(world), back = 0;
	size_t counts[HARNESS_RANKS], displs[HARNESS_RANKS];
	unsigned char here[HARNESS_RANKS];
	totum_comm *comm, *next;

	lay_out(n, count, uneven, counts, displs);
	if (uneven)
		counts[1] = 0;
	ok(totum_comm_dup(world, &comm));
	if (me == 1) {
		ok(totum_comm_free(comm));
		return;
	}
	fill(me, counts[me], 0);
	totum_status status = uneven ? totum_allgatherv(send[me], counts[me], recv[me], counts,
							displs, TOTUM_I32, comm)
				     : totum_allgather(send[me], recv[me], count, TOTUM_I32, comm);
	refused(status, TOTUM_ELOST);
	ok(totum_comm_shrink(comm, &next));
	if (uneven) {
		ok(totum_allgatherv_rescue(send[me], counts[me], recv[me], counts, displs,
					   TOTUM_I32, comm, next, &back, here));
		check(me, n, counts, displs, 0, here, -1);
	} else {
		/* and once more: what the first has brought stays */
		for (int again = 0; again < 2; again++) {
			status = totum_allgather_rescue(send[me], recv[me], count, TOTUM_I32, comm,
							next, again ? NULL : &back, here);
			if (!says_rank(refused(status, TOTUM_ELOST), 1))
				fail("\"%s\" does not name rank 1", totum_errmsg());
			check(me, n, counts, displs, 0, here, 1);
		}
	}
	if (back)
		fail("back has become %d", back);
	still_works(next);
	ok(totum_comm_free(next));
	ok(totum_comm_free(comm));
}

/*
 * Rank 1 leaves, rank 2 begins the call and leaves, and the others call only then: the shard of
 * rank 2 stands published, that of rank 1 is lost.
 */
static void came_and_went(totum_comm *world, size_t count)
{
	int n = totum_comm_nranks(world), me = totum_comm_rank(world);
	size_t counts[HARNESS_RANKS], displs[HARNESS_RANKS];
	unsigned char here[HARNESS_RANKS];
	totum_comm *comm, *next;
	totum_request *request;

	lay_out(n, count, false, counts, displs);
	ok(totum_comm_dup(world, &comm));
	fill(me, count, 1);
	if (me == 2)
		ok(totum_iallgather(send[me], recv[me], count, TOTUM_I32, comm, &request));
	if (me == 1)
		ok(totum_comm_free(comm));
	if (me == 2) {
		refused(totum_wait(request), TOTUM_ELOST);
		ok(totum_comm_free(comm));
	}
	ok(totum_barrier(world));
	if (me == 1 || me == 2)
		return;
	refused(totum_allgather(send[me], recv[me], count, TOTUM_I32, comm), TOTUM_ELOST);
	ok(totum_comm_shrink(comm, &next));
	refused(totum_allgather_rescue(send[me], recv[me], count, TOTUM_I32, comm, next, NULL,
				       here),
		TOTUM_ELOST);
	check(me, n, counts, displs, 1, here, 1);
	ok(totum_comm_free(next));
	ok(totum_comm_free(comm));
}

/* All complete a call; the loss shows in the next one: then nothing was lost of the first. */
static void completed(totum_comm *world, size_t count)
{
	int n = totum_comm_nranks(world), me = totum_comm_rank(world), last = n - 1, back = 1;
	size_t counts[HARNESS_RANKS], displs[HARNESS_RANKS];
	unsigned char here[HARNESS_RANKS];
	totum_comm *comm, *next;

	lay_out(n, count, false, counts, displs);
	ok(totum_comm_dup(world, &comm));
	fill(me, count, 2);
	ok(totum_allgather(send[me], recv[me], count, TOTUM_I32, comm));
	memset(send[me], 0, sizeof send[me]); /* recv has it */
	if (me == last) {
		ok(totum_comm_free(comm));
		return;
	}
	totum_status status = TOTUM_OK;
	while (!status)
		status = totum_barrier(comm);
	refused(status, TOTUM_ELOST);
	ok(totum_comm_shrink(comm, &next));
	ok(totum_allgather_rescue(send[me], recv[me], count, TOTUM_I32, comm, next, &back, here));
	check(me, n, counts, displs, 2, here, -1);
	/* what failed was a barrier */
	refused(totum_allgather_rescue(send[me], recv[me], count, TOTUM_I32, comm, next, NULL,
				       here),
		TOTUM_EINVAL);
	back = me == 0;
	status = totum_allgather_rescue(send[me], recv[me], count, TOTUM_I32, comm, next, &back,
					here);
	if (n > 2)
		refused(status, TOTUM_EINVAL);
	else
		ok(status);
	ok(totum_comm_free(next));
	ok(totum_comm_free(comm));
}

/* Arguments that are not those of the call, on one rank or on all. */
static void other_arguments(totum_comm *world)
{
	int n = totum_comm_nranks(world), me = totum_comm_rank(world), back;
	unsigned char here[HARNESS_RANKS];
	totum_comm *comm, *next;
	size_t count = 100;

	ok(totum_comm_dup(world, &comm));
	fill(me, count, 3);
	refused(totum_allgather_rescue(send[me], recv[me], count, TOTUM_I32, comm, world, NULL,
				       NULL),
		TOTUM_EUSAGE);
	for (int call = 0; call < 3; call++)
		ok(totum_allgather(send[me], recv[me], count, TOTUM_I32, comm));
	if (me == 1) {
		ok(totum_comm_free(comm));
		return;
	}
	refused(totum_allgather(send[me], recv[me], count, TOTUM_I32, comm), TOTUM_ELOST);
	ok(totum_comm_shrink(comm, &next));
	refused(totum_allgather_rescue(send[me], recv[me], count, TOTUM_I32, comm, comm, NULL,
				       NULL),
		TOTUM_EINVAL);
	refused(totum_allgather_rescue(send[me], recv[me], count, TOTUM_I32, comm, NULL, NULL,
				       NULL),
		TOTUM_EINVAL);
	refused(totum_allgather_rescue(send[me], recv[me], count - 1, TOTUM_I32, comm, next, NULL,
				       NULL),
		TOTUM_EINVAL);
	refused(totum_allgather_rescue(send[me], recv[me], count, TOTUM_U32, comm, next, NULL,
				       NULL),
		TOTUM_EINVAL);
	refused(totum_allgather_rescue(send[me], recv[me] + (me == 0), count, TOTUM_I32, comm, next,
				       NULL, NULL),
		TOTUM_EINVAL);
	back = 100;
	refused(totum_allgather_rescue(send[me], recv[me], count, TOTUM_I32, comm, next, &back,
				       NULL),
		TOTUM_EINVAL);
	if (n > 2) { /* one means another call: all learn which it is */
		back = me == 0;
		refused(totum_allgather_rescue(send[me], recv[me], count, TOTUM_I32, comm, next,
					       &back, here),
			TOTUM_EMISMATCH);
		if (back)
			fail("back has become %d, not 0", back);
	}
	refused(totum_allgather_rescue(send[me], recv[me], count, TOTUM_I32, comm, next, &back,
				       here),
		back ? TOTUM_EINVAL : TOTUM_ELOST);
	still_works(next);
	ok(totum_comm_free(next));
	ok(totum_comm_free(comm));
}

static void test(totum_comm *comm)
{
	static const size_t sizes[] = {1, 40, 1000, MOST};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (int uneven = 0; uneven < 2; uneven++)
			if (step("rank 1 never came, %zu%s", sizes[i], uneven ? " uneven" : ""))
				never_came(comm, sizes[i], uneven);
		if (totum_comm_nranks(comm) > 3 && sizes[i] < MOST &&
		    step("rank 2 came and went, %zu", sizes[i]))
			came_and_went(comm, sizes[i]);
		if (step("completed, %zu", sizes[i]))
			completed(comm, sizes[i]);
	}
	if (step("other arguments"))
		other_arguments(comm);
	ok(totum_barrier(comm));
}
