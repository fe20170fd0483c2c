/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * seal - from a list of links to the arrays that are read: links by origin,
 * links by destination, ranks.
 *
 * Links are ordered by origin, preference and destination, whatever the order of adding was: a
 * topology means the same however its text is arranged.  Counting sorts, O(vertices + links).
 */
#include <stdlib.h>
#include <string.h>

#include "topology/topology.h"

enum key { BY_ORIGIN, BY_PREFERENCE, BY_DESTINATION };

static int32_t key_of(const struct tt_link *link, enum key key)
{
	return key == BY_ORIGIN        ? link->from
	       : key == BY_DESTINATION ? link->to
				       : link->wire.preference;
}

/*
 * Orders links by a key, leaving the order among equals: result[] gets their places (taken from
 * order, or 0, 1, .. without), first[v] .. first[v+1] delimits those with key v.
 */
static void count_sort(const struct tt_topology *topology, enum key key, const int32_t *order,
		       int32_t *first, int32_t *result)
{
	int64_t nkeys = key == BY_PREFERENCE ? TT_TOPOLOGY_PREFERENCES : topology->nvertices;

	memset(first, 0, (size_t)(nkeys + 1) * sizeof *first);
	for (int64_t i = 0; i < topology->nlinks; i++)
		first[key_of(&topology->links[i], key) + 1]++;
	for (int64_t v = 0; v < nkeys; v++)
		first[v + 1] += first[v];
	for (int64_t i = 0; i < topology->nlinks; i++) {
		int32_t link = order ? order[i] : (int32_t)i;

		result[first[key_of(&topology->links[link], key)]++] = link;
	}
	for (int64_t v = nkeys; v > 0; v--)
		first[v] = first[v - 1];
	first[0] = 0;
}

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Two links between the same vertices become one; seen[to] is the merged link plus one. */
static totum_status merge_twins(struct tt_topology *topology, int32_t *seen)
{
	int64_t kept = 0;
	int32_t origin = -1, begin = 0;

	for (int64_t i = 0; i < topology->nlinks; i++) {
		struct tt_link link = topology->links[i];

		if (link.from != origin) {
			origin = link.from;
			begin = (int32_t)kept;
		}
		struct tt_link *twin =
			seen[link.to] > begin ? &topology->links[seen[link.to] - 1] : NULL;
		if (!twin) {
			topology->links[kept++] = link;
			seen[link.to] = (int32_t)kept;
			continue;
		}
		if (twin->wire.alpha != link.wire.alpha || twin->wire.hop != link.wire.hop ||
		    twin->wire.preference != link.wire.preference)
			return tt_fail(TOTUM_EINVAL,
				       "two links from %s to %s differ in latency or dimension; "
				       "put a switch between for one of them",
				       topology->vertices[link.from].name,
				       topology->vertices[link.to].name);
		if (twin->wire.capacity + link.wire.capacity > TT_TOPOLOGY_CAPACITY)
			return tt_fail(TOTUM_EINVAL,
				       "the links from %s to %s add up to more than 1000 TB/s",
				       topology->vertices[link.from].name,
				       topology->vertices[link.to].name);
		twin->wire.capacity += link.wire.capacity;
	}
	topology->nlinks = kept;
	return TOTUM_OK;
}

/* scratch has room for twice the links, seen for the vertices and the preferences. */
static totum_status order_links(struct tt_topology *topology, int32_t *scratch, int32_t *seen)
{
	size_t bytes = (size_t)topology->nlinks * sizeof *topology->links;
	struct tt_link *ordered = malloc(bytes + 1);
	int32_t *second = scratch + topology->nlinks;

	if (!ordered)
		return tt_fail_memory(bytes, "links");
	count_sort(topology, BY_DESTINATION, NULL, topology->first_out, scratch);
	count_sort(topology, BY_PREFERENCE, scratch, seen, second);
	count_sort(topology, BY_ORIGIN, second, topology->first_out, scratch);
	for (int64_t i = 0; i < topology->nlinks; i++)
		ordered[i] = topology->links[scratch[i]];
	free(topology->links);
	topology->links = ordered;
	memset(seen, 0, (size_t)topology->nvertices * sizeof *seen);
	totum_status status = merge_twins(topology, seen);
	if (status)
		return status;
	count_sort(topology, BY_ORIGIN, NULL, topology->first_out, scratch);
	count_sort(topology, BY_DESTINATION, NULL, topology->first_in, topology->in_links);
	return TOTUM_OK;
}

static void number_ranks(struct tt_topology *topology)
{
	for (int32_t v = 0; v < topology->nvertices; v++)
		if (topology->vertices[v].rank >= 0)
			topology->rank_vertex[topology->vertices[v].rank] = v;
	for (int64_t i = 0; i < topology->nlinks; i++)
		topology->unit = gcd(topology->unit, topology->links[i].wire.capacity);
	if (!topology->unit)
		topology->unit = 1;
}

totum_status tt_topology_seal(struct tt_topology *topology)
{
	size_t vertices = (size_t)topology->nvertices + 1, links = (size_t)topology->nlinks + 1;

	if (topology->failed)
		return topology->failed;
	if (!topology->nranks)
		return topology->failed =
			       tt_fail(TOTUM_EINVAL, "a topology needs at least one rank");
	topology->rank_vertex = malloc((size_t)topology->nranks * sizeof *topology->rank_vertex);
	topology->first_out = malloc(vertices * sizeof *topology->first_out);
	topology->first_in = malloc(vertices * sizeof *topology->first_in);
	topology->in_links = malloc(links * sizeof *topology->in_links);
	int32_t *scratch = malloc(2 * links * sizeof *scratch);
	int32_t *seen = malloc((vertices + TT_TOPOLOGY_PREFERENCES) * sizeof *seen);
	if (!topology->rank_vertex || !topology->first_out || !topology->first_in ||
	    !topology->in_links || !scratch || !seen)
		topology->failed =
			tt_fail_memory((vertices + links) * 4 * sizeof *scratch, "a topology");
	else
		topology->failed = order_links(topology, scratch, seen);
	if (!topology->failed)
		number_ranks(topology);
	free(scratch);
	free(seen);
	return topology->failed;
}

totum_status tt_topology_reverse(const struct tt_topology *topology, struct tt_topology **out)
{
	struct tt_topology *turned;
	totum_status status = tt_topology_new(topology->name, &turned);

	if (status)
		return status;
	for (int64_t h = 0; h < topology->nhosts; h++)
		tt_topology_add_host(turned, topology->hosts[h]);
	for (int64_t v = 0; v < topology->nvertices; v++) {
		const struct tt_vertex *vertex = &topology->vertices[v];

		if (vertex->rank >= 0)
			tt_topology_add_rank(turned, vertex->host, vertex->name);
		else
			tt_topology_add_switch(turned, vertex->name);
	}
	for (int64_t i = 0; i < topology->nlinks; i++)
		tt_topology_add_link(turned, topology->links[i].to, topology->links[i].from,
				     topology->links[i].wire);
	turned->shape = topology->shape;
	status = tt_topology_seal(turned);
	if (status) {
		tt_topology_free(turned);
		return status;
	}
	*out = turned;
	return TOTUM_OK;
}
