/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rounds - collectives round and round, each result checked, until one fails: what survivors of a
 * fault say.
 *
 * A rank prints "going" when the first round is done, and when a call fails its number, the status
 * and the sentence.  The environment says how many ROUNDS there are (without: no end), how many
 * elements the calls have at most (ELEMENTS), and of a rank that is to stay away, STUCK=RANK:
 * after its first round it sleeps for ever.  With UNTIL=FILE all end with the round in which rank 0
 * sees the file, and rank 0 says "round N" of each.  Exit codes: 0 all rounds done, 1 wrong bytes,
 * 10 TOTUM_ELOST, 11 TOTUM_ETIMEOUT, 12 another status.
 */
#include <totum.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job {
	totum_comm *comm;
	int rank, nranks;
	long round, calls;
	size_t most; /* elements of a rank's part */
	int32_t *send, *recv;
};

static long number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? atol(text) : otherwise;
}

/* Is this rank in the list "1,3"? */
static bool stuck(int rank)
{
	const char *list = getenv("STUCK");

	for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (atoi(at) == rank)
			return true;
	return false;
}

/* The same on all ranks. */
static size_t count_of(const struct job *job)
{
	uint64_t mixed = ((uint64_t)job->round * 7 + (uint64_t)job->calls) * 0x9E3779B97F4A7C15u;

	return (size_t)((mixed >> 33) % job->most) >> (mixed >> 60) % 12;
}

static int32_t value(const struct job *job, int rank, size_t index)
{
	return (int32_t)((uint32_t)rank * 40503u + (uint32_t)index * 2654435u +
			 (uint32_t)job->calls * 97u);
}

static void fill(struct job *job, size_t count)
{
	for (size_t i = 0; i < count; i++)
		job->send[i] = value(job, job->rank, i);
	memset(job->recv, 0x5A, job->most * (size_t)job->nranks * sizeof *job->recv);
}

static void check(const struct job *job, const char *what, size_t index, int32_t wanted)
{
	if (job->recv[index] == wanted)
		return;
	printf("WRONG %s in round %ld: element %zu of rank %d is %d, not %d\n", what, job->round,
	       index, job->rank, job->recv[index], wanted);
	exit(1);
}

static int32_t sum(const struct job *job, size_t index)
{
	uint32_t sum = 0;

	for (int rank = 0; rank < job->nranks; rank++)
		sum += (uint32_t)value(job, rank, index);
	return (int32_t)sum;
}

static totum_status allgather(struct job *job, size_t count)
{
	fill(job, count);
	totum_status status = totum_allgather(job->send, job->recv, count, TOTUM_I32, job->comm);

	for (int rank = 0; rank < job->nranks && !status; rank++)
		for (size_t i = 0; i < count; i++)
			check(job, "allgather", (size_t)rank * count + i, value(job, rank, i));
	return status;
}

static totum_status reduce_scatter(struct job *job, size_t count)
{
	fill(job, count * (size_t)job->nranks);
	totum_status status =
		totum_reduce_scatter(job->send, job->recv, count, TOTUM_I32, TOTUM_SUM, job->comm);

	for (size_t i = 0; i < count && !status; i++)
		check(job, "reduce_scatter", i, sum(job, (size_t)job->rank * count + i));
	return status;
}

static totum_status allreduce(struct job *job, size_t count)
{
	fill(job, count);
	totum_status status =
		totum_allreduce(job->send, job->recv, count, TOTUM_I32, TOTUM_SUM, job->comm);

	for (size_t i = 0; i < count && !status; i++)
		check(job, "allreduce", i, sum(job, i));
	return status;
}

static totum_status broadcast(struct job *job, size_t count)
{
	int root = (int)(job->round % job->nranks);

	fill(job, count);
	totum_status status =
		totum_broadcast(job->send, job->recv, count, TOTUM_I32, root, job->comm);

	for (size_t i = 0; i < count && !status; i++)
		check(job, "broadcast", i, value(job, root, i));
	return status;
}

static totum_status alltoall(struct job *job, size_t count)
{
	fill(job, count * (size_t)job->nranks);
	totum_status status = totum_alltoall(job->send, job->recv, count, TOTUM_I32, job->comm);

	for (int rank = 0; rank < job->nranks && !status; rank++)
		for (size_t i = 0; i < count; i++)
			check(job, "alltoall", (size_t)rank * count + i,
			      value(job, rank, (size_t)job->rank * count + i));
	return status;
}

static totum_status barrier(struct job *job, size_t count)
{
	(void)count;
	return totum_barrier(job->comm);
}

static totum_status one_round(struct job *job)
{
	static totum_status (*const calls[])(struct job * job, size_t count) = {
		allgather, reduce_scatter, allreduce, broadcast, alltoall, barrier};
	totum_status status = TOTUM_OK;

	for (size_t i = 0; i < sizeof calls / sizeof *calls && !status; i++) {
		job->calls++;
		status = calls[i](job, count_of(job));
	}
	return status;
}

/* One more call of the round, in which rank 0 says whether it is the last. */
static totum_status ask_whether_over(struct job *job, long *rounds)
{
	const char *file = getenv("UNTIL");
	int32_t over = file && !access(file, F_OK);

	if (!file)
		return TOTUM_OK;
	if (job->rank == 0)
		printf("round %ld\n", job->round);
	job->calls++;
	totum_status status = totum_broadcast(&over, &over, 1, TOTUM_I32, 0, job->comm);

	if (!status && over)
		*rounds = job->round + 1;
	return status;
}

static int tell(const struct job *job, totum_status status)
{
	printf("call %ld: %s: %s\n", job->calls, totum_strerror(status), totum_errmsg());
	return status == TOTUM_ELOST ? 10 : status == TOTUM_ETIMEOUT ? 11 : 12;
}

int main(void)
{
	struct job job = {.most = (size_t)number("ELEMENTS", 20000)};
	long rounds = number("ROUNDS", -1);
	totum_status status = totum_init(&job.comm);

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (status)
		return tell(&job, status);
	job.rank = totum_comm_rank(job.comm);
	job.nranks = totum_comm_nranks(job.comm);
	job.send = malloc(job.most * (size_t)job.nranks * sizeof *job.send);
	job.recv = malloc(job.most * (size_t)job.nranks * sizeof *job.recv);
	if (!job.send || !job.recv)
		return 12;
	for (; job.round != rounds && !status; job.round++) {
		status = one_round(&job);
		if (!status)
			status = ask_whether_over(&job, &rounds);
		if (job.round || status)
			continue;
		puts("going");
		while (stuck(job.rank))
			pause();
	}
	int code = status ? tell(&job, status) : 0;

	free(job.send);
	free(job.recv);
	status = totum_comm_free(job.comm);
	return status && !code ? tell(&job, status) : code;
}
