/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * first_touch - memory for all ranks is not touched by the one who makes it, so that each page lies
 * near the rank that writes it first: after communicators were made and have met once, almost
 * nothing of their shared memory exists; an allocation and a window exist where they were written.
 *
 * ranks: 1 3
 */
#include "ranks/buffers.h"

#include <dirent.h>
#include <sys/stat.h>

enum { LARGE = 64 << 20, WRITTEN = 1 << 20 };

/* Of the shared memory of this process's jobs, all together. */
static uint64_t existing(void)
{
	DIR *folder = opendir("/proc/self/fd");
	uint64_t bytes = 0;
	char path[300], target[64];
	struct stat facts;

	if (!folder)
		fail("cannot read /proc/self/fd");
	for (struct dirent *entry; (entry = readdir(folder));) {
		snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
		ssize_t length = readlink(path, target, sizeof target - 1);

		target[length > 0 ? length : 0] = 0;
		if (strncmp(target, "/memfd:totum ", 13) == 0 && !stat(path, &facts))
			bytes += (uint64_t)facts.st_blocks * 512;
	}
	closedir(folder);
	return bytes;
}

/* Where every page of shared memory is a huge one, little cannot be told from much. */
static bool pages_are_small(void)
{
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "r");
	char line[128] = "";

	if (!file)
		return true;
	bool known = fgets(line, sizeof line, file);

	fclose(file);
	return !known || strstr(line, "[never]") || strstr(line, "[advise]") ||
	       strstr(line, "[deny]");
}

static void grown(const char *what, uint64_t before, uint64_t least, uint64_t most)
{
	uint64_t bytes = existing() - before;

	if (bytes < least || bytes > most)
		fail("%s: %llu bytes more exist; wanted %llu to %llu", what,
		     (unsigned long long)bytes, (unsigned long long)least,
		     (unsigned long long)most);
}

/* What exists while no rank is about to change it. */
static uint64_t settled(totum_comm *world)
{
	ok(totum_barrier(world));
	uint64_t bytes = existing();

	ok(totum_barrier(world));
	return bytes;
}

static void communicator(totum_comm *world)
{
	struct totum_memory memory = {.size = sizeof memory};
	totum_comm *comm;

	step("first_touch:n=%d:communicator", totum_comm_nranks(world));
	uint64_t before = settled(world);

	ok(totum_comm_dup(world, &comm));
	ok(totum_barrier(comm));
	ok(totum_memory_stats(comm, &memory));
	grown("a communicator", before, 1, memory.comm / 8);
	ok(totum_barrier(world));
	ok(totum_comm_free(comm));
	ok(totum_barrier(world));
}

/* One rank writes a part of what it has, and that much exists. */
static void allocation(totum_comm *world)
{
	step("first_touch:n=%d:allocation", totum_comm_nranks(world));
	uint64_t before = settled(world);
	unsigned char *memory = NULL;

	if (totum_comm_rank(world) == 0) {
		ok(totum_alloc(world, LARGE, (void **)&memory));
		memset(memory + WRITTEN, 1, WRITTEN);
	}
	ok(totum_barrier(world));
	/* the pages may be huge */
	grown("an allocation", before, WRITTEN, WRITTEN + (4 << 20));
	ok(totum_barrier(world));
	ok(totum_free(world, memory));
	ok(totum_barrier(world));
	grown("its end", before, 0, WRITTEN / 2);
	ok(totum_barrier(world));
}

static void window(totum_comm *world)
{
	int rank = totum_comm_rank(world), nranks = totum_comm_nranks(world);
	totum_window *made;

	step("first_touch:n=%d:window", nranks);
	uint64_t before = settled(world);

	ok(totum_window_create(world, LARGE, &made));
	ok(totum_barrier(world));
	grown("a window", before, 0, WRITTEN);
	ok(totum_barrier(world));
	memset((unsigned char *)totum_window_data(made) + (size_t)rank * 2 * WRITTEN, 1, WRITTEN);
	ok(totum_barrier(world));
	grown("a written window", before, (uint64_t)nranks * WRITTEN,
	      (uint64_t)nranks * (WRITTEN + (4 << 20)));
	ok(totum_barrier(world));
	ok(totum_window_free(made));
}

static void test(totum_comm *world)
{
	if (!pages_are_small() || !existing())
		skip("skipped: how much shared memory exists cannot be told here");
	/* the world's own pages exist already: no call here touches more of them */
	for (int i = 0; i < 4; i++)
		ok(totum_barrier(world));
	for (int i = 0; i < 2; i++) {
		communicator(world);
		allocation(world);
		window(world);
	}
}
