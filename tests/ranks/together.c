/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * together - messages move while a rank waits in a collective, and nothing touches their buffers
 * once the communicator has failed.  ranks: 2 3 5
 */
#include "ranks/buffers.h"

enum { MESSAGES = 5, BYTES = 60000 /* the channel holds one of them */ };

/* Every rank sends more than a channel holds to the next, which takes it before the collective. */
static void exchange(totum_comm *comm, void (*meet)(totum_comm *comm))
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm), next = (rank + 1) % n,
	    before = (rank + n - 1) % n;
	struct buffer send = buffer_new(BYTES, 1), recv = buffer_new(BYTES, 3);
	totum_request *requests[MESSAGES];

	fill(send.data, BYTES, rank, 5);
	for (int i = 0; rank % 2 == 0 && i < MESSAGES; i++)
		ok(totum_isend(send.data, BYTES, TOTUM_U8, next, i, comm, &requests[i]));
	for (int i = 0; before % 2 == 0 && rank % 2 == 1 && i < MESSAGES; i++) {
		ok(totum_recv(recv.data, BYTES, TOTUM_U8, before, i, comm, NULL));
		check(recv.data, BYTES, before, 5, "message");
	}
	meet(comm);
	if (before % 2 == 0 && rank % 2 == 0) /* the last of an odd number, and rank 0 */
		for (int i = 0; i < MESSAGES; i++)
			ok(totum_recv(recv.data, BYTES, TOTUM_U8, before, i, comm, NULL));
	for (int i = 0; rank % 2 == 0 && i < MESSAGES; i++)
		ok(totum_wait(requests[i]));
	ok(totum_barrier(comm));
	buffer_free(&send, "send");
	buffer_free(&recv, "recv");
}

static void meet_in_barrier(totum_comm *comm)
{
	ok(totum_barrier(comm));
}

static void meet_in_block(totum_comm *comm)
{
	int mine = totum_comm_rank(comm), all[HARNESS_RANKS];
	totum_request *request;

	ok(totum_iallgather(&mine, all, 1, TOTUM_I32, comm, &request));
	for (int rank = 0; rank < totum_comm_nranks(comm); rank++) {
		ok(totum_wait_block(request, rank));
		if (all[rank] != rank)
			fail("block %d is %d", rank, all[rank]);
	}
	ok(totum_wait(request));
}

/* Rank 0 gives up two receives; a message afterwards must not find the memory of the first one. */
static void give_up(totum_comm *world)
{
	struct buffer recv = buffer_new(64, 0);
	totum_request *first, *second, *late;
	totum_message message = {-7, -7, 0};
	totum_comm *comm;

	ok(totum_comm_dup(world, &comm));
	if (totum_comm_rank(world) == 0) {
		ok(totum_irecv(recv.data, 64, TOTUM_U8, 1, 1, comm, &message, &first));
		ok(totum_irecv(recv.data, 64, TOTUM_U8, 1, 2, comm, NULL, &second));
		ok(totum_comm_abort(comm));
		refused(totum_wait(first), TOTUM_EABORTED);
	}
	ok(totum_barrier(world));
	if (totum_comm_rank(world) == 1)
		refused(totum_isend(recv.data, 64, TOTUM_U8, 0, 1, comm, &late), TOTUM_EABORTED);
	ok(totum_barrier(world));
	if (totum_comm_rank(world) == 0) {
		refused(totum_wait(second), TOTUM_EABORTED);
		check_poison(recv.data, 64, "a buffer that was given up");
		if (message.peer != -7)
			fail("a message that was given up was described");
	}
	ok(totum_comm_free(comm));
	buffer_free(&recv, "recv");
}

static void test(totum_comm *comm)
{
	if (step("barrier"))
		exchange(comm, meet_in_barrier);
	if (step("wait_block"))
		exchange(comm, meet_in_block);
	if (step("give up"))
		give_up(comm);
	ok(totum_barrier(comm));
}
