/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * generate_grid - ring, line, torus, mesh and hypercube: products of cycles, of
 * paths, or of single cables.
 *
 * Ranks are in row-major order, the last dimension fastest.  Links prefer lower dimensions, and the
 * way to the greater coordinate ("clockwise") before the way back: routes go dimension by
 * dimension, ties clockwise.  A dimension of 2 is one cable, not two.
 */
#include "topology/generate.h"

static void add_neighbours(struct tt_topology *topology, int64_t rank, bool wraps)
{
	const struct tt_shape *shape = &topology->shape;
	struct tt_wire wire = tt_generate_wire(topology);
	int64_t below = shape->nranks; /* ranks in one step of the dimension, after dividing */

	for (int i = 0; i < shape->ndims; i++) {
		int64_t k = shape->dims[i];
		below /= k;
		int64_t at = rank / below % k;

		wire.preference = 2 * i;
		if (at + 1 < k || (wraps && k > 2))
			tt_topology_add_link(
				topology, (int32_t)rank,
				(int32_t)(at + 1 < k ? rank + below : rank - at * below), wire);
		wire.preference++;
		if (at > 0 || (wraps && k > 2))
			tt_topology_add_link(
				topology, (int32_t)rank,
				(int32_t)(at > 0 ? rank - below : rank + (k - 1) * below), wire);
	}
}

void tt_generate_grid(struct tt_topology *topology)
{
	enum tt_shape_kind kind = topology->shape.kind;
	bool wraps = kind == TT_SHAPE_RING || kind == TT_SHAPE_TORUS;

	for (int64_t rank = 0; rank < topology->shape.nranks; rank++)
		tt_generate_rank(topology, rank);
	for (int64_t rank = 0; rank < topology->shape.nranks && !topology->failed; rank++)
		add_neighbours(topology, rank, wraps);
}
