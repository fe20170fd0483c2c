/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flight - some of everything, to be recorded and traced: started by cli/flight.sh.  ranks: none
 *
 * FLIGHT=fine     calls, requests, a group, a plan, messages, a forced algorithm, their counters;
 * FLIGHT=fails    a message that does not come, with calls behind it, and calls after the failure;
 * FLIGHT=killed   rank 1 is killed in the middle.
 */
#include "ranks/buffers.h"

enum { COUNT = 1000, AFTER = 100 };

static struct totum_counters counters_of(totum_comm *comm)
{
	struct totum_counters counters = {.size = sizeof counters};

	ok(totum_stats(comm, &counters));
	return counters;
}

static void messages(totum_comm *comm, unsigned char *send, unsigned char *recv)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm);
	int right = (rank + 1) % n, left = (rank + n - 1) % n;
	struct totum_counters before = counters_of(comm), after;
	totum_request *requests[2];

	ok(totum_irecv(recv, COUNT, TOTUM_U8, TOTUM_ANY, TOTUM_ANY, comm, NULL, &requests[0]));
	ok(totum_isend(send, COUNT, TOTUM_U8, right, 5, comm, &requests[1]));
	ok(totum_wait(requests[0]));
	ok(totum_wait(requests[1]));
	/* to itself: nothing leaves the rank */
	ok(totum_isend(send, COUNT, TOTUM_U8, rank, 6, comm, &requests[0]));
	ok(totum_recv(recv, COUNT, TOTUM_U8, rank, 6, comm, NULL));
	ok(totum_wait(requests[0]));
	after = counters_of(comm);
	if (after.sent_inside != before.sent_inside + COUNT ||
	    after.received_inside != before.received_inside + COUNT)
		fail("%d bytes are sent and received, not %d and %d", COUNT,
		     (int)(after.sent_inside - before.sent_inside),
		     (int)(after.received_inside - before.received_inside));
	if (rank == 0)
		nap_us(50000);
	if (rank == 0)
		ok(totum_send(send, 1, TOTUM_U8, right, 7, comm));
	if (rank == 1)
		ok(totum_recv(recv, 1, TOTUM_U8, left, 7, comm, NULL));
	if (rank == 1 && counters_of(comm).waited_ns < after.waited_ns + 20000000)
		fail("a receive that waits for 50 ms is no wait");
}

static void fine(totum_comm *comm)
{
	int n = totum_comm_nranks(comm);
	unsigned char *send = calloc(1, COUNT), *recv = calloc((size_t)n, 3 * COUNT);
	totum_request *requests[3];
	totum_plan *plan;
	totum_comm *more;

	ok(totum_barrier(comm));
	messages(comm, send, recv);
	ok(totum_group_begin(comm));
	for (int i = 0; i < 3; i++)
		ok(totum_iallgather(send, recv + i * n * COUNT, COUNT, TOTUM_U8, comm,
				    &requests[i]));
	ok(totum_group_end(comm));
	for (int i = 0; i < 3; i++)
		ok(totum_wait(requests[i]));
	for (int i = 0; i < 2; i++) { /* the second one has the first one's place in memory */
		ok(totum_comm_dup(comm, &more));
		ok(totum_broadcast_plan(send, recv, COUNT, TOTUM_U8, 0, more, &plan));
		ok(totum_start(plan, &requests[0]));
		ok(totum_wait(requests[0]));
		ok(totum_plan_free(plan));
		ok(totum_comm_configure(more, "algo=ring"));
		ok(totum_allgather(send, recv, COUNT, TOTUM_U8, more));
		ok(totum_comm_free(more));
	}
	free(send);
	free(recv);
}

static void fails(totum_comm *parent)
{
	totum_request *calls[2];
	totum_comm *comm;
	int value;

	ok(totum_comm_dup(parent, &comm));
	ok(totum_barrier(comm));
	ok(totum_comm_configure(comm, "timeout=300ms"));
	if (totum_comm_rank(comm) == 0) {
		for (int i = 0; i < 2; i++)
			ok(totum_ibarrier(comm, &calls[i]));
		refused(totum_recv(&value, 1, TOTUM_I32, 1, 9, comm, NULL), TOTUM_ETIMEOUT);
		for (int i = 0; i < 2; i++)
			refused(totum_wait(calls[i]), TOTUM_ETIMEOUT);
		for (int i = 0; i < AFTER; i++)
			refused(totum_barrier(comm), TOTUM_ETIMEOUT);
		if (counters_of(comm).calls < AFTER)
			fail("%d calls", (int)counters_of(comm).calls);
	} else {
		nap_us(600000);
		refused(totum_barrier(comm), TOTUM_ETIMEOUT);
	}
	ok(totum_comm_free(comm));
}

static void killed(totum_comm *comm)
{
	/* of the launcher, who ends the others: they are to notice by themselves */
	signal(SIGTERM, SIG_IGN);
	ok(totum_barrier(comm));
	if (totum_comm_rank(comm) == 1)
		raise(SIGKILL);
	refused(totum_barrier(comm), TOTUM_ELOST);
	_exit(1);
}

static void test(totum_comm *comm)
{
	const char *way = getenv("FLIGHT");

	step("%s", way ? way : "");
	if (way && !strcmp(way, "fine"))
		fine(comm);
	else if (way && !strcmp(way, "fails"))
		fails(comm);
	else if (way && !strcmp(way, "killed"))
		killed(comm);
	else
		fail("what is to be done is not said");
}
