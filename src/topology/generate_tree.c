/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * generate_tree - star, fat tree with taper, and hosts on one network: switches in
 * levels, ranks at the bottom.
 *
 * A fat tree a x b x .. x h has one top switch, a switches below it, b below each of those, and h
 * ranks at each leaf.  A leaf's uplink carries h*rate/taper (or what uplink= says), the uplink of a
 * higher switch the sum of what enters it from below over taper again: taper 1 is non-blocking.
 */
#include "topology/generate.h"

#include <stdio.h>

struct level {
	const char *switches, *ranks;        /* names are these with a number */
	int64_t uplink[TT_SHAPE_DIMENSIONS]; /* [i]: of a switch at depth i, below the top */
	int64_t count[TT_SHAPE_DIMENSIONS];  /* how many were made at this depth */
};

static int32_t add_leaf(struct tt_topology *topology, struct level *level, int32_t top,
			int32_t host)
{
	char name[TT_TOPOLOGY_NAME];
	int32_t rank;

	if (host < 0) {
		rank = tt_generate_rank(topology, topology->nranks);
	} else {
		snprintf(name, sizeof name, "%s%lld", level->ranks, (long long)topology->nranks);
		rank = tt_topology_add_rank(topology, host, name);
	}
	tt_topology_add_cable(topology, rank, top, tt_generate_wire(topology));
	return rank;
}

/* Everything below the switch `top` at the given depth. */
static void add_below(struct tt_topology *topology, struct level *level, int32_t top, int32_t host,
		      int depth)
{
	const struct tt_shape *shape = &topology->shape;

	for (int64_t i = 0; i < shape->dims[depth] && !topology->failed; i++) {
		char name[TT_TOPOLOGY_NAME];

		if (depth == shape->ndims - 1) {
			add_leaf(topology, level, top, host);
			continue;
		}
		bool lowest = depth == shape->ndims - 2;
		int64_t number = level->count[depth]++;

		if (lowest)
			snprintf(name, sizeof name, "%s%lld", level->switches, (long long)number);
		else
			snprintf(name, sizeof name, "level%d.%lld", shape->ndims - 1 - depth,
				 (long long)number);
		int32_t below = tt_topology_add_switch(topology, name);
		bool hosts = shape->kind == TT_SHAPE_HOSTS;
		int32_t its_host = hosts ? tt_topology_add_host(topology, name) : -1;

		add_below(topology, level, below, its_host, depth + 1);
		/* Alpha is the first link's, so what the way out costs more is a hop time. */
		int64_t more = shape->outside_alpha > shape->alpha
				       ? shape->outside_alpha - shape->alpha
				       : 0;
		struct tt_wire up = {.capacity = level->uplink[depth],
				     .alpha = shape->alpha,
				     .hop = shape->hop + more};
		struct tt_wire down = up;

		down.hop = shape->hop;
		tt_topology_add_link(topology, below, top, up);
		tt_topology_add_link(topology, top, below, down);
	}
}

void tt_generate_tree(struct tt_topology *topology)
{
	const struct tt_shape *shape = &topology->shape;
	bool hosts = shape->kind == TT_SHAPE_HOSTS;
	struct level level = {.switches = hosts ? "host" : "leaf", .ranks = "r"};
	int leaf = shape->ndims - 2;

	for (int depth = leaf; depth >= 0; depth--) {
		int64_t entering = 0;
		bool given = depth == leaf && shape->outside;

		if (!given &&
		    __builtin_mul_overflow(shape->dims[depth + 1],
					   depth == leaf ? shape->rate : level.uplink[depth + 1],
					   &entering))
			entering = INT64_MAX; /* refused as a capacity */
		level.uplink[depth] = given ? shape->outside : entering / shape->taper;
	}
	int32_t top =
		tt_topology_add_switch(topology, shape->kind == TT_SHAPE_STAR ? "switch" : "core");
	add_below(topology, &level, top, -1, 0);
}
