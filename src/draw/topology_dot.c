/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_dot - a topology for Graphviz: hosts as clusters, the bottleneck bold and dashed. */
#include <inttypes.h>

#include "draw/topology.h"
#include "topology/measure.h"

static bool crosses(const struct tt_pictured *pictured, const struct tt_link *link)
{
	const uint8_t *witness = pictured->limits.bound->witness;

	return link && witness && witness[link->from] && !witness[link->to];
}

static void write_host(const struct tt_topology *topology, int32_t host, FILE *out)
{
	fprintf(out, "\tsubgraph \"cluster_%s\" {\n\t\tlabel=\"%s\";\n", topology->hosts[host],
		topology->hosts[host]);
	for (int64_t r = 0; r < topology->nranks; r++)
		if (topology->vertices[topology->rank_vertex[r]].host == host)
			fprintf(out, "\t\t\"%s\";\n",
				topology->vertices[topology->rank_vertex[r]].name);
	fputs("\t}\n", out);
}

/* Only hosts of several ranks are worth a frame; one pass over ranks, which are in host order. */
static void write_hosts(const struct tt_topology *topology, FILE *out)
{
	const struct tt_vertex *vertices = topology->vertices;

	for (int64_t r = 0; r + 1 < topology->nranks; r++) {
		int32_t host = vertices[topology->rank_vertex[r]].host;
		bool first = !r || vertices[topology->rank_vertex[r - 1]].host != host;

		if (first && vertices[topology->rank_vertex[r + 1]].host == host)
			write_host(topology, host, out);
	}
}

static void write_link(const struct tt_pictured *pictured, const struct tt_link *link, FILE *out)
{
	const struct tt_topology *topology = pictured->topology;
	const struct tt_link *back = tt_topology_back(topology, link);
	bool cable = back && back->wire.capacity == link->wire.capacity;
	char rate[TT_UNITS_TEXT];

	if (cable && link->to < link->from)
		return;
	fprintf(out, "\t\"%s\" -> \"%s\" [label=\"%s\"%s%s];\n",
		topology->vertices[link->from].name, topology->vertices[link->to].name,
		tt_write_capacity(link->wire.capacity, rate), cable ? ", dir=none" : "",
		crosses(pictured, link) || (cable && crosses(pictured, back))
			? ", style=\"bold,dashed\""
			: "");
}

totum_status tt_draw_topology_dot(const struct tt_pictured *pictured, FILE *out)
{
	const struct tt_topology *topology = pictured->topology;

	if (!topology)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "%lld ranks are too many for a picture; use fewer",
			       (long long)pictured->shape->nranks);
	fprintf(out, "digraph \"%s\" {\n", topology->name);
	fprintf(out, "\tlabel=\"%s: %s\";\n\tnode [shape=circle];\n", topology->name,
		pictured->limits.bound->sentence);
	write_hosts(topology, out);
	for (int64_t v = 0; v < topology->nvertices; v++)
		if (topology->vertices[v].rank < 0)
			fprintf(out, "\t\"%s\" [shape=box];\n", topology->vertices[v].name);
	for (int64_t i = 0; i < topology->nlinks; i++)
		write_link(pictured, &topology->links[i], out);
	fputs("}\n", out);
	return TOTUM_OK;
}
