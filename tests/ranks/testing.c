/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * testing - totum_test never sleeps, however long nothing has moved, and sees what goes wrong.
 * ranks: 2 3
 *
 * The kernel counts how often a thread gave up its core by itself: while the other ranks are away,
 * tests give up none.  A rank that tests learns of a late rank and of one that has left.
 */
#include "ranks/buffers.h"

#include <stdatomic.h>
#include <sys/resource.h>

enum { COUNT = 200000, TESTS = 200, LONG_US = 30000 };

/* A barrier in which nothing goes on: a wait in the library would help what is under way. */
struct meeting {
	totum_window *window;
	_Atomic int *came;
	int before; /* who have come to earlier ones */
};

static struct meeting meeting_new(totum_comm *comm)
{
	struct meeting meeting = {0};

	ok(totum_window_create(comm, sizeof *meeting.came, &meeting.window));
	meeting.came = totum_window_data(meeting.window);
	return meeting;
}

static void meet(struct meeting *meeting, int n)
{
	atomic_fetch_add(meeting->came, 1);
	meeting->before += n;
	while (atomic_load(meeting->came) < meeting->before)
		nap_us(500);
}

static long sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

static totum_status test_until_done(totum_request *request)
{
	totum_status status = TOTUM_OK;

	for (int done = 0; !done && !status;)
		status = totum_test(request, &done);
	return status;
}

/* The last rank has called a ring, and goes on with it later: programs run, and cannot end. */
static void awake(totum_comm *parent, struct meeting *meeting, const char *algorithm)
{
	int n = totum_comm_nranks(parent), rank = totum_comm_rank(parent), done = 0;
	bool last = rank == n - 1, ring = !strcmp(algorithm, "algo=ring");
	char *send = calloc(COUNT, 1), *recv = calloc((size_t)n, COUNT);
	totum_request *request;
	totum_comm *comm;

	ok(totum_comm_dup(parent, &comm));
	ok(totum_comm_configure(comm, algorithm));
	ok(totum_allgather(send, recv, COUNT, TOTUM_I8, comm)); /* whatever is made once, is */
	meet(meeting, n);
	if (last && ring)
		ok(totum_iallgather(send, recv, COUNT, TOTUM_I8, comm, &request));
	meet(meeting, n);
	if (!last)
		ok(totum_iallgather(send, recv, COUNT, TOTUM_I8, comm, &request));
	meet(meeting, n);
	if (rank == 0) {
		ok(totum_test(request, &done));
		nap_us(LONG_US); /* longer than from look to look */
		long before = sleeps();
		for (int i = 0; i < TESTS && !done; i++)
			ok(totum_test(request, &done));
		if (done || sleeps() > before)
			fail("%ld sleeps in %d tests", sleeps() - before, TESTS);
	}
	meet(meeting, n);
	if (last && !ring)
		ok(totum_iallgather(send, recv, COUNT, TOTUM_I8, comm, &request));
	ok(test_until_done(request));
	meet(meeting, n);
	ok(totum_comm_free(comm));
	free(send);
	free(recv);
}

/*
 * The last rank leaves, or is late: of a ring it has begun the call, before the others have, so
 * that their programs run, but not its own, without which they cannot end.
 */
static void fails(totum_comm *parent, struct meeting *meeting, const char *algorithm,
		  totum_status wanted)
{
	int n = totum_comm_nranks(parent), rank = totum_comm_rank(parent);
	bool lost = wanted == TOTUM_ELOST, begins = !lost && !strcmp(algorithm, "algo=ring");
	char *send = calloc(COUNT, 1), *recv = calloc((size_t)n, COUNT);
	totum_request *request = NULL;
	totum_comm *comm;

	ok(totum_comm_dup(parent, &comm));
	ok(totum_comm_configure(comm, algorithm));
	ok(totum_allgather(send, recv, COUNT, TOTUM_I8, comm));
	ok(totum_comm_configure(comm, lost ? "timeout=100s" : "timeout=200ms"));
	if (rank == n - 1 && begins)
		ok(totum_iallgather(send, recv, COUNT, TOTUM_I8, comm, &request));
	meet(meeting, n);
	if (rank < n - 1)
		ok(totum_iallgather(send, recv, COUNT, TOTUM_I8, comm, &request));
	if (rank == n - 1 && lost)
		ok(totum_comm_free(comm));
	if (rank == 0)
		refused(test_until_done(request), wanted);
	meet(meeting, n);
	if (rank > 0 && request)
		refused(test_until_done(request), wanted);
	if (rank < n - 1 || !lost)
		ok(totum_comm_free(comm));
	free(send);
	free(recv);
}

static void test(totum_comm *comm)
{
	static const char *const algorithms[] = {"algo=auto", "algo=ring"};

	struct meeting meeting = meeting_new(comm);

	for (int i = 0; i < 2; i++) {
		if (step("awake, %s", algorithms[i]))
			awake(comm, &meeting, algorithms[i]);
		if (step("lost, %s", algorithms[i]))
			fails(comm, &meeting, algorithms[i], TOTUM_ELOST);
		if (step("late, %s", algorithms[i]))
			fails(comm, &meeting, algorithms[i], TOTUM_ETIMEOUT);
	}
	ok(totum_window_free(meeting.window));
}
