/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_json - a topology and its limits as JSON: capacities [B/s], times [s], lambda exact. */
#include "draw/json.h"
#include "draw/topology.h"

static void write_vertices(const struct tt_topology *topology, struct tt_json *json)
{
	tt_json_array(json, "ranks");
	for (int64_t r = 0; r < topology->nranks; r++) {
		const struct tt_vertex *vertex = &topology->vertices[topology->rank_vertex[r]];

		tt_json_object(json, NULL);
		tt_json_string(json, "name", vertex->name);
		tt_json_string(json, "host", topology->hosts[vertex->host]);
		tt_json_end(json, '}');
	}
	tt_json_end(json, ']');
	tt_json_row(json, "switches");
	for (int64_t v = 0; v < topology->nvertices; v++)
		if (topology->vertices[v].rank < 0)
			tt_json_string(json, NULL, topology->vertices[v].name);
	tt_json_end(json, ']');
}

static void write_links(const struct tt_topology *topology, const uint8_t *witness,
			struct tt_json *json)
{
	tt_json_array(json, "links");
	for (int64_t i = 0; i < topology->nlinks; i++) {
		const struct tt_link *link = &topology->links[i];

		tt_json_object(json, NULL);
		tt_json_string(json, "from", topology->vertices[link->from].name);
		tt_json_string(json, "to", topology->vertices[link->to].name);
		tt_json_int(json, "capacity", link->wire.capacity);
		tt_json_real(json, "alpha", (double)link->wire.alpha / (double)TT_PICOSECONDS);
		tt_json_real(json, "hop", (double)link->wire.hop / (double)TT_PICOSECONDS);
		if (witness)
			tt_json_bool(json, "bottleneck", witness[link->from] && !witness[link->to]);
		tt_json_end(json, '}');
	}
	tt_json_end(json, ']');
}

totum_status tt_draw_topology_json(const struct tt_pictured *pictured, FILE *out)
{
	const struct tt_topology *topology = pictured->topology;
	const struct tt_limits *limits = &pictured->limits;
	struct tt_json json = {.out = out};

	tt_json_object(&json, NULL);
	if (pictured->command)
		tt_json_string(&json, "command", pictured->command);
	tt_json_string(&json, "name",
		       topology ? topology->name : tt_shape_name(pictured->shape->kind));
	tt_json_int(&json, "nranks", topology ? topology->nranks : pictured->shape->nranks);
	tt_json_object(&json, "limits");
	tt_json_string(&json, "collective", tt_collective_name(pictured->collective));
	tt_json_int(&json, "bytes", (int64_t)pictured->bytes);
	tt_json_fraction(&json, "lambda", limits->bound->lambda_unit);
	tt_json_int(&json, "unit", limits->bound->unit);
	tt_json_string(&json, "method", limits->bound->method);
	tt_json_string(&json, "bottleneck", limits->bound->sentence);
	tt_json_int(&json, "rounds", limits->rounds);
	tt_json_real(&json, "latency", limits->latency);
	tt_json_real(&json, "seconds", limits->latency + limits->bytes);
	tt_json_end(&json, '}');
	if (topology) {
		write_vertices(topology, &json);
		write_links(topology, limits->bound->witness, &json);
	}
	tt_json_end(&json, '}');
	return TOTUM_OK;
}
