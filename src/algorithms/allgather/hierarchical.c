/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hierarchical - between hosts every byte once, carried by all ranks; inside, handed on meanwhile.
 *
 *   hosts {0 1} {2 3}:  0 <-[0] [2]-> 2  1 <-[1] [3]-> 3  0 <-[0] [1]-> 1  2 <-[2] [3]-> 3
 *                       0 <-[2] [3]-> 1  2 <-[0] [1]-> 3
 *
 * H hosts of g ranks, N = H g:  T = (c R + 1) alpha + W M/(N beta), R = H-1 or ceil(log2 H), with
 * c parts.  Of W the links between hosts carry H-1; inside, the same blocks go to g-1 ranks.  g
 * ports.  Hosts may differ in size and hold any ranks: blocks are then cut so that shares stay
 * equal.
 */
#include "algorithms/claims.h"
#include "algorithms/hierarchy.h"

enum { HOSTS, OUTER, PARTS };

/* Without a placement: hosts of about as many ranks as there are hosts. */
static struct tt_placement unplaced(int64_t nranks)
{
	return tt_placement_packed(nranks, tt_root_floor(nranks));
}

static struct tt_hierarchy plan(const struct tt_placement *placement, const int64_t *values)
{
	struct tt_placement packed = tt_placement_packed(placement->nranks, values[HOSTS]);

	return tt_hierarchy_make(values[HOSTS] ? &packed : placement, (enum tt_outer)values[OUTER],
				 values[PARTS]);
}

static const char *placed_refuses(const struct tt_placement *placement, const int64_t *values)
{
	struct tt_hierarchy hierarchy = plan(placement, values);

	return tt_hierarchy_refuses(&hierarchy);
}

static int placed_pieces(const struct tt_placement *placement, const int64_t *values)
{
	struct tt_hierarchy hierarchy = plan(placement, values);

	return (int)(hierarchy.parts * hierarchy.pieces);
}

static void placed_build(struct tt_schedule *schedule, const struct tt_placement *placement,
			 const int64_t *values)
{
	struct tt_hierarchy hierarchy = plan(placement, values);

	tt_hierarchy_build(schedule, &hierarchy);
}

static struct tt_cost placed_cost(const struct tt_placement *placement, int64_t root,
				  const int64_t *values)
{
	(void)root;
	struct tt_hierarchy hierarchy = plan(placement, values);

	return tt_hierarchy_cost(&hierarchy);
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	struct tt_placement placement = unplaced(nranks);

	return placed_refuses(&placement, values);
}

static int pieces(int64_t nranks, const int64_t *values)
{
	struct tt_placement placement = unplaced(nranks);

	return placed_pieces(&placement, values);
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	struct tt_placement placement = unplaced(schedule->nranks);

	placed_build(schedule, &placement, values);
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	struct tt_placement placement = unplaced(nranks);

	return placed_cost(&placement, 0, values).rounds;
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	struct tt_placement placement = unplaced(nranks);

	return placed_cost(&placement, 0, values).volume;
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	struct tt_placement placement = unplaced(nranks);

	return placed_cost(&placement, 0, values).ports;
}

const struct tt_algorithm tt_allgather_hierarchical = {
	.summary = "each byte enters a host once, over all of its ranks, and is handed on inside",
	.parameters = {{"hosts", "packed hosts, 0: where the ranks are", 0, 0, 0},
		       {"outer", "between hosts 0: ring, 1: direct, 2: Bruck", 0, TT_OUTERS - 1, 0},
		       {"parts", "parts of a block, one behind the other", 1, TT_HIERARCHY_PARTS,
			1}},
	.refuses = refuses,
	.build = build,
	.pieces = pieces,
	.rounds = rounds,
	.volume = volume,
	.ports = ports,
	.placed = {.refuses = placed_refuses,
		   .build = placed_build,
		   .pieces = placed_pieces,
		   .cost = placed_cost},
};
