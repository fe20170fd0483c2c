/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fresh - a communicator that fails before anybody has called on it, or while a thread of the rank
 * is in it: all ranks learn why, those of other hosts too, though who knows it lives on and calls
 * nothing more.  ranks: 1 2 3 5
 */
#include "ranks/buffers.h"

enum { FIRST = 40000 /* us that others have waited before it happens */ };

static totum_comm *fresh(totum_comm *comm)
{
	totum_comm *other;

	ok(totum_comm_dup(comm, &other));
	ok(totum_comm_configure(other, "timeout=20s"));
	return other;
}

/* Half of the ranks wait in a collective for what does not come, the others for a message. */
static totum_status wait_there(totum_comm *other, bool message, bool barrier)
{
	totum_request *request;
	totum_comm *made;
	int in;

	if (!message)
		return barrier ? totum_barrier(other) : totum_comm_dup(other, &made);
	totum_status status = totum_irecv(&in, 1, TOTUM_I32, TOTUM_ANY, 1, other, NULL, &request);
	return status ? status : totum_wait(request);
}

static void *come_in(void *argument)
{
	self = ((struct harness_rank **)argument)[1];
	refused(totum_barrier(((totum_comm **)argument)[0]), TOTUM_EABORTED);
	return NULL;
}

/* The one who aborts has called nothing, or one of its threads is in a call. */
static void aborted(totum_comm *comm, int who, bool inside)
{
	int rank = totum_comm_rank(comm);
	totum_comm *other = fresh(comm);
	void *visitor[2] = {other, self};
	pthread_t thread;

	if (rank == who && inside && pthread_create(&thread, NULL, come_in, visitor))
		fail("cannot start a thread");
	if (rank == who) {
		nap_us(FIRST);
		ok(totum_comm_abort(other));
	} else {
		totum_status status = wait_there(other, (rank + who) % 2, inside || who % 2);
		if (!says_rank(refused(status, TOTUM_EABORTED), who))
			fail("does not name rank %d: %s", who, totum_errmsg());
	}
	if (rank == who && inside)
		pthread_join(thread, NULL);
	refused(totum_barrier(other), TOTUM_EABORTED);
	ok(totum_barrier(comm)); /* nobody frees it before all have heard */
	ok(totum_comm_free(other));
}

/* A window that one rank wants to be smaller: nobody has it, and all go on. */
static void window(totum_comm *comm, int who)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm);
	totum_comm *other = fresh(comm);
	totum_window *made;

	if (n == 1)
		ok(totum_window_create(other, 100, &made));
	else
		refused(totum_window_create(other, rank == who ? 100 : 200, &made),
			TOTUM_EMISMATCH);
	still_works(other);
	ok(totum_comm_free(other));
}

static void test(totum_comm *comm)
{
	int n = totum_comm_nranks(comm);

	for (int who = 0; who < n; who++) {
		if (step("abort by %d", who))
			aborted(comm, who, false);
		if (n > 1 && step("abort by %d, inside", who))
			aborted(comm, who, true);
		if (step("window of %d", who))
			window(comm, who);
	}
}
