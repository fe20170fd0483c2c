/* SPDX-License-Identifier: BSD-3-Clause */
/* totum run - starts a program as the ranks of a job; the work is in launch.c and the files it names. */
#include "command.h"
#include "launch.h"
#include "launch_nodes.h"
#include "launch_order.h"
#include "options.h"
#include "run_hosts.h"
#include "share.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	KEY_BIND = 0x100,
	KEY_PER_NODE,
	KEY_REPORT,
	KEY_TIMEOUT,
	KEY_TAG,
	KEY_GRACE,
	KEY_SHARE,
	KEY_DIRECTORY,
	KEY_AGENT
};

struct run {
	struct launch_options launch;
	struct run_hosts hosts;
	const char *directory; /* NULL: here */
	bool agent;
	char **environment; /* as many places as arguments, so that it always suffices */
	char **program;
	bool shares;
};

static const struct argp_option options[] = {
	{"nranks", 'n', "N", 0, "Start N ranks, 1 to 4096; -np N and --np=N are the same", 0},
	{"np", 'n', NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
	{"nproc-per-node", KEY_PER_NODE, "N", 0, "With --nnodes: the same as -n", 0},
	{"nproc_per_node", KEY_PER_NODE, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
	{"env", 'x', "VAR[=VALUE]", 0,
	 "Set a variable for all ranks; without a value, to the one that it has here", 0},
	{"wdir", KEY_DIRECTORY, "DIR", 0, "Start the ranks in this directory, not in this one", 0},
	{"bind-to", KEY_BIND, "WHAT", 0,
	 "core: rank i on the i-th allowed cpu, round and round; none (default)", 0},
	{"report-bindings", KEY_REPORT, NULL, 0, "Say which cpus each rank may use", 0},
	{"tag-output", KEY_TAG, NULL, 0,
	 "Put \"[rank] \" before each line, and keep lines whole", 0},
	{"timeout", KEY_TIMEOUT, "TIME", 0,
	 "End the job after this time, like 30s, with exit code 124", 0},
	{"grace", KEY_GRACE, "TIME", 0,
	 "From SIGTERM to SIGKILL when the job is ended (default 2s)", 0},
	{"share-memory", KEY_SHARE, NULL, 0,
	 "Let ranks read each other's large allocations where they lie", 0},
	{"verbose", 'v', NULL, 0, "Say when a rank starts and ends", 0},
	{"agent", KEY_AGENT, NULL, OPTION_HIDDEN, NULL, 0},
	{0},
};

static void add_variable(struct run *run, char *entry, struct argp_state *state)
{
	char **end = run->environment;

	if (!strcspn(entry, "="))
		argp_error(state, "-x: there is no name before the value; give VAR or VAR=VALUE");
	if (launch_order_own(entry))
		argp_error(state, "-x: %.*s is set by totum run itself; leave it out",
			   (int)strcspn(entry, "="), entry);
	if (!strchr(entry, '=')) {
		const char *value = getenv(entry);

		if (!value)
			argp_error(state, "-x: %.40s is not set here; set it or give %.40s=VALUE",
				   entry, entry);
		if (asprintf(&entry, "%s=%s", entry, value ? value : "") < 0)
			argp_failure(state, LAUNCH_FAULT, 0, "no memory");
	}
	while (*end)
		end++;
	*end = entry;
}

static void set_nranks(struct run *run, const char *arg, struct argp_state *state)
{
	long nranks;

	if (!strcmp(arg, "p") && state->next < state->argc) /* -np N, as other launchers have it */
		arg = state->argv[state->next++];
	if (!option_int(arg, 1, LAUNCH_MAX_RANKS, &nranks))
		argp_error(state, "-n: %s", option_error());
	run->launch.nranks = (int)nranks;
}

static void set_bind(struct run *run, const char *arg, struct argp_state *state)
{
	static const char *const names[] = {
		[LAUNCH_BIND_NONE] = "none", [LAUNCH_BIND_CORE] = "core", NULL};
	int choice;

	if (!option_choice(arg, names, &choice))
		argp_error(state, "--bind-to: %s", option_error());
	run->launch.bind = (enum launch_bind)choice;
}

/* What only all options together can tell. */
static void check(struct run *run, struct argp_state *state)
{
	if (run->agent)
		return;
	if (!run->program)
		argp_error(state, "which program? Give it like: totum run -n 4 -- PROGRAM");
	run_hosts_check(&run->hosts, &run->launch.nranks, state);
	if (!run->launch.nranks)
		argp_error(state, "how many ranks? Give -n N");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run *run = state->input;

	switch (key) {
	case 'n':
		set_nranks(run, arg, state);
		return 0;
	case KEY_PER_NODE:
		run->hosts.node_only = "--nproc-per-node";
		set_nranks(run, arg, state);
		return 0;
	case 'x':
		add_variable(run, arg, state);
		return 0;
	case KEY_BIND:
		set_bind(run, arg, state);
		return 0;
	case KEY_TIMEOUT:
		if (!option_seconds(arg, &run->launch.timeout))
			argp_error(state, "--timeout: %s", option_error());
		return 0;
	case KEY_GRACE:
		if (!option_seconds(arg, &run->launch.grace))
			argp_error(state, "--grace: %s", option_error());
		return 0;
	case KEY_DIRECTORY:
		run->directory = arg;
		return 0;
	case KEY_AGENT:
		run->agent = true;
		return 0;
	case KEY_REPORT:
		run->launch.report_bindings = true;
		return 0;
	case KEY_TAG:
		run->launch.tag_output = true;
		return 0;
	case KEY_SHARE:
		run->shares = true;
		return 0;
	case 'v':
		run->launch.verbose = true;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = &run->hosts;
		return 0;
	case ARGP_KEY_ARG:
		run->program = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		check(run, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* With all that the options ask for at hand. */
static int launch(struct run *run, const char *name)
{
	static char here[PATH_MAX];

	if (run->directory && chdir(run->directory)) {
		fprintf(stderr, "%s: --wdir: cannot enter %.400s: %s\n", name, run->directory,
			strerror(errno));
		return 2;
	}
	if (run->hosts.hosts.n) {
		if (!run->directory && !getcwd(here, sizeof here)) {
			fprintf(stderr, "%s: this directory has no path: %s\n", name,
				strerror(errno));
			return LAUNCH_FAULT;
		}
		run->hosts.hosts.directory = run->directory ? run->directory : here;
		run->launch.hosts = &run->hosts.hosts;
	}
	if (run->hosts.hosts.nodes && run->hosts.nodes.rank)
		return launch_node(&run->launch, run->program);
	return launch_job(&run->launch, run->program);
}

static int run_main(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&run_hosts_argp, 0, "On several hosts:", 1},
		{&run_nodes_argp, 0, "On several hosts, with a totum run on each:", 2},
		{0},
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[--] PROGRAM [ARGUMENT...]",
		.doc = "Run PROGRAM as the ranks of a job, on this host or on several."
		       "\vThe first rank that fails ends the job, and its exit code (128 + the "
		       "signal that killed it) is that of totum run.  124: timeout; 125: the "
		       "launcher failed or a host was lost; 126, 127: PROGRAM cannot be executed, "
		       "is not found.  Nothing that a rank has started is left behind.",
		.children = children,
	};
	char library[PATH_MAX];
	static struct run run;

	run.launch.name = argv[0];
	run.launch.grace = 2;
	run.environment = calloc((size_t)argc + 1, sizeof *run.environment);
	if (!run.environment)
		return LAUNCH_FAULT;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &run);
	if (run.agent)
		return launch_agent(argv[0]);
	run.launch.environment = run.environment;
	if (run.shares)
		run.launch.preload = library;
	if (!run.shares || share_find(library, sizeof library))
		return launch(&run, argv[0]);
	fprintf(stderr, "%s: --share-memory: %s\n", argv[0], library);
	return LAUNCH_FAULT;
}

const struct command command_run = {"run", "run a program as the ranks of a job", run_main};
