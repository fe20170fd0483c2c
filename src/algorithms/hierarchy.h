/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hierarchy.h - an all-gather over hosts: every byte enters a host once, over all of its ranks.
 *
 *   host 0: ranks 0 1      0 --[0]--> 2     1 --[1]--> 3      between the hosts, as they carry,
 *   host 1: ranks 2 3      2 <-[0 | 1]-> 3                    and then on, inside
 *
 * A block is cut in pieces so that any two hosts' ranks can share a host's blocks equally.  On the
 * host g unit u of the U pieces of another host's blocks is carried by the local rank
 * u * size(g) / U: it receives the unit from that unit's carrier on the host before (at first: its
 * owner), passes it to the carrier on the next host, and hands it to the other ranks of its host in
 * the round that follows, while the next exchange between hosts goes on.  Each rank gets each piece
 * once, so that the reverse is a reduce-scatter.
 *
 * With `parts` every block goes in so many parts, one behind the other: the hand-on of a part hides
 * behind the exchange of the next one even among two hosts.
 */
#ifndef TT_HIERARCHY_H
#define TT_HIERARCHY_H

#include "algorithms/algorithm.h"

/* How blocks travel between hosts. */
enum tt_outer {
	TT_OUTER_RING,   /* H-1 rounds: what came last goes to the next host */
	TT_OUTER_DIRECT, /* H-1 rounds: a host's own blocks to the host t+1 further on */
	TT_OUTER_BRUCK,  /* ceil(log2 H) rounds: all that a host has, ever further */
	TT_OUTERS
};

struct tt_hierarchy {
	struct tt_placement hosts; /* borrowed */
	enum tt_outer outer;
	int64_t parts;  /* that follow each other */
	int64_t pieces; /* of a block in each part */
};

/*
 * 1 <= parts <= TT_HIERARCHY_PARTS; one host has nothing to wait for, and one part.  Moves are
 * listed one by one, about nranks^2 in each part, which limits the ranks.
 */
enum { TT_HIERARCHY_PARTS = 8, TT_HIERARCHY_RANKS = 2048 };
struct tt_hierarchy tt_hierarchy_make(const struct tt_placement *hosts, enum tt_outer outer,
				      int64_t parts);
/* schedule->pieces must be parts * pieces. */
void tt_hierarchy_build(struct tt_schedule *schedule, const struct tt_hierarchy *hierarchy);
struct tt_cost tt_hierarchy_cost(const struct tt_hierarchy *hierarchy);
/* NULL, or why so many ranks are too many: refuses. */
const char *tt_hierarchy_refuses(const struct tt_hierarchy *hierarchy);

/* What a host sends in a round: to whom, and the blocks of which hosts, cyclic; count 0: none. */
struct tt_outer_send {
	int64_t to, first, count;
};
int64_t tt_outer_rounds(enum tt_outer outer, int64_t nhosts);
struct tt_outer_send tt_outer_send(enum tt_outer outer, int64_t nhosts, int64_t round,
				   int64_t host);

#endif
