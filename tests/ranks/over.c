/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * over - who asks twice is told and spoils nothing: a request that has been waited for, a plan that
 * has been started or freed, and a communicator in a forked child.  ranks: 1 2 3
 */
#include "ranks/buffers.h"

#include <sys/wait.h>

enum { MANY = 20 };

static void told_over(totum_request *request)
{
	int done = 1;

	refused(totum_wait(request), TOTUM_EUSAGE);
	refused(totum_test(request, &done), TOTUM_EUSAGE);
	if (done)
		fail("a request that is over is done once more");
	if (!strstr(refused(totum_wait_block(request, 0), TOTUM_EUSAGE), "request is over"))
		fail("not that of a request that is over: %s", totum_errmsg());
}

static void test_until_done(totum_request *request)
{
	for (int done = 0; !done;)
		ok(totum_test(request, &done));
}

static void requests(totum_comm *comm)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm), all[HARNESS_RANKS], in = -1;
	totum_request *request, *out;

	for (int i = 0; i < MANY; i++) {
		ok(totum_iallgather(&rank, all, 1, TOTUM_I32, comm, &request));
		if (i % 2)
			ok(totum_wait(request));
		else
			test_until_done(request);
		told_over(request);
		ok(totum_irecv(&in, 1, TOTUM_I32, (rank + n - 1) % n, i, comm, NULL, &request));
		ok(totum_isend(&rank, 1, TOTUM_I32, (rank + 1) % n, i, comm, &out));
		ok(totum_wait(out));
		ok(totum_wait(request));
		if (in != (rank + n - 1) % n)
			fail("message %d is from rank %d", i, in);
		told_over(request);
		told_over(out);
	}
	still_works(comm);
}

static void plans(totum_comm *comm)
{
	int rank = totum_comm_rank(comm), all[HARNESS_RANKS];
	totum_request *request, *other = NULL;
	totum_plan *plan;

	ok(totum_allgather_plan(&rank, all, 1, TOTUM_I32, comm, &plan));
	for (int i = 0; i < MANY; i++) {
		ok(totum_start(plan, &request));
		ok(totum_wait(request));
		ok(totum_wait(request)); /* a plan's lives on */
	}
	ok(totum_plan_free(plan));
	refused(totum_plan_free(plan), TOTUM_EUSAGE);
	refused(totum_start(plan, &other), TOTUM_EUSAGE);
	refused(totum_start(NULL, &other), TOTUM_EINVAL);
	told_over(request);
	still_works(comm);
}

/* The others come only when this rank has tried: the plan is under way until then. */
static void started_twice(totum_comm *comm)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm), all[HARNESS_RANKS];
	totum_request *request, *other = NULL;
	totum_comm *gate;
	totum_plan *plan;

	ok(totum_comm_dup(comm, &gate));
	ok(totum_allgather_plan(&rank, all, 1, TOTUM_I32, comm, &plan));
	if (rank == 0)
		ok(totum_start(plan, &request));
	if (rank == 0 && n > 1) {
		refused(totum_start(plan, &other), TOTUM_EUSAGE);
		refused(totum_plan_free(plan), TOTUM_EUSAGE);
		refused(totum_comm_free(comm), TOTUM_EUSAGE);
	}
	ok(totum_barrier(gate));
	if (rank != 0)
		ok(totum_start(plan, &request));
	ok(totum_wait(request));
	for (int r = 0; r < n; r++)
		if (all[r] != r)
			fail("the plan brings %d of rank %d", all[r], r);
	ok(totum_plan_free(plan));
	ok(totum_comm_free(gate));
}

/* What is not an all-gather has no shards, and no rank -1 has one. */
static void blocks(totum_comm *comm)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm), all[HARNESS_RANKS], sum;
	totum_request *request, *out;

	ok(totum_iallreduce(&rank, &sum, 1, TOTUM_I32, TOTUM_SUM, comm, &request));
	if (!strstr(refused(totum_wait_block(request, 0), TOTUM_EINVAL), "that of allreduce"))
		fail("not that of an all-reduce: %s", totum_errmsg());
	ok(totum_wait(request));
	ok(totum_iallgather(&rank, all, 1, TOTUM_I32, comm, &request));
	if (!says(refused(totum_wait_block(request, -1), TOTUM_EINVAL), "rank -1"))
		fail("not that of a wrong rank: %s", totum_errmsg());
	refused(totum_wait_block(request, n), TOTUM_EINVAL);
	ok(totum_wait(request));
	ok(totum_irecv(&sum, 1, TOTUM_I32, rank, 1, comm, NULL, &request));
	if (!strstr(refused(totum_wait_block(request, 0), TOTUM_EINVAL), "that of a message"))
		fail("not that of a message: %s", totum_errmsg());
	ok(totum_isend(&rank, 1, TOTUM_I32, rank, 1, comm, &out));
	ok(totum_wait(request));
	ok(totum_wait(out));
}

/* A child has the parent's memory: what it says must not reach the other ranks. */
static void child(totum_comm *comm)
{
	totum_comm *other;
	int code;

	pid_t pid = fork();
	if (pid < 0)
		fail("cannot fork");
	if (pid == 0) {
		refused(totum_comm_abort(comm), TOTUM_EUSAGE);
		refused(totum_barrier(comm), TOTUM_EUSAGE);
		refused(totum_comm_dup(comm, &other), TOTUM_EUSAGE);
		refused(totum_comm_free(comm), TOTUM_EUSAGE);
		_exit(0);
	}
	if (waitpid(pid, &code, 0) != pid || code)
		fail("the forked child ended with status %d", code);
	still_works(comm);
}

static void test(totum_comm *comm)
{
	if (step("requests"))
		requests(comm);
	if (step("plans"))
		plans(comm);
	if (step("started twice"))
		started_twice(comm);
	if (step("blocks"))
		blocks(comm);
	if (step("child"))
		child(comm);
}
