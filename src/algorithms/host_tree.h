/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host_tree.h - a broadcast over hosts: down a tree of hosts, and inside each of them at once.
 *
 *   root --> 1 2 3                 round 0: the root gives each rank of its host a share
 *   0123 ==> 4567                  round 1: rank to rank, each share to the next host; inside,
 *   4567 ==> 89.. , inside         round 2: whoever has a share hands it to the rest of its host
 *
 * The buffer enters each host once, in as many shares as ranks carry there: all of a host's, or one
 * (for the root's host the root itself), who then needs no first round.  It goes in `parts`, one a
 * round behind the other.
 */
#ifndef TT_HOST_TREE_H
#define TT_HOST_TREE_H

#include "algorithms/algorithm.h"

enum tt_tree_shape {
	TT_TREE_BINOMIAL, /* whoever has it passes it on: ceil(log2 H) rounds */
	TT_TREE_CHAIN,    /* each host to the next one: for many parts */
	TT_TREE_SHAPES
};

struct tt_host_tree {
	struct tt_placement hosts; /* borrowed */
	int64_t root;              /* of these ranks, .. */
	int64_t turn;              /* which are numbered this much higher, modulo nranks */
	enum tt_tree_shape shape;
	bool one;       /* rank of a host carries */
	int64_t parts;  /* that follow each other */
	int64_t pieces; /* of a block in each part */
};

enum { TT_TREE_PARTS = 64, TT_TREE_HOSTS = 2048 };
struct tt_host_tree tt_host_tree_make(const struct tt_placement *hosts, int64_t root,
				      enum tt_tree_shape shape, bool one, int64_t parts);
/* Fills a broadcast; schedule->pieces must be parts * pieces. */
void tt_host_tree_build(struct tt_schedule *schedule, const struct tt_host_tree *tree);
struct tt_cost tt_host_tree_cost(const struct tt_host_tree *tree);
/* NULL, or why there are too many hosts or ranks: refuses. */
const char *tt_host_tree_refuses(const struct tt_host_tree *tree);

#endif
