/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bound_diameter - how far two ranks can be apart, counted in transfers from rank to rank.
 *
 * A switch passes a message on within a round, a rank that relays needs another round.  So the
 * search goes by ranks, breadth first, and whatever switches a rank reaches are passed at once.
 * O(ranks * (vertices + links)); from one rank only where the shape is symmetric.
 */
#include <stdlib.h>
#include <string.h>

#include "proof/bound.h"

struct walk {
	const struct tt_topology *topology;
	int32_t *distance;         /* [nvertices], -1: not reached */
	int32_t *queue, *switches; /* ranks to go on from; switches to pass */
	int64_t tail;
};

/* All that `at` leads to, through switches, is `far` away if nothing nearer has reached it. */
static void spread(struct walk *walk, int32_t at, int32_t far)
{
	const struct tt_topology *topology = walk->topology;
	int64_t waiting = 0;

	for (;;) {
		for (int32_t i = topology->first_out[at]; i < topology->first_out[at + 1]; i++) {
			int32_t to = topology->links[i].to;

			if (walk->distance[to] >= 0)
				continue;
			walk->distance[to] = far;
			if (topology->vertices[to].rank >= 0)
				walk->queue[walk->tail++] = to;
			else
				walk->switches[waiting++] = to;
		}
		if (!waiting)
			return;
		at = walk->switches[--waiting];
	}
}

/* The greatest distance of any rank from `source`, or -1 when one is out of reach. */
static int64_t eccentricity(struct walk *walk, int32_t source)
{
	memset(walk->distance, -1, (size_t)walk->topology->nvertices * sizeof *walk->distance);
	walk->distance[source] = 0;
	walk->queue[0] = source;
	walk->tail = 1;
	for (int64_t head = 0; head < walk->tail; head++)
		spread(walk, walk->queue[head], walk->distance[walk->queue[head]] + 1);
	return walk->tail < walk->topology->nranks ? -1
						   : walk->distance[walk->queue[walk->tail - 1]];
}

totum_status tt_bound_diameter(const struct tt_topology *topology, int64_t *out)
{
	int64_t sources = tt_shape_symmetric(&topology->shape) ? 1 : topology->nranks;
	size_t n = (size_t)topology->nvertices;
	int32_t *memory = malloc(3 * n * sizeof *memory);

	if (!memory)
		return tt_fail_memory(3 * n * sizeof *memory, "distances");
	struct walk walk = {.topology = topology,
			    .distance = memory,
			    .queue = memory + n,
			    .switches = memory + 2 * n};
	totum_status status = TOTUM_OK;
	*out = 0;
	for (int64_t r = 0; r < sources && !status; r++) {
		int64_t far = eccentricity(&walk, topology->rank_vertex[r]);

		if (far < 0)
			status = tt_fail(
				TOTUM_EINVAL,
				"topology %s: not every rank can be reached from %s; add links",
				topology->name, topology->vertices[topology->rank_vertex[r]].name);
		*out = far > *out ? far : *out;
	}
	free(memory);
	return status;
}
