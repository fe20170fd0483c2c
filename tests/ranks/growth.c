/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * growth - creating, using and freeing leaves nothing behind, for tests/cli/growth.sh.  ranks: none
 *
 * A census of this process (descriptors, mappings, threads, resident memory) after a warm-up, and
 * again after 500 communicators, 500 jobs and 20,000 gathers of random sizes.  Two counts may
 * differ by a few: the allocator and the C library keep some things for later, but not in
 * proportion to the work.
 */
#include "ranks/problem.h"

#include <dirent.h>

enum { COMMUNICATORS = 500, JOBS = 500, GATHERS = 20000, LARGEST = 1 << 16 };

struct census {
	long descriptors, mappings, threads, resident_kb;
};

static long entries(const char *folder)
{
	DIR *open = opendir(folder);
	long count = 0;

	if (!open)
		fail("cannot read %s", folder);
	while (readdir(open))
		count++;
	closedir(open);
	return count;
}

static struct census take_census(void)
{
	struct census now = {entries("/proc/self/fd"), 0, entries("/proc/self/task"), 0};
	FILE *maps = fopen("/proc/self/maps", "r"), *status = fopen("/proc/self/status", "r");
	char line[1024];

	if (!maps || !status)
		fail("cannot read /proc/self");
	while (fgets(line, sizeof line, maps))
		now.mappings++;
	while (fgets(line, sizeof line, status))
		sscanf(line, "VmRSS: %ld", &now.resident_kb);
	fclose(maps);
	fclose(status);
	return now;
}

static void compare(struct census before, struct census after)
{
	bool sanitizer = SLOWNESS > 0; /* it keeps freed memory on purpose */

	if (after.descriptors > before.descriptors || after.threads > before.threads)
		fail("descriptors %ld -> %ld, threads %ld -> %ld", before.descriptors,
		     after.descriptors, before.threads, after.threads);
	if (!sanitizer && after.mappings > before.mappings + 4)
		fail("mappings %ld -> %ld", before.mappings, after.mappings);
	if (!sanitizer && after.resident_kb > before.resident_kb + 4096)
		fail("resident memory %ld -> %ld KiB", before.resident_kb, after.resident_kb);
}

static void communicators(totum_comm *comm, int rounds)
{
	int rank = totum_comm_rank(comm), got[HARNESS_RANKS];

	for (int i = 0; i < rounds; i++) {
		totum_comm *made = NULL;

		configure_algorithm(comm, i % 3 ? "auto" : "ring");
		if (i % 2)
			ok(totum_comm_dup(comm, &made));
		else
			ok(totum_comm_split(comm, rank % 2, -rank, &made));
		ok(totum_allgather(&rank, got, 1, TOTUM_I32, made));
		ok(totum_comm_free(made));
	}
	configure_algorithm(comm, "auto");
}

/* Whole jobs: the meeting of the processes, the segment, everything. */
static void jobs(totum_comm *comm, int rounds, const char *name)
{
	int rank = totum_comm_rank(comm), nranks = totum_comm_nranks(comm), got[HARNESS_RANKS];
	uint64_t job = now_ns();

	ok(totum_broadcast(&job, &job, 1, TOTUM_U64, 0, comm));
	for (int i = 0; i < rounds; i++) {
		char root[64];
		totum_comm *made;

		snprintf(root, sizeof root, "local:%s-%llx-%d", name, (unsigned long long)job, i);
		ok(totum_comm_create(rank, nranks, root, "growth", &made));
		ok(totum_allgather(&rank, got, 1, TOTUM_I32, made));
		ok(totum_comm_free(made));
	}
}

static void gathers(totum_comm *comm, int calls)
{
	size_t nranks = (size_t)totum_comm_nranks(comm);
	struct buffer send = buffer_new(LARGEST, 0), recv = buffer_new(LARGEST * nranks, 0);
	uint64_t random = seed();
	char name[ALGORITHM_TEXT];

	fill(send.data, LARGEST, totum_comm_rank(comm), 7);
	for (int i = 0; i < calls; i++) {
		size_t bytes = (size_t)below(&random, (uint64_t)1 << (1 + below(&random, 16)));

		if (i % 100 == 0) {
			algorithm_name("allgather", (int)nranks, 0, name);
			if (i % 200 == 0 &&
			    !algorithm_name("allgather", (int)nranks, i / 200 % 8, name))
				algorithm_name("allgather", (int)nranks, 0, name);
			configure_algorithm(comm, name);
		}
		totum_status status = totum_allgather(send.data, recv.data, bytes, TOTUM_U8, comm);

		if (status != TOTUM_EUNSUPPORTED)
			ok(status);
	}
	configure_algorithm(comm, "auto");
	buffer_free(&send, "send");
	buffer_free(&recv, "recv");
}

static void all(totum_comm *comm, int share, const char *name)
{
	step("growth:n=%d:communicators", totum_comm_nranks(comm));
	communicators(comm, COMMUNICATORS / share);
	step("growth:n=%d:jobs", totum_comm_nranks(comm));
	jobs(comm, JOBS / share, name);
	step("growth:n=%d:gathers", totum_comm_nranks(comm));
	gathers(comm, GATHERS / share);
}

static void test(totum_comm *comm)
{
	all(comm, 5, "warm");
	ok(totum_barrier(comm));
	struct census before = take_census();

	all(comm, 1, "full");
	ok(totum_barrier(comm));
	step("growth:n=%d:census", totum_comm_nranks(comm));
	compare(before, take_census());
}
