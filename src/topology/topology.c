/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topology - the graph of ranks, switches and links: adding, looking up by name.
 *
 * Names are kept in an open-addressing table beside the vertices, so that a text of any length reads in linear
 * time.  seal.c turns what was added into the grouped arrays that everyone else reads.
 */
#include "topology/topology.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FIRST_ROOM = 64 };

/* Makes room for one more item of `size` bytes in *items. */
static totum_status reserve(void **items, int64_t *room, int64_t used, int64_t most, size_t size,
			    const char *what)
{
	if (used < *room)
		return TOTUM_OK;
	if (used >= most)
		return tt_fail(TOTUM_EUNSUPPORTED, "more than %lld %s in one topology; describe a smaller one",
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
	free(topology->table);
	free(topology);
}

static uint64_t hash(const char *name)
{
	return XXH3_64bits(name, strlen(name));
}

/* The slot of the table where name is, or where it would be put. */
static int64_t slot_of(const struct tt_topology *topology, const char *name)
{
	int64_t mask = topology->table_room - 1;
	int64_t slot = (int64_t)(hash(name) & (uint64_t)mask);

	while (topology->table[slot] && strcmp(topology->vertices[topology->table[slot] - 1].name, name))
		slot = (slot + 1) & mask;
	return slot;
}

static totum_status grow_table(struct tt_topology *topology)
{
	if (topology->nvertices * 2 < topology->table_room)
		return TOTUM_OK;
	int64_t room = topology->table_room ? topology->table_room * 2 : 2 * FIRST_ROOM;
	int32_t *table = calloc((size_t)room, sizeof *table);
	if (!table)
		return tt_fail_memory((size_t)room * sizeof *table, "names");
	free(topology->table);
	topology->table = table;
	topology->table_room = room;
	for (int32_t v = 0; v < topology->nvertices; v++)
		table[slot_of(topology, topology->vertices[v].name)] = v + 1;
	return TOTUM_OK;
}

static totum_status check_name(const char *name)
{
	size_t length = strlen(name);

	if (length < 1 || length >= TT_TOPOLOGY_NAME)
		return tt_fail(TOTUM_EINVAL, "\"%.60s\" has %zu characters; a name has 1 to %d", name, length,
			       TT_TOPOLOGY_NAME - 1);
	for (const char *c = name; *c; c++)
		if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && !(*c >= '0' && *c <= '9') &&
		    !strchr("_.-", *c))
			return tt_fail(TOTUM_EINVAL,
				       "\"%s\" is not a name; use letters, digits, '_', '.' and '-'", name);
	return TOTUM_OK;
}

int32_t tt_topology_find(const struct tt_topology *topology, const char *name)
{
	return topology->table_room ? topology->table[slot_of(topology, name)] - 1 : -1;
}

static int32_t add_vertex(struct tt_topology *topology, const char *name, int32_t rank, int32_t host)
{
	if (topology->failed)
		return -1;
	topology->failed = check_name(name);
	if (!topology->failed)
		topology->failed = grow_table(topology);
	if (!topology->failed)
		topology->failed = reserve((void **)&topology->vertices, &topology->vertex_room,
					   topology->nvertices, TT_TOPOLOGY_VERTICES,
					   sizeof *topology->vertices, "vertices");
	if (topology->failed)
		return -1;
	int64_t slot = slot_of(topology, name);
	if (topology->table[slot]) {
		topology->failed = tt_fail(TOTUM_EINVAL, "the name %s is taken; give each rank and switch its own",
					   name);
		return -1;
	}
	int32_t vertex = (int32_t)topology->nvertices++;
	topology->table[slot] = vertex + 1;
	topology->vertices[vertex] = (struct tt_vertex){.rank = rank, .host = host};
	strcpy(topology->vertices[vertex].name, name);
	return vertex;
}

int32_t tt_topology_add_host(struct tt_topology *topology, const char *name)
{
	if (topology->failed)
		return -1;
	topology->failed = check_name(name);
	if (!topology->failed)
		topology->failed = reserve((void **)&topology->hosts, &topology->host_room, topology->nhosts,
					   TT_TOPOLOGY_VERTICES, sizeof *topology->hosts, "hosts");
	if (topology->failed)
		return -1;
	strcpy(topology->hosts[topology->nhosts], name);
	return (int32_t)topology->nhosts++;
}

int32_t tt_topology_add_rank(struct tt_topology *topology, int32_t host, const char *name)
{
	int32_t vertex = add_vertex(topology, name, (int32_t)topology->nranks, host);

	if (vertex >= 0)
		topology->nranks++;
	return vertex;
}

int32_t tt_topology_add_switch(struct tt_topology *topology, const char *name)
{
	return add_vertex(topology, name, -1, -1);
}

static totum_status check_link(const struct tt_topology *topology, int32_t from, int32_t to,
			       struct tt_wire wire)
{
	const char *a = topology->vertices[from].name, *b = topology->vertices[to].name;

	if (from == to)
		return tt_fail(TOTUM_EINVAL, "a link from %s to itself; links join two vertices", a);
	if (wire.capacity < 1 || wire.capacity > TT_TOPOLOGY_CAPACITY)
		return tt_fail(TOTUM_EINVAL, "link %s %s: a capacity is 1 B/s to 1000 TB/s", a, b);
	if (wire.alpha < 0 || wire.alpha > 1000 * TT_PICOSECONDS || wire.hop < 0 ||
	    wire.hop > 1000 * TT_PICOSECONDS)
		return tt_fail(TOTUM_EINVAL, "link %s %s: a latency is 0 to 1000 s", a, b);
	if (wire.dimension < 0 || wire.dimension >= TT_SHAPE_DIMENSIONS)
		return tt_fail(TOTUM_EINVAL, "link %s %s: a dimension is 0 to %d", a, b,
			       TT_SHAPE_DIMENSIONS - 1);
	return TOTUM_OK;
}

void tt_topology_add_link(struct tt_topology *topology, int32_t from, int32_t to, struct tt_wire wire)
{
	if (topology->failed)
		return;
	topology->failed = check_link(topology, from, to, wire);
	if (!topology->failed)
		topology->failed = reserve((void **)&topology->links, &topology->link_room, topology->nlinks,
					   TT_TOPOLOGY_LINKS, sizeof *topology->links, "links");
	if (topology->failed)
		return;
	topology->links[topology->nlinks++] = (struct tt_link){.from = from, .to = to, .wire = wire};
}

void tt_topology_add_cable(struct tt_topology *topology, int32_t a, int32_t b, struct tt_wire wire)
{
	tt_topology_add_link(topology, a, b, wire);
	tt_topology_add_link(topology, b, a, wire);
}
