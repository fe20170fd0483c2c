/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor_limits - the limits of this process, which its children inherit, against what ranks need.
 *
 * A rank of a job on one host holds a dozen descriptors, the first one another for each rank while
 * they meet, and `totum run` four for each.  The job's memory is one sparse file, and a rank's part
 * of it is mapped whole before it is used.
 */
#include "doctor_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { OWN_DESCRIPTORS = 32 };
static const double file_span = 17.6e12; /* 16 TiB */
static const double heap_span = 256.0 * (1 << 30);

/* HUGE when there is none. */
static double limit_of(enum __rlimit_resource resource, char text[static 16])
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY) {
		snprintf(text, 16, "unlimited");
		return 1e300;
	}
	doctor_bytes((double)limit.rlim_cur, text);
	return (double)limit.rlim_cur;
}

static void say(struct doctor *doctor, enum doctor_level level, const char *name, const char *todo,
		double limit, const char *text, const char *meaning)
{
	doctor_say(doctor, level, name, level ? todo : NULL, "%s%s", text, meaning);
	doctor_value(doctor, limit < 1e300 ? json_real(limit) : json_null());
}

static void say_descriptors(struct doctor *doctor)
{
	char text[16];
	double limit = limit_of(RLIMIT_NOFILE, text), ranks = doctor->ranks;
	char todo[96];

	if (limit < 1e300)
		snprintf(text, sizeof text, "%.0f", limit);
	snprintf(todo, sizeof todo, "ulimit -n %d", 4 * doctor->ranks + 256);
	if (limit < ranks + OWN_DESCRIPTORS)
		say(doctor, DOCTOR_PROBLEM, "descriptors", todo, limit, text,
		    ": too few for the ranks to meet");
	else if (limit < 4 * ranks + OWN_DESCRIPTORS)
		say(doctor, DOCTOR_NOTE, "descriptors", todo, limit, text,
		    ": too few for `totum run` to start them");
	else
		say(doctor, DOCTOR_OK, "descriptors", NULL, limit, text, "");
}

static void take_pids(const char *path, void *context)
{
	char line[32];
	double *least = context;
	char *end;
	double limit = strtod(doctor_line(path, line, sizeof line), &end);

	if (end != line && !*end && limit < *least)
		*least = limit;
}

static void say_processes(struct doctor *doctor)
{
	char text[16];
	double limit = limit_of(RLIMIT_NPROC, text), group = 1e300;

	doctor_groups("", "pids.max", take_pids, &group);
	doctor_groups("pids", "pids.max", take_pids, &group);
	if (group < limit)
		limit = group;
	if (limit < 1e300)
		snprintf(text, sizeof text, "%.0f", limit);
	if (limit < 2.0 * doctor->ranks)
		say(doctor, DOCTOR_NOTE, "processes",
		    "ulimit -u, or pids.max of the control group: twice the number of ranks and "
		    "some more",
		    limit, text, ": perhaps too few for the ranks and what starts them");
	else
		say(doctor, DOCTOR_OK, "processes", NULL, limit, text, "");
}

static void say_spaces(struct doctor *doctor)
{
	char text[16];
	double limit = limit_of(RLIMIT_FSIZE, text);

	if (limit < file_span)
		say(doctor, DOCTOR_PROBLEM, "file size", "ulimit -f unlimited", limit, text,
		    ": the job's shared memory is a sparse file that spans more than 16T");
	else
		say(doctor, DOCTOR_OK, "file size", NULL, limit, text, "");
	limit = limit_of(RLIMIT_AS, text);
	double each = file_span / doctor->ranks < heap_span ? file_span / doctor->ranks : heap_span;
	if (limit < each * doctor->ranks)
		say(doctor, DOCTOR_NOTE, "address space", "ulimit -v unlimited", limit, text,
		    ": totum_alloc and windows map more, though they use little of it, and may "
		    "fail");
	else
		say(doctor, DOCTOR_OK, "address space", NULL, limit, text, "");
}

void doctor_limits(struct doctor *doctor)
{
	char text[16];

	doctor_group(doctor, "limits");
	say_descriptors(doctor);
	say_processes(doctor);
	say_spaces(doctor);
	double limit = limit_of(RLIMIT_MEMLOCK, text);
	say(doctor, DOCTOR_OK, "locked memory", NULL, limit, text,
	    limit < 1e300 ? ": no matter on one host; RDMA between hosts wants ulimit -l unlimited"
			  : "");
}
