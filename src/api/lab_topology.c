/* SPDX-License-Identifier: BSD-3-Clause */
/* lab_topology - the entry points that open, bound and draw topologies. */
#include <stdlib.h>
#include <string.h>

#include "api/lab.h"
#include "draw/topology.h"
#include "totum_topology.h"

/* A symmetric shape of more ranks is known by arithmetic, and has no graph. */
enum { MOST_GRAPH = 4096, DEFAULT_BYTES = 1 << 20 };

struct totum_topology {
	struct tt_shape shape;
	struct tt_topology *graph; /* NULL: the shape alone */
};

totum_status totum_topology_open(const char *file_or_spec, totum_topology **out)
{
	if (!file_or_spec || !out)
		return tt_fail(TOTUM_EINVAL,
			       "totum_topology_open: file_or_spec and out must not be NULL");
	totum_topology *topology = calloc(1, sizeof *topology);
	if (!topology)
		return tt_fail_memory(sizeof *topology, "a topology");
	struct tt_shape shape;
	bool alone = !tt_shape_parse(file_or_spec, &shape) && tt_shape_symmetric(&shape) &&
		     shape.nranks > MOST_GRAPH;
	totum_status status = alone ? TOTUM_OK : tt_topology_open(file_or_spec, &topology->graph);
	if (status) {
		free(topology);
		return status;
	}
	topology->shape = alone ? shape : topology->graph->shape;
	*out = topology;
	return TOTUM_OK;
}

void totum_topology_free(totum_topology *topology)
{
	if (!topology)
		return;
	tt_topology_free(topology->graph);
	free(topology);
}

/* The limits of a collective by name, rooted ones at rank 0. */
static totum_status limit(const totum_topology *topology, const char *collective, uint64_t bytes,
			  struct tt_pictured *pictured)
{
	int64_t nranks = topology->graph ? topology->graph->nranks : topology->shape.nranks;

	*pictured = (struct tt_pictured){
		.topology = topology->graph, .shape = &topology->shape, .bytes = bytes};
	totum_status status = tt_collective_parse(collective, &pictured->collective);
	return status ? status
		      : tt_limits_make(topology->graph, &topology->shape, pictured->collective, 0,
				       (double)bytes / (double)nranks, &pictured->limits);
}

totum_status totum_topology_limits(const totum_topology *topology, const char *collective,
				   uint64_t bytes, totum_limits *out)
{
	struct tt_pictured pictured;

	if (!topology || !collective || !out)
		return tt_fail(
			TOTUM_EINVAL,
			"totum_topology_limits: topology, collective and out must not be NULL");
	totum_status status = limit(topology, collective, bytes, &pictured);
	if (status)
		return status;
	const struct tt_bound *bound = pictured.limits.bound;
	*out = (totum_limits){.lambda_over = bound->lambda_unit.over,
			      .lambda_under = bound->lambda_unit.under,
			      .unit = bound->unit,
			      .rounds = pictured.limits.rounds,
			      .latency = pictured.limits.latency,
			      .seconds = pictured.limits.latency + pictured.limits.bytes};
	_Static_assert(sizeof out->bottleneck >= sizeof bound->sentence, "the sentence is cut");
	strcpy(out->bottleneck, bound->sentence);
	tt_limits_free(&pictured.limits);
	return TOTUM_OK;
}

static totum_status draw(const struct tt_pictured *pictured, totum_picture picture, FILE *out)
{
	switch (picture) {
	case TOTUM_PICTURE_TEXT:
		return tt_draw_topology_text(pictured, out);
	case TOTUM_PICTURE_SVG:
		return tt_draw_topology_svg(pictured, out);
	case TOTUM_PICTURE_DOT:
		return tt_draw_topology_dot(pictured, out);
	case TOTUM_PICTURE_JSON:
		return tt_draw_topology_json(pictured, out);
	default:
		return tt_fail(TOTUM_EINVAL,
			       "totum_topology_show: picture %d is none of TOTUM_PICTURE_TEXT, "
			       "_SVG, _DOT, _JSON, _TOPO",
			       (int)picture);
	}
}

totum_status totum_topology_show(const totum_topology *topology, const totum_topology_view *view,
				 FILE *out)
{
	struct tt_pictured pictured;

	if (!topology || !view || !out)
		return tt_fail(TOTUM_EINVAL,
			       "totum_topology_show: topology, view and out must not be NULL");
	if (view->picture == TOTUM_PICTURE_TOPO && topology->graph)
		return tt_topology_write(topology->graph, out);
	if (view->picture == TOTUM_PICTURE_TOPO)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "%lld ranks are too many to be written link by link; use at most %d",
			       (long long)topology->shape.nranks, MOST_GRAPH);
	totum_status status = limit(topology, view->collective ? view->collective : "allgather",
				    view->bytes ? view->bytes : DEFAULT_BYTES, &pictured);
	if (status)
		return status;
	pictured.width = view->width;
	pictured.command = view->command;
	status = draw(&pictured, view->picture, out);
	tt_limits_free(&pictured.limits);
	return status;
}
