/* SPDX-License-Identifier: BSD-3-Clause */
/* run_hosts.h - the options of totum run that are about several hosts. */
#ifndef RUN_HOSTS_H
#define RUN_HOSTS_H

#include "launch_hosts.h"
#include "launch_nodes.h"

#include <argp.h>

struct run_hosts {
	struct launch_hosts hosts; /* n 0: this host alone */
	struct launch_nodes nodes;
	int nnodes;               /* 0: not given */
	bool has_rank;            /* of this node */
	const char *secret;       /* the path of its file */
	const char *root;         /* as it was given */
	char address[240];        /* of it */
	const char *lists, *file; /* by which option hosts were given; NULL: not */
	/* options that make no sense without several hosts, without ssh, without nodes */
	const char *other, *ssh_only, *node_only;
};

/* --root: "10.0.0.1", "name:4711", "[fd00::1]:4711", "fd00::1". */
void run_hosts_set_root(struct run_hosts *run, const char *arg, struct argp_state *state);

/* Children of the parser of totum run; their input is a struct run_hosts, all zero. */
extern const struct argp run_hosts_argp, run_nodes_argp;

/*
 * Refuses what does not fit together, and places the ranks: *nranks 0 becomes one a slot.  Where
 * there are several hosts run->hosts.n is not 0 after that.
 */
void run_hosts_check(struct run_hosts *run, int *nranks, struct argp_state *state);
/* The same for nodes. */
void run_nodes_check(struct run_hosts *run, int nranks, struct argp_state *state);

#endif
