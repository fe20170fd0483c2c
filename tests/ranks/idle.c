/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * idle - what waiting costs, for tests/cli/idle.sh: the median of a barrier, and the processor time
 * of ranks that wait for a late one.  ranks: none
 *
 * Rank 0 is late by 2.2 s; from 150 ms on it reads the processor time of every other rank in /proc.
 */
#include "ranks/buffers.h"

enum { BARRIERS = 300 };

static int by_size(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static void barriers(totum_comm *comm)
{
	uint64_t taken[BARRIERS];

	for (int i = 0; i < 20; i++)
		ok(totum_barrier(comm));
	for (int i = 0; i < BARRIERS; i++) {
		uint64_t start = now_ns();

		ok(totum_barrier(comm));
		taken[i] = now_ns() - start;
	}
	qsort(taken, BARRIERS, sizeof *taken, by_size);
	uint64_t median = taken[BARRIERS / 2];

	if (totum_comm_rank(comm) == 0)
		printf("%d ranks: barrier median %.1f us, p99 %.1f us\n", totum_comm_nranks(comm),
		       (double)median / 1e3, (double)taken[BARRIERS * 99 / 100] / 1e3);
	if (median > 50000000)
		fail("the median barrier takes %.1f ms", (double)median / 1e6);
}

/* Seconds that a process has run: fields 14 and 15 of its stat, after the name. */
static double processor_time(int pid)
{
	unsigned long user = 0, kernel = 0;
	char path[64], text[1024] = "";

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	FILE *stat = fopen(path, "r");

	if (!stat || !fgets(text, sizeof text, stat))
		fail("cannot read %s", path);
	fclose(stat);
	const char *after = strrchr(text, ')');

	if (!after || sscanf(after, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
			     &kernel) != 2)
		fail("cannot understand %s", path);
	return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

static void be_late(const int *pids, int nranks)
{
	double before[HARNESS_RANKS], worst = 0;

	nap_us(150000);
	uint64_t start = now_ns();

	for (int r = 1; r < nranks; r++)
		before[r] = processor_time(pids[r]);
	nap_us(2000000);
	double seconds = (double)(now_ns() - start) / 1e9;

	for (int r = 1; r < nranks; r++) {
		double share = (processor_time(pids[r]) - before[r]) / seconds;

		if (share > worst)
			worst = share;
		if (share > 0.10)
			fail("waiting rank %d uses %.0f%% of a core", r, 100 * share);
	}
	printf("%d ranks: a waiting rank uses at most %.1f%% of a core\n", nranks, 100 * worst);
	fflush(stdout);
}

static void test(totum_comm *comm)
{
	int pid = (int)getpid(), pids[HARNESS_RANKS], nranks = totum_comm_nranks(comm);

	step("idle:n=%d:barriers", nranks);
	barriers(comm);
	ok(totum_allgather(&pid, pids, 1, TOTUM_I32, comm));
	for (int i = 0; i < 2; i++) {
		step("idle:n=%d:late by %s", nranks, i ? "ring" : "auto");
		ok(totum_comm_configure(comm, i ? "algo=ring" : "algo=auto"));
		if (totum_comm_rank(comm) == 0)
			be_late(pids, nranks);
		ok(totum_allgather(&pid, pids, 1, TOTUM_I32, comm));
	}
}
