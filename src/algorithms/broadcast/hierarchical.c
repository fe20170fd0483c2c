/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hierarchical - the buffer enters each host once, down a tree of hosts, and is handed on inside.
 *
 *   small:  root --> one rank of each host, a binomial tree --> the rest of its host
 *   large:  root --> shares for the ranks of its host --> rank to rank along a chain of hosts, in
 *           parts; inside each host every rank hands on its share meanwhile
 *
 * H hosts of g ranks: T = (ceil(log2 H) + 1) alpha + N W' M/(N beta), or with a chain and c parts
 * (H + c) alpha and (H-2+c)/c M/(g beta) over each rank's link to the next host.  What a root sends
 * out is one buffer, however many hosts there are.  For any placement.
 */
#include "algorithms/claims.h"
#include "algorithms/host_tree.h"

enum { HOSTS, TREE, ONE, PARTS };

/* Hosts made up: packed from the root on, as many as ranks on each without a number. */
static struct tt_host_tree unplaced(int64_t nranks, int64_t root, const int64_t *values)
{
	int64_t nhosts = values[HOSTS] ? values[HOSTS] : tt_root_floor(nranks);
	struct tt_placement packed = tt_placement_packed(nranks, nhosts);
	struct tt_host_tree tree = tt_host_tree_make(&packed, 0, (enum tt_tree_shape)values[TREE],
						     values[ONE], values[PARTS]);

	tree.turn = root;
	return tree;
}

static struct tt_host_tree plan(const struct tt_placement *placement, int64_t root,
				const int64_t *values)
{
	if (values[HOSTS])
		return unplaced(placement->nranks, root, values);
	return tt_host_tree_make(placement, root, (enum tt_tree_shape)values[TREE], values[ONE],
				 values[PARTS]);
}

static const char *placed_refuses(const struct tt_placement *placement, const int64_t *values)
{
	struct tt_host_tree tree = plan(placement, 0, values);

	return tt_host_tree_refuses(&tree);
}

static int placed_pieces(const struct tt_placement *placement, const int64_t *values)
{
	struct tt_host_tree tree = plan(placement, 0, values);

	return (int)(tree.parts * tree.pieces);
}

static void placed_build(struct tt_schedule *schedule, const struct tt_placement *placement,
			 const int64_t *values)
{
	struct tt_host_tree tree = plan(placement, schedule->root, values);

	tt_host_tree_build(schedule, &tree);
}

static struct tt_cost placed_cost(const struct tt_placement *placement, int64_t root,
				  const int64_t *values)
{
	struct tt_host_tree tree = plan(placement, root, values);

	return tt_host_tree_cost(&tree);
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	struct tt_host_tree tree = unplaced(nranks, 0, values);

	return tt_host_tree_refuses(&tree);
}

static int pieces(int64_t nranks, const int64_t *values)
{
	struct tt_host_tree tree = unplaced(nranks, 0, values);

	return (int)(tree.parts * tree.pieces);
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	struct tt_host_tree tree = unplaced(schedule->nranks, schedule->root, values);

	tt_host_tree_build(schedule, &tree);
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	struct tt_host_tree tree = unplaced(nranks, 0, values);

	return tt_host_tree_cost(&tree).rounds;
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	struct tt_host_tree tree = unplaced(nranks, 0, values);

	return tt_host_tree_cost(&tree).volume;
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	struct tt_host_tree tree = unplaced(nranks, 0, values);

	return tt_host_tree_cost(&tree).ports;
}

const struct tt_algorithm tt_broadcast_hierarchical = {
	.summary = "down a tree of hosts, each entered once, and handed on inside",
	.parameters = {{"hosts", "hosts packed from the root on, 0: where the ranks are", 0, 0, 0},
		       {"tree", "of hosts, 0: binomial, 1: chain", 0, TT_TREE_SHAPES - 1, 0},
		       {"one", "1: one rank of a host carries, 0: all do", 0, 1, 0},
		       {"parts", "parts of the buffer, one behind the other", 1, TT_TREE_PARTS, 1}},
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
