/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * census.h - what this process and its job hold: descriptors, mappings, threads, private and
 * shared memory.
 */
#ifndef CENSUS_H
#define CENSUS_H

#include "ranks/harness.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/stat.h>

struct census {
	long descriptors, mappings, threads;
	long private_kb; /* resident anonymous memory */
	long job_kb;     /* of all ranks, in the job's nameless files */
};

static inline bool census_is_job(const char *descriptor, long *kb)
{
	char path[64], target[64];
	struct stat facts;

	snprintf(path, sizeof path, "/proc/self/fd/%.20s", descriptor);
	ssize_t length = readlink(path, target, sizeof target - 1);
	if (length <= 0)
		return false;
	target[length] = 0;
	if (!strstr(target, "totum") || stat(path, &facts))
		return false;
	*kb = (long)facts.st_blocks / 2;
	return true;
}

static inline long census_entries(const char *folder, long *job_kb)
{
	DIR *open = opendir(folder);
	long count = 0, kb;

	if (!open)
		fail("cannot read %s", folder);
	for (struct dirent *entry; (entry = readdir(open)); count++)
		if (job_kb && census_is_job(entry->d_name, &kb))
			*job_kb += kb;
	closedir(open);
	return count;
}

/* Ranks may be threads of one process, where each would count what the other reads /proc with. */
static inline struct census census_take(void)
{
	static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
	struct census now = {0};
	char line[1024];

	pthread_mutex_lock(&turn);
	give_memory_back();
	now.descriptors = census_entries("/proc/self/fd", &now.job_kb);
	now.threads = census_entries("/proc/self/task", NULL);
	FILE *maps = fopen("/proc/self/maps", "r"), *status = fopen("/proc/self/status", "r");
	if (!maps || !status)
		fail("cannot read /proc/self");
	while (fgets(line, sizeof line, maps))
		now.mappings++;
	while (fgets(line, sizeof line, status))
		sscanf(line, "RssAnon: %ld", &now.private_kb);
	fclose(maps);
	fclose(status);
	pthread_mutex_unlock(&turn);
	return now;
}

/* The C library keeps some memory for later, a sanitizer much; neither grows with the work. */
static inline void census_compare(const struct census *before, const struct census *after)
{
	enum { MAPPINGS = 16, PRIVATE_KB = 8192, JOB_KB = 8192 };

	if (after->descriptors > before->descriptors || after->threads > before->threads)
		fail("descriptors %ld -> %ld, threads %ld -> %ld", before->descriptors,
		     after->descriptors, before->threads, after->threads);
	if (after->job_kb > before->job_kb + JOB_KB)
		fail("the job's shared memory %ld -> %ld KiB", before->job_kb, after->job_kb);
	if (SLOWNESS) /* that of a sanitizer, which keeps more */
		return;
	if (after->mappings > before->mappings + MAPPINGS)
		fail("mappings %ld -> %ld", before->mappings, after->mappings);
	if (after->private_kb > before->private_kb + PRIVATE_KB)
		fail("private memory %ld -> %ld KiB", before->private_kb, after->private_kb);
}

#endif
