/* SPDX-License-Identifier: BSD-3-Clause */
/* totum plan - every algorithm for a problem, priced, beside the bound, and the choice. */
#include "command.h"
#include "lab.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_ALPHA = 0x100,
	KEY_BETA,
	KEY_GAMMA,
	KEY_OVERHEAD,
	KEY_PORTS,
	KEY_TOPOLOGY,
	KEY_EXPLAIN,
	KEY_ALL,
	KEY_SWEEP,
	KEY_HEATMAP,
	KEY_JSON,
	KEY_SVG,
	KEY_TUNING,
	KEY_LINKS_OF
};

enum { MACHINE = 512 };
#define SIZES "64:1G" /* of a heatmap, when --sweep does not say */

struct plan {
	const char *problem, *sizes, *ranks;
	const char *file;      /* of the JSON or the picture */
	char machine[MACHINE]; /* the options about the machine, as the library's settings */
	totum_view view;
};

static const struct argp_option options[] = {
	{"alpha", KEY_ALPHA, "TIME", 0, "What a message takes apart from its bytes (default 1us)",
	 0},
	{"beta", KEY_BETA, "RATE", 0, "Bandwidth of a link in one direction (default 10GB/s)", 0},
	{"gamma", KEY_GAMMA, "RATE", 0, "How fast a rank adds, 0: at no cost (default)", 0},
	{"overhead", KEY_OVERHEAD, "TIME", 0,
	 "What each further message on a link takes in a round (default 0)", 0},
	{"ports", KEY_PORTS, "K", 0, "Links that a rank drives at once (default 1)", 0},
	{"links", KEY_PORTS, NULL, OPTION_ALIAS, NULL, 0},
	{"topology", KEY_TOPOLOGY, "FILE|SPEC", 0,
	 "Simulate on these wires, like ring:8 or boxes:4x8", 0},
	{"explain", KEY_EXPLAIN, NULL, 0, "Say where the bound and the choice come from", 0},
	{"all", KEY_ALL, NULL, 0, "Show every parameter value that has a price of its own", 0},
	{"sweep", KEY_SWEEP, "LOW:HIGH", 0,
	 "Say which algorithm is the choice from which size on, like 64:1G", 0},
	{"heatmap", KEY_HEATMAP, "FEW:MANY", 0,
	 "Map the choice over the sizes of --sweep and these ranks, like 2:64", 0},
	{"json", KEY_JSON, "FILE", 0, "Write the table as JSON instead; -: to the standard output",
	 0},
	{"tuning", KEY_TUNING, "FILE", 0,
	 "Take what totum tune has measured, where no option says otherwise (default "
	 "$TOTUM_TUNING)",
	 0},
	{"links-of", KEY_LINKS_OF, "inside|between", 0,
	 "Which of its links: inside a host, or between hosts (default, where it knows of them)",
	 0},
	{"svg", KEY_SVG, "FILE", 0, "Draw the sweep or the heatmap as a picture instead", 0},
	{0},
};

static void add_setting(struct plan *plan, const char *name, const char *value,
			struct argp_state *state)
{
	size_t used = strlen(plan->machine);
	int length = snprintf(plan->machine + used, MACHINE - used, "%s%s=%s", used ? "," : "",
			      name, value);

	if (strchr(value, ',') || (size_t)length >= MACHINE - used)
		argp_error(state, "--%s: '%.40s' is no value", name, value);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct plan *plan = state->input;

	switch (key) {
	case KEY_ALPHA:
		add_setting(plan, "alpha", arg, state);
		return 0;
	case KEY_BETA:
		add_setting(plan, "beta", arg, state);
		return 0;
	case KEY_GAMMA:
		add_setting(plan, "gamma", arg, state);
		return 0;
	case KEY_OVERHEAD:
		add_setting(plan, "overhead", arg, state);
		return 0;
	case KEY_PORTS:
		add_setting(plan, "links", arg, state);
		return 0;
	case KEY_TOPOLOGY:
		plan->view.topology = arg;
		return 0;
	case KEY_EXPLAIN:
		plan->view.explain = 1;
		return 0;
	case KEY_ALL:
		plan->view.all = 1;
		return 0;
	case KEY_SWEEP:
		plan->sizes = arg;
		return 0;
	case KEY_HEATMAP:
		plan->ranks = arg;
		return 0;
	case KEY_JSON:
	case KEY_SVG:
		plan->file = arg;
		plan->view.format = key == KEY_JSON ? TOTUM_JSON : TOTUM_SVG;
		return 0;
	case KEY_TUNING:
		plan->view.tuning = arg;
		return 0;
	case KEY_LINKS_OF:
		plan->view.links = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (plan->problem)
			argp_error(state, "'%.40s' is one too many: one problem is planned", arg);
		plan->problem = arg;
		return 0;
	case ARGP_KEY_END:
		if (!plan->problem)
			argp_error(state, "which problem? Give one like allgather:n=8:bytes=8M");
		if (plan->view.format == TOTUM_SVG && !plan->sizes && !plan->ranks)
			argp_error(state, "--svg draws a --sweep or a --heatmap; give one");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static totum_status write_plan(void *context, FILE *out)
{
	const struct plan *plan = context;

	if (plan->ranks)
		return totum_heatmap_show(plan->problem, plan->sizes ? plan->sizes : SIZES,
					  plan->ranks, &plan->view, out);
	if (plan->sizes)
		return totum_sweep_show(plan->problem, plan->sizes, &plan->view, out);
	return totum_candidates_show(plan->problem, &plan->view, out);
}

/* The file that TOTUM_TUNING names, or NULL. */
static const char *tuning_variable(void)
{
	const char *file = getenv("TOTUM_TUNING");

	return file && *file ? file : NULL;
}

static int plan_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "PROBLEM",
		.doc = "Price every algorithm for a problem, show the bound beside it, and mark "
		       "the choice."
		       "\vPROBLEM is a collective and fields, like allgather:n=8:bytes=8M; bytes "
		       "is the size of the result.  "
		       "A predicted time is rounds*alpha + volume*M/(n*beta).",
	};
	struct plan plan = {0};

	char *line = lab_command_line(argc, argv); /* argp will sort argv */

	argp_parse(&argp, argc, argv, 0, NULL, &plan);

	plan.view.command = line;
	plan.view.machine = plan.machine;
	if (!plan.view.tuning)
		plan.view.tuning = tuning_variable();
	int code = lab_write(argv[0], plan.file ? plan.file : "-", write_plan, &plan);

	free(line);
	return code;
}

const struct command command_plan = {"plan", "price every algorithm for a problem beside the bound",
				     plan_main};
