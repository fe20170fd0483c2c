/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * route - shortest paths by breadth-first search from the destination, with a
 * fixed choice among equals.
 *
 * The search gives every vertex its distance and the width of its widest shortest path; a vertex's
 * next link is then the first (or last) of its links, in preference order, that keeps both.
 */
#include "topology/route.h"

#include <stdlib.h>
#include <string.h>

static const int64_t most_entries = INT64_C(1) << 28;

struct tt_routes {
	const struct tt_topology *topology;
	bool both;
	int32_t **next[2]; /* [side][rank], NULL until asked for */
	int64_t entries;   /* kept so far */
	int32_t *distance, *queue;
	int64_t *width;
};

totum_status tt_routes_new(const struct tt_topology *topology, bool both, struct tt_routes **out)
{
	struct tt_routes *routes = calloc(1, sizeof *routes);
	size_t n = (size_t)topology->nvertices, nranks = (size_t)topology->nranks;

	if (!routes)
		return tt_fail_memory(sizeof *routes, "routes");
	routes->topology = topology;
	routes->both = both;
	routes->next[0] = calloc(nranks, sizeof *routes->next[0]);
	routes->next[1] = calloc(nranks, sizeof *routes->next[1]);
	routes->distance = malloc(n * sizeof *routes->distance);
	routes->queue = malloc(n * sizeof *routes->queue);
	routes->width = malloc(n * sizeof *routes->width);
	if (!routes->next[0] || !routes->next[1] || !routes->distance || !routes->queue ||
	    !routes->width) {
		tt_routes_free(routes);
		return tt_fail_memory(nranks * 16 + n * 16, "routes");
	}
	*out = routes;
	return TOTUM_OK;
}

void tt_routes_free(struct tt_routes *routes)
{
	if (!routes)
		return;
	for (int side = 0; side < 2; side++)
		for (int64_t r = 0; routes->next[side] && r < routes->topology->nranks; r++)
			free(routes->next[side][r]);
	free(routes->next[0]);
	free(routes->next[1]);
	free(routes->distance);
	free(routes->queue);
	free(routes->width);
	free(routes);
}

/* Distances to the destination, and the greatest capacity that a shortest path keeps all along. */
static void search(struct tt_routes *routes, int32_t destination)
{
	const struct tt_topology *topology = routes->topology;
	int64_t head = 0, tail = 0;

	memset(routes->distance, -1, (size_t)topology->nvertices * sizeof *routes->distance);
	memset(routes->width, 0, (size_t)topology->nvertices * sizeof *routes->width);
	routes->distance[destination] = 0;
	routes->width[destination] = INT64_MAX;
	routes->queue[tail++] = destination;
	while (head < tail) {
		int32_t at = routes->queue[head++];

		for (int32_t i = topology->first_in[at]; i < topology->first_in[at + 1]; i++) {
			const struct tt_link *link = &topology->links[topology->in_links[i]];
			int64_t width = link->wire.capacity;

			if (routes->distance[link->from] < 0) {
				routes->distance[link->from] = routes->distance[at] + 1;
				routes->queue[tail++] = link->from;
			}
			/* A layer is complete, and its widths final, before it is gone on from. */
			if (routes->distance[link->from] != routes->distance[at] + 1)
				continue;
			width = width < routes->width[at] ? width : routes->width[at];
			if (width > routes->width[link->from])
				routes->width[link->from] = width;
		}
	}
}

static bool good(const struct tt_routes *routes, int32_t at, const struct tt_link *link)
{
	int64_t width = routes->width[link->to];

	if (routes->distance[link->to] != routes->distance[at] - 1)
		return false;
	return (link->wire.capacity < width ? link->wire.capacity : width) == routes->width[at];
}

static int32_t choose(const struct tt_routes *routes, int32_t at, enum tt_route_side side)
{
	const struct tt_topology *topology = routes->topology;
	int32_t chosen = -1;

	if (routes->distance[at] <= 0)
		return -1;
	for (int32_t i = topology->first_out[at]; i < topology->first_out[at + 1]; i++) {
		const struct tt_link *link = &topology->links[i];

		if (chosen >= 0 &&
		    link->wire.preference / 2 != topology->links[chosen].wire.preference / 2)
			break;
		if (!good(routes, at, link))
			continue;
		chosen = i;
		if (side == TT_ROUTE_FIRST)
			break;
	}
	return chosen;
}

static totum_status compute(struct tt_routes *routes, int64_t rank)
{
	const struct tt_topology *topology = routes->topology;
	size_t bytes = (size_t)topology->nvertices * sizeof(int32_t);

	routes->entries += topology->nvertices * (routes->both ? 2 : 1);
	if (routes->entries > most_entries)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "topology %s: the routes between %lld ranks need more than a GiB; "
			       "use a smaller one, or a shift algorithm on a ring, torus or full "
			       "mesh given as a SPEC",
			       topology->name, (long long)topology->nranks);
	search(routes, topology->rank_vertex[rank]);
	for (int side = 0; side <= routes->both; side++) {
		int32_t *next = malloc(bytes);

		if (!next)
			return tt_fail_memory(bytes, "routes");
		for (int32_t v = 0; v < topology->nvertices; v++)
			next[v] = choose(routes, v, (enum tt_route_side)side);
		routes->next[side][rank] = next;
	}
	return TOTUM_OK;
}

totum_status tt_routes_to(struct tt_routes *routes, int64_t rank, enum tt_route_side side,
			  const int32_t **next)
{
	if (!routes->next[side][rank]) {
		totum_status status = compute(routes, rank);

		if (status)
			return status;
	}
	*next = routes->next[side][rank];
	return TOTUM_OK;
}
