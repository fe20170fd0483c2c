/* SPDX-License-Identifier: BSD-3-Clause */
/* run_nodes - reads the options of totum run where it is started on each host by somebody else. */
#include "launch.h"
#include "options.h"
#include "run_hosts.h"

#include <stdio.h>
#include <stdlib.h>

enum { KEY_NNODES = 0x300, KEY_RANK, KEY_SECRET, KEY_ENDPOINT };

static const struct argp_option options[] = {
	{"nnodes", KEY_NNODES, "M", 0,
	 "The job has M launchers, started by you, which meet at --root; -n is then of this one",
	 0},
	{"node-rank", KEY_RANK, "I", 0, "Which of them this is, from 0", 0},
	{"node_rank", KEY_RANK, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
	{"rdzv-endpoint", KEY_ENDPOINT, "HOST:PORT", 0, "The same as --root", 0},
	{"rdzv_endpoint", KEY_ENDPOINT, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
	{"secret-file", KEY_SECRET, "FILE", 0,
	 "The secret that they share (default TOTUM_SECRET_FILE)", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_hosts *run = state->input;
	long value;

	switch (key) {
	case KEY_NNODES:
		if (!option_int(arg, 1, LAUNCH_MAX_HOSTS, &value))
			argp_error(state, "--nnodes: %s", option_error());
		run->nnodes = (int)value;
		return 0;
	case KEY_RANK:
		run->node_only = "--node-rank";
		if (!option_int(arg, 0, LAUNCH_MAX_HOSTS - 1, &value))
			argp_error(state, "--node-rank: %s", option_error());
		run->nodes.rank = (int)value;
		run->has_rank = true;
		return 0;
	case KEY_ENDPOINT:
		run->node_only = "--rdzv-endpoint";
		run_hosts_set_root(run, arg, state);
		return 0;
	case KEY_SECRET:
		run->node_only = "--secret-file";
		run->secret = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp run_nodes_argp = {.options = options, .parser = parse};

static void name_nodes(struct run_hosts *run, int nranks, struct argp_state *state)
{
	struct launch_hosts *hosts = &run->hosts;

	hosts->n = run->nnodes;
	hosts->list = calloc((size_t)hosts->n, sizeof *hosts->list);
	for (int i = 0; hosts->list && i < hosts->n; i++)
		if (asprintf(&hosts->list[i].name, "node %d", i) < 0)
			hosts->list = NULL;
	if (!hosts->list)
		argp_failure(state, LAUNCH_FAULT, 0, "no memory");
	hosts->list[0].nranks = nranks; /* of node 0, if we are that */
}

static void read_secret(struct run_hosts *run, struct argp_state *state)
{
	char error[512];

	if (!run->secret)
		run->secret = getenv("TOTUM_SECRET_FILE");
	if (!run->secret || !*run->secret)
		argp_error(state,
			   "--nnodes needs a secret that all nodes have; give --secret-file "
			   "FILE, made by: (umask 077; head -c 32 /dev/urandom | base64 >FILE)");
	if (!launch_proof_there_is())
		argp_error(state, "--nnodes: this totum was built without OpenSSL; build it with");
	if (!launch_secret_read(run->secret, &run->nodes.secret, error, sizeof error))
		argp_error(state, "--secret-file: %s", error);
}

void run_nodes_check(struct run_hosts *run, int nranks, struct argp_state *state)
{
	if (run->ssh_only)
		argp_error(state,
			   "%s is for hosts that are reached by ssh, and --nnodes for those "
			   "that are not; leave one of them out",
			   run->ssh_only);
	if (!nranks)
		argp_error(state, "how many ranks on this host? Give -n N");
	if (!run->has_rank && run->nnodes > 1)
		argp_error(state, "which of the %d nodes is this? Give --node-rank I", run->nnodes);
	if (run->nodes.rank >= run->nnodes)
		argp_error(state, "--node-rank: %d is not below --nnodes %d; nodes count from 0",
			   run->nodes.rank, run->nnodes);
	if (run->nnodes == 1)
		return; /* all ranks are here */
	if (!run->root || !run->nodes.port)
		argp_error(state, "where do the nodes meet? Give an address of node 0 and a port, "
				  "like --root 10.0.0.1:29400");
	read_secret(run, state);
	if (run->hosts.patience <= 0)
		run->hosts.patience = 600;
	run->nodes.root = run->root;
	run->hosts.root = NULL;
	run->hosts.nodes = &run->nodes;
	name_nodes(run, nranks, state);
}
