/* SPDX-License-Identifier: BSD-3-Clause */
/* totum simulate - a schedule on a topology: how long, which links, how far from the bound. */
#include "command.h"
#include "lab.h"
#include "options.h"
#include "totum_topology.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_TOPOLOGY = 0x100,
	KEY_MODEL,
	KEY_SPLIT,
	KEY_OVERLAP,
	KEY_ROUNDS,
	KEY_LOADS,
	KEY_TRACE,
	KEY_BYTES,
	KEY_JSON
};

enum { DEFAULT_BYTES = 1 << 20 };

struct simulate {
	const char *what, *json, *trace;
	uint64_t bytes;
	totum_schedule *schedule; /* of a file; NULL: what is a problem */
	totum_simulation_view view;
};

static const struct argp_option options[] = {
	{"topology", KEY_TOPOLOGY, "FILE|SPEC", 0,
	 "The wires, like ring:8 or boxes:4x8; totum topo draws them", 0},
	{"model", KEY_MODEL, "NAME", 0,
	 "load: link loads, rounds apart (default); flow: fair sharing, rounds apart; ready: fair "
	 "sharing, no barriers",
	 0},
	{"split", KEY_SPLIT, NULL, 0,
	 "Send half of each message over either of two equally good routes", 0},
	{"overlap", KEY_OVERLAP, NULL, 0,
	 "Messages that leave over one link in a round pay one alpha together", 0},
	{"rounds", KEY_ROUNDS, NULL, 0, "List the rounds, with the busiest link of each", 0},
	{"loads", KEY_LOADS, NULL, 0, "List the load of every link in each round", 0},
	{"trace", KEY_TRACE, "FILE", 0,
	 "Write all messages in time, for Perfetto or chrome://tracing", 0},
	{"bytes", KEY_BYTES, "M", 0, "Of a schedule in a file: M bytes in the result (default 1M)",
	 0},
	{"json", KEY_JSON, "FILE", 0, "Write the result as JSON instead; -: to the standard output",
	 0},
	{0},
};

static void set_model(struct simulate *simulate, const char *arg, struct argp_state *state)
{
	static const char *const names[] = {"load", "flow", "ready", NULL};
	int model;

	if (!option_choice(arg, names, &model))
		argp_error(state, "--model: %s", option_error());
	simulate->view.model = (totum_model)model;
}

static void check(const struct simulate *simulate, struct argp_state *state)
{
	if (!simulate->what)
		argp_error(state,
			   "what? Give a problem like allgather:n=8:bytes=8M:algo=ring, or a file");
	if (simulate->bytes && !lab_is_file(simulate->what))
		argp_error(state, "--bytes is for schedules in files; a problem has bytes=M");
	if (!simulate->view.topology && lab_is_file(simulate->what))
		argp_error(state, "on which wires? Give --topology FILE|SPEC");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct simulate *simulate = state->input;

	switch (key) {
	case KEY_TOPOLOGY:
		simulate->view.topology = arg;
		return 0;
	case KEY_MODEL:
		set_model(simulate, arg, state);
		return 0;
	case KEY_SPLIT:
		simulate->view.split = 1;
		return 0;
	case KEY_OVERLAP:
		simulate->view.overlap = 1;
		return 0;
	case KEY_ROUNDS:
		simulate->view.rounds = 1;
		return 0;
	case KEY_LOADS:
		simulate->view.loads = 1;
		return 0;
	case KEY_TRACE:
		simulate->trace = arg;
		return 0;
	case KEY_BYTES:
		if (!option_bytes(arg, &simulate->bytes))
			argp_error(state, "--bytes: %s", option_error());
		return 0;
	case KEY_JSON:
		simulate->json = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (simulate->what)
			argp_error(state,
				   "'%.40s' is one too many: one problem or file is simulated",
				   arg);
		simulate->what = arg;
		return 0;
	case ARGP_KEY_END:
		check(simulate, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static totum_status run(const struct simulate *simulate, FILE *out)
{
	if (simulate->schedule)
		return totum_schedule_simulate(simulate->schedule,
					       simulate->bytes ? simulate->bytes : DEFAULT_BYTES,
					       &simulate->view, NULL, out);
	return totum_simulate(simulate->what, &simulate->view, NULL, out);
}

static totum_status write_result(void *context, FILE *out)
{
	return run(context, out);
}

static totum_status write_trace(void *context, FILE *out)
{
	struct simulate *simulate = context;

	simulate->view.trace = out;
	totum_status status = run(simulate, NULL);
	simulate->view.trace = NULL;
	return status;
}

static int simulate_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "PROBLEM|FILE",
		.doc = "Simulate a schedule on a topology: its time beside the bound, and the "
		       "links that make it.\vPROBLEM is a problem string; without algo the planner "
		       "chooses for the topology. A round of the load model takes the alphas of "
		       "messages that leave one after the other, the hop times of the longest "
		       "route, and the bytes of the most loaded link.",
	};
	struct simulate simulate = {0};
	char *line = lab_command_line(argc, argv); /* argp will sort argv */

	argp_parse(&argp, argc, argv, 0, NULL, &simulate);
	simulate.view.command = line;
	simulate.view.format = simulate.json ? TOTUM_JSON : TOTUM_TEXT;
	int code = lab_is_file(simulate.what) ? lab_open(argv[0], simulate.what, &simulate.schedule)
					      : 0;
	if (!code && simulate.trace)
		code = lab_write(argv[0], simulate.trace, write_trace, &simulate);
	if (!code)
		code = lab_write(argv[0], simulate.json ? simulate.json : "-", write_result,
				 &simulate);

	totum_schedule_free(simulate.schedule);
	free(line);
	return code;
}

const struct command command_simulate = {"simulate", "simulate a schedule on a topology",
					 simulate_main};
