/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totum tune - measures the links of a machine, and writes, shows and merges tuning files.
 *
 * Without a launcher's variables in its environment it starts its own ranks, which are this command
 * again with the same arguments; with them it is a rank.
 */
#include "command.h"
#include "lab.h"
#include "launched.h"
#include "options.h"
#include "output.h"
#include "run_hosts.h"
#include "tune.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_BIND = 0x100, KEY_SHOW, KEY_MERGE, KEY_DECIDE, KEY_CHECK, KEY_ALGORITHM, KEY_SIZES };
enum { MOST_FILES = 64 };

struct arguments {
	struct tune_options tune;
	struct run_hosts hosts;
	const char *show, *decide, *check;
	bool merge;
	int nfiles;
	const char *files[MOST_FILES];
};

static const struct argp_option options[] = {
	{"nranks", 'n', "N", 0,
	 "Start N ranks, 2 to 4096 (default: a rank a core); not under a launcher, which has", 0},
	{"output", 'o', "FILE", 0, "Write the tuning file; -: to the standard output, and no table",
	 0},
	{"bind-to", KEY_BIND, "WHAT", 0,
	 "core: rank i on the i-th allowed cpu, round and round; none (default)", 0},
	{"decide", KEY_DECIDE, "LIST", 0,
	 "Also try algorithms, and write decisions where the fastest is not the cheapest; of "
	 "allgather,reduce_scatter,allreduce,broadcast, or all",
	 0},
	{"check", KEY_CHECK, "LIST", 0,
	 "Measure no links: print what TOTUM_TUNING predicts of these collectives, what they take, "
	 "and whether the choice is the best",
	 0},
	{"algorithm", KEY_ALGORITHM, "NAME[,PARAMETER=VALUE]", 0,
	 "Try this one too, whatever its price; may be given again", 0},
	{"sizes", KEY_SIZES, "LOW:HIGH", 0,
	 "Total bytes to try algorithms at, by factors of 4 (8:16M)", 0},
	{"show", KEY_SHOW, "FILE", 0, "Measure nothing: show what a tuning file says", 0},
	{"merge", KEY_MERGE, NULL, 0,
	 "Measure nothing: merge the files behind it; what a later one knows replaces", 0},
	{0},
};

static error_t parse_way(int key, char *arg, struct argp_state *state)
{
	static const char *const names[] = {
		[LAUNCH_BIND_NONE] = "none", [LAUNCH_BIND_CORE] = "core", NULL};
	struct arguments *given = state->input;
	long n;
	int choice;

	switch (key) {
	case 'n':
		if (!option_int(arg, 2, LAUNCH_MAX_RANKS, &n))
			argp_error(state, "-n: %s", option_error());
		given->tune.nranks = (int)n;
		return 0;
	case KEY_BIND:
		if (!option_choice(arg, names, &choice))
			argp_error(state, "--bind-to: %s", option_error());
		given->tune.bind = (enum launch_bind)choice;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* "allgather,broadcast", or all of them. */
static void set_collectives(struct tune_options *tune, const char *list, struct argp_state *state)
{
	static const char *const known[TUNE_COLLECTIVES] = {"allgather", "reduce_scatter",
							    "allreduce", "broadcast"};
	bool all = !strcmp(list, "all");

	for (int i = 0; i < TUNE_COLLECTIVES && all; i++)
		tune->collectives[tune->ncollectives++] = known[i];
	for (const char *at = list; !all; at++) {
		size_t length = strcspn(at, ",");
		int i = 0;

		while (i < TUNE_COLLECTIVES &&
		       (strlen(known[i]) != length || strncmp(known[i], at, length)))
			i++;
		if (i == TUNE_COLLECTIVES || tune->ncollectives == TUNE_COLLECTIVES)
			argp_error(state,
				   "'%.80s': give some of allgather, reduce_scatter, allreduce, "
				   "broadcast, each once, separated by commas; or all",
				   list);
		tune->collectives[tune->ncollectives++] = known[i];
		at += length;
		if (!*at)
			break;
	}
}

static void set_sizes(struct tune_options *tune, const char *arg, struct argp_state *state)
{
	char low[40] = "";
	const char *colon = strchr(arg, ':');

	if (colon && (size_t)(colon - arg) < sizeof low)
		memcpy(low, arg, (size_t)(colon - arg));
	if (!colon || !option_bytes(low, &tune->first) || !option_bytes(colon + 1, &tune->last))
		argp_error(state, "--sizes: '%.40s' is no range like 8:16M", arg);
	if (!tune->first || tune->first > tune->last || tune->last > TUNE_LARGEST)
		argp_error(state, "--sizes: from 1 byte to 16M, the smaller one first");
}

static error_t parse_trials(int key, char *arg, struct argp_state *state)
{
	struct arguments *given = state->input;
	struct tune_options *tune = &given->tune;

	switch (key) {
	case KEY_DECIDE:
		given->decide = arg;
		return 0;
	case KEY_CHECK:
		given->check = arg;
		return 0;
	case KEY_ALGORITHM:
		if (tune->nalgorithms == TUNE_ALGORITHMS)
			argp_error(state, "more than %d algorithms", TUNE_ALGORITHMS);
		tune->algorithms[tune->nalgorithms++] = arg;
		return 0;
	case KEY_SIZES:
		set_sizes(tune, arg, state);
		return 0;
	default:
		return parse_way(key, arg, state);
	}
}

/* What only the whole of the options shows to be wrong. */
static void finish(struct arguments *given, struct argp_state *state)
{
	if (!!given->show + given->merge + !!given->check > 1)
		argp_error(state, "--show, --merge and --check are several things to do: give one");
	if (given->decide && (given->show || given->merge || given->check))
		argp_error(state, "--decide goes with measuring: leave the others out");
	if (given->nfiles && !given->merge)
		argp_error(state, "'%.40s' is one too many: files go with --merge",
			   given->files[0]);
	if (given->merge && given->nfiles < 2)
		argp_error(state, "--merge needs two files or more");
	if (given->check && given->tune.file)
		argp_error(state, "--check writes no file: leave -o out");
	if (given->tune.nalgorithms && !given->decide && !given->check)
		argp_error(state, "--algorithm goes with --decide or --check");
	given->tune.check = given->check;
	if (given->decide || given->check)
		set_collectives(&given->tune, given->decide ? given->decide : given->check, state);
	run_hosts_check(&given->hosts, &given->tune.nranks, state);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *given = state->input;

	switch (key) {
	case 'o':
		given->tune.file = arg;
		return 0;
	case KEY_SHOW:
		given->show = arg;
		return 0;
	case KEY_MERGE:
		given->merge = true;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &given->hosts;
		return 0;
	case ARGP_KEY_ARG:
		if (given->nfiles == MOST_FILES)
			argp_error(state, "more than %d files", MOST_FILES);
		given->files[given->nfiles++] = arg;
		return 0;
	case ARGP_KEY_END:
		finish(given, state);
		return 0;
	default:
		return parse_trials(key, arg, state);
	}
}

/* --- files ---------------------------------------------------------------------------------- */

static totum_status write_table(void *context, FILE *out)
{
	return totum_tuning_show(context, out);
}

static totum_status write_file(void *context, FILE *out)
{
	return totum_tuning_write(context, out);
}

static int show(const char *name, const char *file)
{
	totum_tuning *tuning;
	totum_status status = totum_tuning_open(file, &tuning);

	if (status)
		return lab_fail(name, status);
	int code = lab_write(name, "-", write_table, tuning);

	totum_tuning_free(tuning);
	return code;
}

static int merge(const char *name, const struct arguments *given)
{
	totum_tuning *all, *one;
	totum_status status = totum_tuning_open(NULL, &all);

	if (status)
		return lab_fail(name, status);
	for (int i = 0; i < given->nfiles && !status; i++) {
		status = totum_tuning_open(given->files[i], &one);
		if (status)
			break;
		status = totum_tuning_merge(all, one);
		totum_tuning_free(one);
	}
	int code = status ? lab_fail(name, status)
			  : lab_write(name, given->tune.file ? given->tune.file : "-", write_file,
				      all);

	totum_tuning_free(all);
	return code;
}

/* --- ranks ---------------------------------------------------------------------------------- */

static int cores(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof set, &set) ? 2 : CPU_COUNT(&set);

	return n < 2 ? 2 : n;
}

static int start(const struct tune_options *tune, struct launch_hosts *hosts, int argc,
		 char *const *arguments)
{
	char here[PATH_MAX];
	static char launcher[] = "TOTUM_LAUNCHER=totum";
	char *const environment[] = {launcher, NULL};
	const struct launch_options launch = {
		.name = "totum tune",
		.nranks = tune->nranks ? tune->nranks : cores(),
		.grace = 2,
		.bind = tune->bind,
		.environment = environment,
		.hosts = hosts->n ? hosts : NULL,
	};

	hosts->directory = getcwd(here, sizeof here);
	if (hosts->n && !hosts->directory) {
		fprintf(stderr, "totum tune: this directory has no path: %s\n", strerror(errno));
		return LAUNCH_FAULT;
	}
	char **rank = calloc((size_t)argc + 2, sizeof *rank);

	if (!rank)
		return LAUNCH_FAULT;
	rank[0] = (char[]){"/proc/self/exe"};
	rank[1] = (char[]){"tune"};
	memcpy(rank + 2, arguments + 1, (size_t)(argc - 1) * sizeof *rank);
	int code = launch_job(&launch, rank);

	free(rank);
	return code;
}

/* Measuring takes a while: whether its result can be written is asked before. */
static int measure(struct arguments *given, int argc, char *const *arguments)
{
	const struct tune_options *tune = &given->tune;

	if (launched())
		return tune_rank(tune);
	if (tune->file && !output_possible(tune->file)) {
		fprintf(stderr, "totum tune: cannot write %s: %s\n", tune->file, strerror(errno));
		return 2;
	}
	return start(tune, &given->hosts.hosts, argc, arguments);
}

static int tune_main(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{&run_hosts_argp, 0, "On several hosts, as of totum run:", 1}, {0}};
	static const struct argp argp = {
		.options = options,
		.children = children,
		.parser = parse,
		.args_doc = "[--merge FILE FILE...]",
		.doc = "Measure the links inside and between hosts, and how fast ranks add and "
		       "copy, for the planner."
		       "\vWith TOTUM_TUNING=FILE totum plan and totum bench predict by what a "
		       "tuning "
		       "file says.",
	};
	struct arguments given = {.tune = {.first = 8, .last = TUNE_LARGEST}};
	char **arguments = calloc((size_t)argc + 1, sizeof *arguments);
	char *line = lab_command_line(argc, argv); /* argp will sort argv */
	int code = 1;

	if (arguments && line) {
		memcpy(arguments, argv, (size_t)argc * sizeof *arguments);
		argp_parse(&argp, argc, argv, 0, NULL, &given);
		given.tune.command = line;
		code = given.show    ? show(argv[0], given.show)
		       : given.merge ? merge(argv[0], &given)
				     : measure(&given, argc, arguments);
		launch_hosts_free(&given.hosts.hosts);
	}
	free(line);
	free(arguments);
	return code;
}

const struct command command_tune = {"tune", "measure the links of a machine, for the planner",
				     tune_main};
