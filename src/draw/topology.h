/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h - a topology in letters, as SVG, for Graphviz, as JSON, and a collective's limits. */
#ifndef TT_DRAW_TOPOLOGY_H
#define TT_DRAW_TOPOLOGY_H

#include <stdio.h>

#include "proof/bound.h"

struct tt_pictured {
	const struct tt_topology *topology; /* NULL: too large for a graph, only facts are shown */
	const struct tt_shape *shape;
	enum tt_collective collective;
	uint64_t bytes;       /* M */
	struct tt_limits limits;
	int width;            /* columns of text; 0: no limit */
	const char *command;  /* the command line, or NULL */
};

totum_status tt_draw_topology_text(const struct tt_pictured *pictured, FILE *out);
/* The picture alone: a grid, a tree, or who is linked with whom. */
totum_status tt_draw_wires(const struct tt_topology *topology, int width, FILE *out);
/* TOTUM_EUNSUPPORTED with a sentence when the graph is missing or too large for a picture. */
totum_status tt_draw_topology_svg(const struct tt_pictured *pictured, FILE *out);
totum_status tt_draw_topology_dot(const struct tt_pictured *pictured, FILE *out);
totum_status tt_draw_topology_json(const struct tt_pictured *pictured, FILE *out);

#endif
