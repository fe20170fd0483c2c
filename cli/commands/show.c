/* SPDX-License-Identifier: BSD-3-Clause */
/* totum show - the step table of an algorithm, a problem or a schedule in a file. */
#include "command.h"
#include "lab.h"
#include "options.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_COLLECTIVE = 0x100,
	KEY_ROOT,
	KEY_MOVES,
	KEY_ON,
	KEY_WIDTH,
	KEY_TEXT,
	KEY_JSON,
	KEY_SVG,
	KEY_LIST,
	KEY_COSTS
};

enum { TABLE_WIDTH = 160, MOST_RANKS = 1 << 24, MOST_COLUMNS = 1000000 };

struct show {
	const char *what, *collective;
	long nranks, root, width;
	int list, costs, text, moves;
	const char *file; /* of the JSON or the picture */
	totum_schedule *schedule;
	totum_view view;
};

static const struct argp_option options[] = {
	{"nranks", 'n', "N", 0, "For N ranks", 0},
	{"collective", KEY_COLLECTIVE, "NAME", 0, "What the algorithm shall do (default allgather)",
	 0},
	{"root", KEY_ROOT, "R", 0, "The root of a rooted collective (default 0)", 0},
	{"moves", KEY_MOVES, NULL, 0, "List every move too, like 0>1:A", 0},
	{"on", KEY_ON, "FILE|SPEC", 0,
	 "Show what the rounds put on the links of a topology, like ring:8", 0},
	{"width", KEY_WIDTH, "W", 0,
	 "Stay within W columns, 0: no limit (default: the terminal's, else 160)", 0},
	{"text", KEY_TEXT, NULL, 0, "Print the schedule in its text form, which totum verify reads",
	 0},
	{"json", KEY_JSON, "FILE", 0,
	 "Write facts, moves and blocks as JSON instead; -: to the standard output", 0},
	{"svg", KEY_SVG, "FILE", 0,
	 "Draw it as a picture instead: the table, with --moves as arrows; or --on the links", 0},
	{"list", KEY_LIST, NULL, 0, "List the algorithms and their parameters", 0},
	{"costs", KEY_COSTS, NULL, 0, "Print what every algorithm costs, as formulas, in Markdown",
	 0},
	{0},
};

static void set_number(const char *option, const char *arg, long high, long *out,
		       struct argp_state *state)
{
	if (!option_int(arg, 0, high, out))
		argp_error(state, "%s: %s", option, option_error());
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct show *show = state->input;

	switch (key) {
	case 'n':
		set_number("-n", arg, MOST_RANKS, &show->nranks, state);
		return 0;
	case KEY_COLLECTIVE:
		show->collective = arg;
		return 0;
	case KEY_ROOT:
		set_number("--root", arg, MOST_RANKS, &show->root, state);
		return 0;
	case KEY_MOVES:
		show->moves = 1;
		return 0;
	case KEY_ON:
		show->view.topology = arg;
		return 0;
	case KEY_WIDTH:
		set_number("--width", arg, MOST_COLUMNS, &show->width, state);
		return 0;
	case KEY_TEXT:
		show->text = 1;
		return 0;
	case KEY_JSON:
	case KEY_SVG:
		show->file = arg;
		show->view.format = key == KEY_JSON ? TOTUM_JSON : TOTUM_SVG;
		return 0;
	case KEY_LIST:
		show->list = 1;
		return 0;
	case KEY_COSTS:
		show->costs = 1;
		return 0;
	case ARGP_KEY_ARG:
		if (show->what)
			argp_error(
				state,
				"'%.40s' is one too many: one algorithm, problem or file is shown",
				arg);
		show->what = arg;
		return 0;
	case ARGP_KEY_END:
		if (!show->what && !show->list && !show->costs)
			argp_error(
				state,
				"what? Give an algorithm (--list has them), a problem or a file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int list_algorithms(void)
{
	totum_algorithm algorithm;

	for (int i = 0; totum_algorithm_at(i, &algorithm); i++) {
		char *rest = algorithm.parameters, *line;

		printf("%-14s %-26s %s\n", algorithm.collective, algorithm.name, algorithm.summary);
		while ((line = strsep(&rest, "\n")) && *line)
			printf("%-14s %-26s     %s\n", "", "", line);
	}
	return 0;
}

/*
 * A word that is neither a file nor a problem is an algorithm; the rest of its problem is in the
 * options, and so is the topology whose hosts it may be made for.
 */
static int open_schedule(const char *name, struct show *show)
{
	char problem[512], root[32] = "";

	if (lab_is_file(show->what) || strchr(show->what, ':'))
		return lab_open(name, show->what, &show->schedule);
	if (!show->nranks) {
		fprintf(stderr, "%s: how many ranks? Give -n N\n", name);
		return 2;
	}
	if (show->root >= 0)
		snprintf(root, sizeof root, ":root=%ld", show->root);
	snprintf(problem, sizeof problem, "%.40s:n=%ld:algo=%.200s%s%s%.200s", show->collective,
		 show->nranks, show->what, root, show->view.topology ? ":topo=" : "",
		 show->view.topology ? show->view.topology : "");
	return lab_open(name, problem, &show->schedule);
}

static totum_status write_shown(void *context, FILE *out)
{
	const struct show *show = context;

	if (show->text)
		return totum_schedule_write(show->schedule, out);
	return totum_schedule_show(show->schedule, &show->view, out);
}

static totum_status write_costs(void *context, FILE *out)
{
	(void)context;
	return totum_costs_show(out);
}

static int show_schedule(const char *name, const char *line, struct show *show)
{
	int code = open_schedule(name, show);

	if (code)
		return code;
	show->view.width = show->width >= 0 ? (int)show->width : lab_width(TABLE_WIDTH);
	show->view.moves = show->moves;
	show->view.command = line;
	code = lab_write(name, show->file ? show->file : "-", write_shown, show);
	totum_schedule_free(show->schedule);
	return code;
}

static int show_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "ALGORITHM -n N\nPROBLEM\nFILE",
		.doc = "Show which rank has which blocks after each round, in order of arrival."
		       "\vBlocks are letters up to 26 ranks, numbers beyond; a small letter behind "
		       "is a piece of a block.  "
		       "ALGORITHM may have parameters, like bruck,radix=3.",
	};
	struct show show = {.collective = "allgather", .root = -1, .width = -1};

	char *line = lab_command_line(argc, argv); /* argp will sort argv */

	argp_parse(&argp, argc, argv, 0, NULL, &show);
	int code = show.list    ? list_algorithms()
		   : show.costs ? lab_write(argv[0], "-", write_costs, NULL)
				: show_schedule(argv[0], line, &show);

	free(line);
	return code;
}

const struct command command_show = {"show", "print the step table of an algorithm", show_main};
