/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cores - the affinity masks of all ranks, and the control group's quota.
 *
 * A container often sees all cores of its machine and may use two: the quota counts, rounded up.
 */
#include "host/cores.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* The first line of a file of /sys/fs/cgroup, "" when there is none. */
static void read_line(const char *folder, const char *name, char *line, size_t size)
{
	char path[512];

	line[0] = 0;
	snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", folder, name);
	FILE *file = fopen(path, "re");
	if (!file)
		return;
	if (!fgets(line, (int)size, file))
		line[0] = 0;
	fclose(file);
}

/* This process's folder within the unified hierarchy: the line "0::/a/b" of /proc/self/cgroup. */
static void own_folder(char *folder, size_t size)
{
	char line[400];

	folder[0] = 0;
	FILE *file = fopen("/proc/self/cgroup", "re");
	if (!file)
		return;
	while (fgets(line, sizeof line, file))
		if (!strncmp(line, "0::/", 4)) {
			line[strcspn(line, "\n")] = 0;
			snprintf(folder, size, "%s", strcmp(line + 3, "/") ? line + 3 : "");
		}
	fclose(file);
}

static int quota(void)
{
	char folder[400], line[64], period_line[64];
	int64_t limit = 0, period = 0;

	own_folder(folder, sizeof folder);
	read_line(folder, "cpu.max", line, sizeof line);
	if (!line[0])
		read_line("", "cpu.max", line, sizeof line);
	if (sscanf(line, "%" SCNd64 " %" SCNd64, &limit, &period) != 2) {
		read_line("/cpu", "cpu.cfs_quota_us", line, sizeof line);
		read_line("/cpu", "cpu.cfs_period_us", period_line, sizeof period_line);
		if (sscanf(line, "%" SCNd64, &limit) != 1 ||
		    sscanf(period_line, "%" SCNd64, &period) != 1)
			return 0;
	}
	return limit > 0 && period > 0 ? (int)((limit + period - 1) / period) : 0;
}

void tt_cores_publish(struct tt_segment_rank *rank)
{
	cpu_set_t mine;

	/* all relaxed: the others read them after the start has synchronised all ranks */
	atomic_store_explicit(&rank->quota, quota(), memory_order_relaxed);
	if (sched_getaffinity(0, sizeof mine, &mine))
		return; /* all zero: says nothing */
	for (unsigned cpu = 0; cpu < TT_CPU_WORDS * 64 && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &mine))
			atomic_fetch_or_explicit(&rank->cpus[cpu / 64], UINT64_C(1) << cpu % 64,
						 memory_order_relaxed);
}

int tt_cores_usable(struct tt_segment_rank ranks[], int nranks)
{
	int cores = 0, most = 0;

	for (int word = 0; word < TT_CPU_WORDS; word++) {
		uint64_t any = 0;
		for (int rank = 0; rank < nranks; rank++)
			any |= atomic_load_explicit(&ranks[rank].cpus[word], memory_order_relaxed);
		cores += __builtin_popcountll(any);
	}
	for (int rank = 0; rank < nranks; rank++) {
		int granted = atomic_load_explicit(&ranks[rank].quota, memory_order_relaxed);
		if (granted && (!most || granted < most))
			most = granted;
	}
	if (most && most < cores)
		cores = most;
	return cores ? cores : 1;
}
