/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor_cores - the cores that ranks may use, against the number of ranks.
 *
 * A container often sees all cores of its machine and may use few: the affinity mask and the
 * control group's quota decide, as they do in the library.
 */
#include "doctor_checks.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CPUS = 8192 };

struct mask {
	cpu_set_t sets[MOST_CPUS / CPU_SETSIZE];
};

static bool has_cpu(const void *sets, int cpu)
{
	return CPU_ISSET_S((size_t)cpu, sizeof(struct mask), (const cpu_set_t *)sets);
}

/* False where the kernel does not say. */
static bool allowed(struct mask *mask, int *count)
{
	memset(mask, 0, sizeof *mask);
	if (sched_getaffinity(0, sizeof *mask, mask->sets))
		return false;
	*count = CPU_COUNT_S(sizeof *mask, mask->sets);
	return true;
}

/* cpu.max is "max 100000" or "150000 100000". */
static void take_quota(const char *path, void *context)
{
	char line[64];
	int64_t limit, period;
	double *least = context;

	if (sscanf(doctor_line(path, line, sizeof line), "%" SCNd64 " %" SCNd64, &limit, &period) !=
	    2)
		return;
	if (limit > 0 && period > 0 && (double)limit / (double)period < *least)
		*least = (double)limit / (double)period;
}

/* Version 1 has two files. */
static void take_old_quota(const char *path, void *context)
{
	char line[64], other[512];
	int64_t limit, period = 0;
	double *least = context;

	if (sscanf(doctor_line(path, line, sizeof line), "%" SCNd64, &limit) != 1 || limit <= 0)
		return;
	snprintf(other, sizeof other, "%.*s/cpu.cfs_period_us", (int)(strrchr(path, '/') - path),
		 path);
	if (sscanf(doctor_line(other, line, sizeof line), "%" SCNd64, &period) == 1 && period > 0 &&
	    (double)limit / (double)period < *least)
		*least = (double)limit / (double)period;
}

/* Cores, HUGE_VAL: no quota. */
static double quota(void)
{
	double least = HUGE_VAL;

	doctor_groups("", "cpu.max", take_quota, &least);
	doctor_groups("cpu", "cpu.cfs_quota_us", take_old_quota, &least);
	return least;
}

int doctor_usable_cores(void)
{
	struct mask mask;
	int count = 1;
	double most = ceil(quota());

	allowed(&mask, &count);
	if (most < count)
		count = (int)most;
	return count > 1 ? count : 1;
}

/* How many of the cpus are first in the list of those that share their core. */
static int physical(const struct mask *mask)
{
	char path[96], line[64];
	int cores = 0;

	for (int cpu = 0; cpu < MOST_CPUS; cpu++) {
		if (!has_cpu(mask->sets, cpu))
			continue;
		snprintf(path, sizeof path,
			 "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
		doctor_line(path, line, sizeof line);
		int first = atoi(line);
		cores += !line[0] || first == cpu || !has_cpu(mask->sets, first);
	}
	return cores;
}

static void say_cpus(struct doctor *doctor)
{
	struct mask mask;
	int count = 0;
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (!allowed(&mask, &count)) {
		doctor_say(doctor, DOCTOR_NOTE, "affinity", NULL,
			   "the kernel does not say which cpus this process may use");
		return;
	}
	int cores = physical(&mask);
	if (cores < count)
		doctor_say(doctor, DOCTOR_NOTE, "affinity",
			   "two threads of a core share its speed: start a rank a core, with "
			   "`totum run --bind-to=core` where cpus come in pairs",
			   "%d of %ld cpus, which are threads of %d cores", count, online, cores);
	else
		doctor_say(doctor, DOCTOR_OK, "affinity", NULL, "%d of %ld cpus", count, online);
	doctor_value(doctor, json_integer(count));
}

static void say_quota(struct doctor *doctor)
{
	double most = quota();

	if (isinf(most)) {
		doctor_say(doctor, DOCTOR_OK, "quota", NULL, "the control group sets none");
		return;
	}
	bool whole = most == floor(most);
	doctor_say(doctor, whole ? DOCTOR_OK : DOCTOR_NOTE, "quota",
		   whole ? NULL
			 : "a rank that is stopped in the middle of a period stops all others: "
			   "give whole cores",
		   "the control group may use %.4g cores", most);
	doctor_value(doctor, json_real(most));
}

static void say_load(struct doctor *doctor)
{
	double load;

	if (getloadavg(&load, 1) != 1)
		return;
	if (load > doctor->cores + 0.5)
		doctor_say(doctor, DOCTOR_NOTE, "load",
			   "measure when nothing else runs, and compare only what ran in turn",
			   "%.1f processes wanted to run in the last minute, on %d cores: times "
			   "will vary",
			   load, doctor->cores);
	else
		doctor_say(doctor, DOCTOR_OK, "load", NULL, "%.1f in the last minute", load);
	doctor_value(doctor, json_real(load));
}

void doctor_cores(struct doctor *doctor)
{
	doctor_group(doctor, "cores");
	say_cpus(doctor);
	say_quota(doctor);
	if (doctor->ranks > doctor->cores)
		doctor_say(doctor, DOCTOR_NOTE, "ranks",
			   "start no more ranks than there are cores, or give the job more; "
			   "--ranks says how many "
			   "are meant",
			   "%d ranks on %d core%s: a rank that waits yields its core and then "
			   "sleeps, and a "
			   "small call takes as long as the scheduler",
			   doctor->ranks, doctor->cores, doctor->cores == 1 ? "" : "s");
	else
		doctor_say(doctor, DOCTOR_OK, "ranks", NULL,
			   "%d on %d cores: every rank has one, and spins while it waits",
			   doctor->ranks, doctor->cores);
	say_load(doctor);
}
