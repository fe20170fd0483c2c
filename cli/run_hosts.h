/* SPDX-License-Identifier: BSD-3-Clause */
/* run_hosts.h - the options of totum run that are about several hosts. */
#ifndef RUN_HOSTS_H
#define RUN_HOSTS_H

#include "launch_hosts.h"

#include <argp.h>

struct run_hosts {
	struct launch_hosts hosts; /* n 0: this host alone */
	const char *lists, *file;  /* by which option they were given; NULL: not */
	const char *other;         /* an option that makes no sense without them */
};

/* A child of the parser of totum run; its input is a struct run_hosts, all zero. */
extern const struct argp run_hosts_argp;

/* Refuses what does not fit together, and places the ranks: *nranks 0 becomes one a slot. */
void run_hosts_check(struct run_hosts *run, int *nranks, struct argp_state *state);

#endif
