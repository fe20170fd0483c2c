/* SPDX-License-Identifier: BSD-3-Clause */
/* totum topo - draw a topology, and say what it limits and where its bottleneck is. */
#include "command.h"
#include "lab.h"
#include "options.h"
#include "totum_topology.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_COLLECTIVE = 0x100, KEY_BYTES, KEY_WIDTH, KEY_TEXT, KEY_SVG, KEY_DOT, KEY_JSON };

enum { MOST_COLUMNS = 1000000, TABLE_WIDTH = 160 };

struct topo {
	const char *name, *file;
	bool named;
	long width;
	totum_topology *topology;
	totum_topology_view view;
};

static const struct argp_option options[] = {
	{"collective", KEY_COLLECTIVE, "NAME", 0,
	 "Show the limits of this collective (default allgather)", 0},
	{"bytes", KEY_BYTES, "M", 0, "For M bytes in the result (default 1M)", 0},
	{"width", KEY_WIDTH, "W", 0,
	 "Stay within W columns, 0: no limit (default: the terminal's, else 160)", 0},
	{"text", KEY_TEXT, NULL, 0, "Print the topology in its text form, which totum reads", 0},
	{"svg", KEY_SVG, "FILE", 0, "Write a picture instead; -: to the standard output", 0},
	{"dot", KEY_DOT, "FILE", 0, "Write it for Graphviz instead; -: to the standard output", 0},
	{"json", KEY_JSON, "FILE", 0,
	 "Write facts, limits and links as JSON instead; -: to the standard output", 0},
	{0},
};

static void set_picture(struct topo *topo, totum_picture picture, const char *file,
			struct argp_state *state)
{
	if (topo->file)
		argp_error(state, "--text, --svg, --dot and --json exclude each other");
	topo->view.picture = picture;
	topo->file = file;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct topo *topo = state->input;

	switch (key) {
	case KEY_COLLECTIVE:
		topo->view.collective = arg;
		return 0;
	case KEY_BYTES:
		if (!option_bytes(arg, &topo->view.bytes))
			argp_error(state, "--bytes: %s", option_error());
		return 0;
	case KEY_WIDTH:
		if (!option_int(arg, 0, MOST_COLUMNS, &topo->width))
			argp_error(state, "--width: %s", option_error());
		return 0;
	case KEY_TEXT:
		set_picture(topo, TOTUM_PICTURE_TOPO, "-", state);
		return 0;
	case KEY_SVG:
		set_picture(topo, TOTUM_PICTURE_SVG, arg, state);
		return 0;
	case KEY_DOT:
		set_picture(topo, TOTUM_PICTURE_DOT, arg, state);
		return 0;
	case KEY_JSON:
		set_picture(topo, TOTUM_PICTURE_JSON, arg, state);
		return 0;
	case ARGP_KEY_ARG:
		if (topo->named)
			argp_error(state, "'%.40s' is one too many: one topology is shown", arg);
		topo->name = arg;
		topo->named = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Is it the inside of a host, at rates that nobody has given? */
static bool assumes_rates(const char *name)
{
	const char *end = strrchr(name, '.');

	return (!strncmp(name, "hwloc:", 6) || (end && !strcmp(end, ".xml"))) && !strchr(name, '=');
}

static totum_status write_topology(void *context, FILE *out)
{
	const struct topo *topo = context;
	totum_status status = totum_topology_show(topo->topology, &topo->view, out);

	if (!status && topo->view.picture == TOTUM_PICTURE_TEXT && assumes_rates(topo->name))
		fputs("rates      assumed, but those of PCI links: hwloc does not know them; give "
		      "core=, cache=, package=\n",
		      out);
	return status;
}

static int topo_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[FILE|SPEC]",
		.doc = "Draw a topology, and show what no schedule can beat on it and which links "
		       "are to blame; without a name, the inside of this host.\vA SPEC is one of "
		       "ring:8 line:8 full:8 star:8 torus:4x4 "
		       "mesh:4x4 hypercube:3 fattree:4x8,taper=2 dragonfly:4,h=1 "
		       "boxes:2x8,inside=300,outside=25 hosts:2x4 (or 2x4) dgx1 a100:2 h100:4 "
		       "mi250:2, with options rate=10GB/s, alpha=1us, hop=0; hwloc:FILE.xml is the "
		       "inside of a host, and hwloc: of this one.",
	};
	struct topo topo = {.name = "hwloc:", .width = -1};
	char *line = lab_command_line(argc, argv); /* argp will sort argv */

	argp_parse(&argp, argc, argv, 0, NULL, &topo);
	topo.view.command = line;
	topo.view.width = topo.width >= 0 ? (int)topo.width : lab_width(TABLE_WIDTH);
	totum_status status = totum_topology_open(topo.name, &topo.topology);
	int code = status ? lab_fail(argv[0], status)
			  : lab_write(argv[0], topo.file ? topo.file : "-", write_topology, &topo);

	totum_topology_free(topo.topology);
	free(line);
	return code;
}

const struct command command_topo = {"topo", "draw a topology and name its bottleneck", topo_main};
