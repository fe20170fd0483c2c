/* SPDX-License-Identifier: BSD-3-Clause */
/* generate - from a shape to its graph: the generators, and two without a file of their own. */
#include "topology/generate.h"

#include <stdio.h>

static void (*const generators[TT_SHAPES])(struct tt_topology *) = {
	[TT_SHAPE_RING] = tt_generate_grid,      [TT_SHAPE_LINE] = tt_generate_grid,
	[TT_SHAPE_TORUS] = tt_generate_grid,     [TT_SHAPE_MESH] = tt_generate_grid,
	[TT_SHAPE_HYPERCUBE] = tt_generate_grid, [TT_SHAPE_FULL] = tt_generate_full,
	[TT_SHAPE_STAR] = tt_generate_tree,      [TT_SHAPE_FATTREE] = tt_generate_tree,
	[TT_SHAPE_HOSTS] = tt_generate_tree,     [TT_SHAPE_DRAGONFLY] = tt_generate_dragonfly,
	[TT_SHAPE_BOXES] = tt_generate_boxes,    [TT_SHAPE_DGX1] = tt_generate_boxes,
	[TT_SHAPE_A100] = tt_generate_boxes,     [TT_SHAPE_H100] = tt_generate_boxes,
	[TT_SHAPE_MI250] = tt_generate_boxes,
};

struct tt_wire tt_generate_wire(const struct tt_topology *topology)
{
	return (struct tt_wire){.capacity = topology->shape.rate,
				.alpha = topology->shape.alpha,
				.hop = topology->shape.hop};
}

int32_t tt_generate_rank(struct tt_topology *topology, int64_t rank)
{
	char name[TT_TOPOLOGY_NAME];

	snprintf(name, sizeof name, "r%lld", (long long)rank);
	return tt_topology_add_rank(topology, tt_topology_add_host(topology, name), name);
}

void tt_generate_full(struct tt_topology *topology)
{
	int64_t n = topology->shape.nranks;

	for (int64_t r = 0; r < n; r++)
		tt_generate_rank(topology, r);
	for (int64_t r = 0; r < n && !topology->failed; r++)
		for (int64_t d = 1; d < n; d++)
			tt_topology_add_link(topology, (int32_t)r, (int32_t)((r + d) % n),
					     tt_generate_wire(topology));
}

/* "torus-3x3x3", the name of a generated topology. */
static void name_of(const struct tt_shape *shape, char out[static TT_TOPOLOGY_NAME])
{
	int at = snprintf(out, TT_TOPOLOGY_NAME, "%s", tt_shape_name(shape->kind));

	if (shape->kind == TT_SHAPE_HYPERCUBE) {
		snprintf(out + at, (size_t)(TT_TOPOLOGY_NAME - at), "-%d", shape->ndims);
		return;
	}
	for (int i = 0; i < shape->ndims && at < TT_TOPOLOGY_NAME && shape->kind != TT_SHAPE_DGX1;
	     i++)
		at += snprintf(out + at, (size_t)(TT_TOPOLOGY_NAME - at), "%c%lld", i ? 'x' : '-',
			       (long long)shape->dims[i]);
}

totum_status tt_topology_generate(const struct tt_shape *shape, struct tt_topology **out)
{
	char name[TT_TOPOLOGY_NAME];
	struct tt_topology *topology;

	if (shape->kind <= TT_SHAPE_NONE || shape->kind >= TT_SHAPES)
		return tt_fail(TOTUM_EINVAL, "a shape without a kind cannot be generated");
	if (shape->nranks > TT_TOPOLOGY_VERTICES ||
	    (shape->kind == TT_SHAPE_FULL && shape->nranks > (1 << 11)))
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "%s of %lld ranks is too large to be laid out link by link; only "
			       "shift algorithms on a ring, torus, hypercube or full mesh are "
			       "computed at this size",
			       tt_shape_name(shape->kind), (long long)shape->nranks);
	name_of(shape, name);
	totum_status status = tt_topology_new(name, &topology);
	if (status)
		return status;
	topology->shape = *shape;
	generators[shape->kind](topology);
	status = tt_topology_seal(topology);
	if (status) {
		tt_topology_free(topology);
		return status;
	}
	*out = topology;
	return TOTUM_OK;
}
