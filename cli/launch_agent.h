/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_agent.h - a host's part in a job of several, whoever has started it: ssh, or a user. */
#ifndef LAUNCH_AGENT_H
#define LAUNCH_AGENT_H

#include "launch_order.h"
#include "launch_root.h"

struct stream {
	int fd;     /* -1: closed */
	int window; /* bytes that the hub has room for */
};

struct agent {
	struct launch_order order; /* begins with the job */
	struct wire_channel hub;
	const struct launch_nodes *node; /* not NULL: ranks have this process's own streams */
	struct launch_root root;
	pid_t keeper; /* 0: not started; -1: has ended */
	int control;  /* to it; -1: closed */
	int input;    /* to rank 0; -1: closed */
	bool input_ends;
	struct wire_bytes pending; /* input that rank 0 has not taken */
	struct stream streams[2];
	bool hub_lives;
	double heard; /* when the hub has last said something */
	bool output_lost;
	int verdict;                    /* a node's: the job's exit code; -1: not known yet */
	char sentence[LAUNCH_SENTENCE]; /* with it */
};

extern const struct agent agent_unborn;

/* Does what the hub says until all is over, or the hub is lost: then agent->hub_lives is false. */
void agent_serve(struct agent *agent);

#endif
