/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topology - the graph of ranks, switches and links: adding, looking up by name.
 *
 * Everything is checked as it is added; seal.c turns it into the ordered arrays
 * that everyone else reads.
 */
#include "topology/topology.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

/* Makes room for one more item of `size` bytes in *items. */
static totum_status reserve(void **items, int64_t *room, int64_t used, int64_t most, size_t size,
			    const char *what)
{
	if (used < *room)
		return TOTUM_OK;
	if (used >= most)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "more than %lld %s in one topology; describe a smaller one",
			       (long long)most, what);
	int64_t next = *room ? *room * 2 : FIRST_ROOM;
	void *moved = realloc(*items, (size_t)next * size);
	if (!moved)
		return tt_fail_memory((size_t)next * size, what);
	*items = moved;
	*room = next;
	return TOTUM_OK;
}

totum_status tt_topology_new(const char *name, struct tt_topology **out)
{
	struct tt_topology *topology = calloc(1, sizeof *topology);

	if (!topology)
		return tt_fail_memory(sizeof *topology, "a topology");
	strncpy(topology->name, name, sizeof topology->name - 1);
	*out = topology;
	return TOTUM_OK;
}

void tt_topology_free(struct tt_topology *topology)
{
	if (!topology)
		return;
	free(topology->vertices);
	free(topology->links);
	free(topology->rank_vertex);
	free(topology->first_out);
	free(topology->first_in);
	free(topology->in_links);
	free(topology->hosts);
	tt_names_free(&topology->vertex_names);
	tt_names_free(&topology->host_names);
	free(topology);
}

static totum_status check_name(const char *name)
{
	size_t length = strlen(name);

	if (length < 1 || length >= TT_TOPOLOGY_NAME)
		return tt_fail(TOTUM_EINVAL, "\"%.60s\" has %zu characters; a name has 1 to %d",
			       name, length, TT_TOPOLOGY_NAME - 1);
	for (const char *c = name; *c; c++)
		if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') &&
		    !(*c >= '0' && *c <= '9') && !strchr("_.-", *c))
			return tt_fail(
				TOTUM_EINVAL,
				"\"%s\" is not a name; use letters, digits, '_', '.' and '-'",
				name);
	return TOTUM_OK;
}

int32_t tt_topology_find(const struct tt_topology *topology, const char *name)
{
	return tt_names_find(&topology->vertex_names, topology->vertices,
			     sizeof *topology->vertices, name);
}

static totum_status enter_vertex(struct tt_topology *topology, struct tt_vertex vertex,
				 const char *name)
{
	totum_status status = check_name(name);

	if (status)
		return status;
	if (tt_topology_find(topology, name) >= 0)
		return tt_fail(TOTUM_EINVAL,
			       "the name %s is taken; give each rank and switch its own", name);
	status = reserve((void **)&topology->vertices, &topology->vertex_room, topology->nvertices,
			 TT_TOPOLOGY_VERTICES, sizeof *topology->vertices, "vertices");
	if (status)
		return status;
	strcpy(vertex.name, name);
	topology->vertices[topology->nvertices] = vertex;
	status = tt_names_add(&topology->vertex_names, topology->vertices,
			      sizeof *topology->vertices);
	if (!status)
		topology->nvertices++;
	return status;
}

static totum_status enter_host(struct tt_topology *topology, const char *name)
{
	totum_status status = check_name(name);

	if (!status)
		status = reserve((void **)&topology->hosts, &topology->host_room, topology->nhosts,
				 TT_TOPOLOGY_VERTICES, sizeof *topology->hosts, "hosts");
	if (status)
		return status;
	strcpy(topology->hosts[topology->nhosts], name);
	status = tt_names_add(&topology->host_names, topology->hosts, sizeof *topology->hosts);
	if (!status)
		topology->nhosts++;
	return status;
}

int32_t tt_topology_add_host(struct tt_topology *topology, const char *name)
{
	if (topology->failed)
		return -1;
	int32_t known = tt_names_find(&topology->host_names, topology->hosts,
				      sizeof *topology->hosts, name);
	if (known >= 0)
		return known;
	topology->failed = enter_host(topology, name);
	return topology->failed ? -1 : (int32_t)topology->nhosts - 1;
}

static int32_t add_vertex(struct tt_topology *topology, struct tt_vertex vertex, const char *name)
{
	if (!topology->failed)
		topology->failed = enter_vertex(topology, vertex, name);
	return topology->failed ? -1 : (int32_t)topology->nvertices - 1;
}

int32_t tt_topology_add_rank(struct tt_topology *topology, int32_t host, const char *name)
{
	if (host < 0)
		host = tt_topology_add_host(topology, name);
	int32_t vertex = add_vertex(
		topology, (struct tt_vertex){.rank = (int32_t)topology->nranks, .host = host},
		name);

	if (vertex >= 0)
		topology->nranks++;
	return vertex;
}

int32_t tt_topology_add_switch(struct tt_topology *topology, const char *name)
{
	return add_vertex(topology, (struct tt_vertex){.rank = -1, .host = -1}, name);
}

static totum_status check_link(const struct tt_topology *topology, int32_t from, int32_t to,
			       struct tt_wire wire)
{
	const char *a = topology->vertices[from].name, *b = topology->vertices[to].name;

	if (from == to)
		return tt_fail(TOTUM_EINVAL, "a link from %s to itself; links join two vertices",
			       a);
	if (wire.capacity < 1 || wire.capacity > TT_TOPOLOGY_CAPACITY)
		return tt_fail(TOTUM_EINVAL, "link %s %s: a capacity is 1 B/s to 1000 TB/s", a, b);
	if (wire.alpha < 0 || wire.alpha > 1000 * TT_PICOSECONDS || wire.hop < 0 ||
	    wire.hop > 1000 * TT_PICOSECONDS)
		return tt_fail(TOTUM_EINVAL, "link %s %s: a latency is 0 to 1000 s", a, b);
	if (wire.preference < 0 || wire.preference >= TT_TOPOLOGY_PREFERENCES)
		return tt_fail(TOTUM_EINVAL, "link %s %s: a dimension is 0 to %d", a, b,
			       TT_SHAPE_DIMENSIONS - 1);
	return TOTUM_OK;
}

void tt_topology_add_link(struct tt_topology *topology, int32_t from, int32_t to,
			  struct tt_wire wire)
{
	if (topology->failed)
		return;
	topology->failed = check_link(topology, from, to, wire);
	if (!topology->failed)
		topology->failed =
			reserve((void **)&topology->links, &topology->link_room, topology->nlinks,
				TT_TOPOLOGY_LINKS, sizeof *topology->links, "links");
	if (topology->failed)
		return;
	topology->links[topology->nlinks++] =
		(struct tt_link){.from = from, .to = to, .wire = wire};
}

void tt_topology_add_cable(struct tt_topology *topology, int32_t a, int32_t b, struct tt_wire wire)
{
	tt_topology_add_link(topology, a, b, wire);
	tt_topology_add_link(topology, b, a, wire);
}

const struct tt_link *tt_topology_back(const struct tt_topology *topology,
				       const struct tt_link *link)
{
	/* The shorter list: the links out of the far end, or those into the near one. */
	int32_t to = link->to, from = link->from;
	int32_t out = topology->first_out[to + 1] - topology->first_out[to];
	int32_t in = topology->first_in[from + 1] - topology->first_in[from];

	for (int32_t i = 0; i < (out < in ? out : in); i++) {
		const struct tt_link *back =
			&topology->links[out < in ? topology->first_out[to] + i
						  : topology->in_links[topology->first_in[from] +
								       i]];

		if (back->from == to && back->to == from)
			return back;
	}
	return NULL;
}
