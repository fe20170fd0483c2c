/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * generate_boxes - accelerators in boxes: a fast network inside, a NIC for each rank outside.
 *
 * boxes, a100, h100: every rank has one link to its box's switch and, when there are several boxes,
 * one to the core.  dgx1 and mi250 have cables between ranks instead of a switch; the tables give
 * how many (of `rate` each) join a pair, as published for these machines.
 */
#include <stdio.h>

#include "topology/generate.h"

struct cable {
	uint8_t a, b, width;
};

/* The V100 NVLink cube mesh: six links a GPU. */
static const struct cable dgx1[] = {
	{0, 1, 2}, {0, 2, 1}, {0, 3, 1}, {0, 4, 2}, {1, 2, 1}, {1, 3, 2}, {1, 5, 1}, {2, 3, 2},
	{2, 6, 2}, {3, 7, 1}, {4, 5, 2}, {4, 6, 1}, {4, 7, 1}, {5, 6, 1}, {5, 7, 2}, {6, 7, 2},
};

/* Sixteen dies in eight packages; the two dies of a package share four links. */
static const struct cable mi250[] = {
	{0, 1, 4},   {2, 3, 4},  {4, 5, 4},  {6, 7, 4},   {8, 9, 4},   {10, 11, 4}, {12, 13, 4},
	{14, 15, 4}, {0, 4, 2},  {3, 7, 2},  {8, 12, 2},  {11, 15, 2}, {0, 8, 1},   {1, 5, 1},
	{1, 9, 1},   {1, 10, 1}, {2, 6, 1},  {2, 9, 1},   {2, 10, 1},  {3, 11, 1},  {4, 6, 1},
	{5, 6, 1},   {5, 7, 1},  {9, 13, 1}, {10, 14, 1}, {12, 14, 1}, {13, 14, 1}, {13, 15, 1},
};

static const struct cable *cables_of(enum tt_shape_kind kind, size_t *count)
{
	*count = kind == TT_SHAPE_DGX1    ? sizeof dgx1 / sizeof *dgx1
		 : kind == TT_SHAPE_MI250 ? sizeof mi250 / sizeof *mi250
					  : 0;
	return kind == TT_SHAPE_DGX1 ? dgx1 : mi250;
}

static void join_inside(struct tt_topology *topology, const int32_t *ranks, int64_t count,
			int64_t box)
{
	struct tt_wire wire = tt_generate_wire(topology);
	char name[TT_TOPOLOGY_NAME];
	size_t ncables;
	const struct cable *cables = cables_of(topology->shape.kind, &ncables);

	for (size_t i = 0; i < ncables; i++) {
		struct tt_wire wide = wire;

		if (__builtin_mul_overflow(wire.capacity, (int64_t)cables[i].width, &wide.capacity))
			wide.capacity = INT64_MAX; /* refused as a capacity */
		tt_topology_add_cable(topology, ranks[cables[i].a], ranks[cables[i].b], wide);
	}
	if (ncables)
		return;
	snprintf(name, sizeof name, "box%lld", (long long)box);
	int32_t inside = tt_topology_add_switch(topology, name);
	for (int64_t i = 0; i < count; i++)
		tt_topology_add_cable(topology, ranks[0] + (int32_t)i, inside, wire);
}

void tt_generate_boxes(struct tt_topology *topology)
{
	const struct tt_shape *shape = &topology->shape;
	int64_t nboxes = shape->dims[0], size = shape->nranks / nboxes;
	struct tt_wire out = {
		.capacity = shape->outside, .alpha = shape->outside_alpha, .hop = shape->hop};
	int32_t core = nboxes > 1 ? tt_topology_add_switch(topology, "core") : -1;

	for (int64_t box = 0; box < nboxes && !topology->failed; box++) {
		char name[TT_TOPOLOGY_NAME];
		int32_t ranks[16] = {0}; /* as many as the tables of cables name */

		snprintf(name, sizeof name, "box%lld", (long long)box);
		int32_t host = tt_topology_add_host(topology, name);
		for (int64_t i = 0; i < size; i++) {
			snprintf(name, sizeof name, "r%lld", (long long)topology->nranks);
			int32_t rank = tt_topology_add_rank(topology, host, name);

			if (i < 16)
				ranks[i] = rank;
		}
		join_inside(topology, ranks, size, box);
		for (int64_t i = 0; core >= 0 && i < size; i++)
			tt_topology_add_cable(topology, ranks[0] + (int32_t)i, core, out);
	}
}
