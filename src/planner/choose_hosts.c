/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * choose_hosts - prices of the hierarchical algorithms, from the sizes of the hosts.
 *
 * Every rank carries its share between hosts while it hands on inside what came in the round
 * before: of the two the slower one decides, and the last hand-on comes on top.  Only what changes
 * with a parameter is told apart: the outer pattern, the parts, the tree, who carries.
 */
#include <stdio.h>

#include "algorithms/hierarchy.h"
#include "algorithms/host_tree.h"
#include "planner/choose_prices.h"

static tt_wide larger(tt_wide a, tt_wide b)
{
	return a > b ? a : b;
}

/* Ranks of another host that share what a rank carries: more than one where sizes differ. */
static int64_t partners(const struct tt_market *market)
{
	int64_t ratio = (market->most + market->least - 1) / market->least;

	return ratio + (market->most % market->least > 1);
}

/* The settings that are not what is built in, as the names of algorithms have them. */
static const char *setting(char room[static 24], const char *name, int64_t value, int64_t fallback)
{
	room[0] = 0;
	if (value != fallback)
		snprintf(room, 24, ",%s=%lld", name, (long long)value);
	return room;
}

/* --- all-gather ---------------------------------------------------------------------------- */

/* How a host's blocks travel: in which pattern, in how many parts. */
struct travel {
	enum tt_outer outer;
	int64_t parts;
};

/* Bytes for each rank of a host when the blocks of `owners` other hosts come in, on average. */
static tt_wide share(const struct tt_market *market, int64_t host, int64_t owners, int64_t parts)
{
	const struct tt_placement *placement = market->placement;
	int64_t size = tt_placement_size(placement, host);
	tt_wide bytes = (placement->nranks - size) * market->block * owners;

	return bytes / (size * (placement->nhosts - 1) * parts);
}

/* The same of what goes out: passed on, or among it the host's own blocks in every round. */
static tt_wide outgoing(const struct tt_market *market, struct travel travel, int64_t host,
			int64_t owners)
{
	const struct tt_placement *placement = market->placement;
	int64_t size = tt_placement_size(placement, host), others = placement->nhosts - 1;
	tt_wide blocks = (placement->nranks - market->least) * owners;

	if (travel.outer != TT_OUTER_RING)
		blocks = size * others + (owners - 1) * (placement->nranks - size);
	return blocks * market->block / (size * others * travel.parts);
}

/* The slowest host's part of a round between hosts, in or out. */
static tt_wide exchange(const struct tt_market *market, struct travel travel, int64_t owners)
{
	const struct tt_placement *placement = market->placement;
	/* Sends of the same blocks wait for nothing: their messages are under way at once. */
	int64_t together = travel.outer == TT_OUTER_DIRECT ? placement->nhosts - 1 : 1;
	int64_t messages = together * partners(market);
	tt_wide slowest = 0;

	for (int64_t host = 0; host < placement->nhosts; host++) {
		int64_t size = tt_placement_size(placement, host);
		tt_wide bytes = larger(outgoing(market, travel, host, owners),
				       share(market, host, owners, travel.parts));

		slowest = larger(slowest,
				 tt_toll_price(&market->between, size, messages, together * bytes) /
					 together);
	}
	return slowest;
}

/* Inside the slowest host all ranks hand so many bytes, or what they carry, to all others. */
static tt_wide hand_on(const struct tt_market *market, tt_wide own, int64_t owners, int64_t parts)
{
	tt_wide slowest = 0;

	for (int64_t host = 0; host < market->placement->nhosts; host++) {
		int64_t size = tt_placement_size(market->placement, host);
		tt_wide bytes = owners ? share(market, host, owners, parts) : own;

		slowest = larger(slowest, tt_toll_price(&market->inside, size, size - 1,
							(size - 1) * bytes));
	}
	return slowest;
}

/* What the largest host's blocks are behind the average one on their way round a ring. */
static tt_wide lag(const struct tt_market *market, struct travel travel)
{
	int64_t hosts = market->placement->nhosts;
	tt_wide excess = (market->most * hosts - market->placement->nranks) * market->block;

	if (travel.outer != TT_OUTER_RING || hosts < 3)
		return 0;
	return (hosts - 2) * tt_toll_price(&market->between, market->least, 1,
					   excess / (hosts * market->least * travel.parts)) -
	       (hosts - 2) * market->between.alpha;
}

static tt_wide price_allgather(const struct tt_market *market, struct travel travel)
{
	int64_t hosts = market->placement->nhosts, known = 0;
	int64_t parts = hosts > 1 ? travel.parts : 1;
	tt_wide before = hand_on(market, market->block / parts, 0, parts);
	tt_wide across = 0, inside = 0, sum = lag(market, travel);

	for (int64_t round = 0; round < tt_outer_rounds(travel.outer, hosts); round++) {
		int64_t owners = tt_outer_send(travel.outer, hosts, round, 0).count;

		if (owners != known) {
			across = exchange(market, travel, owners);
			inside = hand_on(market, 0, owners, parts);
			known = owners;
		}
		sum += larger(across, before) + (parts - 1) * larger(across, inside);
		before = inside;
	}
	return sum + before;
}

static void offer_allgathers(struct tt_market *market)
{
	/* Where prices are equal a ring is the steadiest: a host hears one other at a time. */
	static const enum tt_outer outers[] = {TT_OUTER_RING, TT_OUTER_BRUCK, TT_OUTER_DIRECT};
	tt_wide added = tt_add_price(market, (market->placement->nranks - 1) * market->block);
	char outer[24], cut[24];

	for (int i = 0; i < TT_OUTERS; i++)
		for (int64_t parts = 1; parts <= TT_HIERARCHY_PARTS; parts *= 2) {
			tt_wide price = price_allgather(market, (struct travel){outers[i], parts});

			if (market->collective == TT_ALLREDUCE)
				price *= 2;
			if (market->collective != TT_ALLGATHER)
				price += added;
			tt_market_offer(market, price, "hierarchical%s%s",
					setting(outer, "outer", outers[i], TT_OUTER_RING),
					setting(cut, "parts", parts, 1));
		}
}

/* --- broadcast ----------------------------------------------------------------------------- */

struct tree {
	enum tt_tree_shape shape;
	bool one;
	int64_t parts;
};

/* Between hosts: the slowest of them takes one part in, or sends it out to so many others. */
static tt_wide pass_on(const struct tt_market *market, struct tree tree, int64_t others)
{
	tt_wide slowest = 0, part = market->total / tree.parts;
	int64_t messages = others * (tree.one ? 1 : partners(market));

	for (int64_t host = 0; host < market->placement->nhosts; host++) {
		int64_t carriers = tree.one ? 1 : tt_placement_size(market->placement, host);

		slowest = larger(slowest, tt_toll_price(&market->between, carriers, messages,
							others * part / carriers));
	}
	return slowest;
}

/* Inside the slowest host, one part: each carrier hands its share to all others. */
static tt_wide spread(const struct tt_market *market, struct tree tree)
{
	tt_wide slowest = 0, part = market->total / tree.parts;

	for (int64_t host = 0; host < market->placement->nhosts; host++) {
		int64_t size = tt_placement_size(market->placement, host);
		int64_t carriers = tree.one ? 1 : size;

		slowest = larger(slowest, tt_toll_price(&market->inside, carriers, size - 1,
							(size - 1) * part / carriers));
	}
	return slowest;
}

static tt_wide price_broadcast(const struct tt_market *market, struct tree tree)
{
	int64_t hosts = market->placement->nhosts, levels = 0;
	int64_t here = tt_placement_size(market->placement, market->home);
	tt_wide part = market->total / tree.parts, start = 0, stage = 0;

	for (int64_t reach = 1; reach < hosts; reach *= 2)
		levels++;
	/* In a chain each host has one to send to, in the binomial tree the first has the most. */
	int64_t depth = tree.shape == TT_TREE_CHAIN ? hosts - 1 : levels;
	int64_t others = tree.shape == TT_TREE_CHAIN ? 1 : levels;

	if (!tree.one)
		start = tt_toll_price(&market->inside, 1, here - 1, part * (here - 1) / here);
	if (hosts > 1)
		stage = pass_on(market, tree, others);
	tt_wide inside = spread(market, tree);
	/* The root hands on its share while it gives out the others. */
	tt_wide price = start + inside + (tree.parts - 1) * larger(stage, start + inside);

	if (hosts > 1)
		price += depth * pass_on(market, tree, 1);
	if (market->collective == TT_REDUCE) {
		int64_t carriers = tree.one ? 1 : market->most;
		int64_t terms = market->most - 1 + (hosts > 1 ? others : 0);

		price += tt_add_price(market, terms * market->total / carriers);
	}
	return price;
}

/* Everyone sends the root all of it, which adds: for few bytes and not too many ranks. */
static void offer_star(struct tt_market *market)
{
	int64_t n = market->placement->nranks;
	int64_t here = tt_placement_size(market->placement, market->home);
	tt_wide out = tt_intake_price(market, n - here, (n - here) * market->total);
	tt_wide in = tt_toll_price(&market->inside, 1, here - 1, (here - 1) * market->total);

	tt_market_offer(market, larger(out, in) + tt_add_price(market, (n - 1) * market->total),
			"hierarchical,hosts=1,one=1");
}

static void offer_broadcasts(struct tt_market *market)
{
	char shape[24], one[24], cut[24];

	for (int i = 0; i < 2 * TT_TREE_SHAPES; i++)
		for (int64_t parts = 1; parts <= TT_TREE_PARTS; parts *= 2) {
			struct tree tree = {(enum tt_tree_shape)(i / 2), i % 2, parts};

			tt_market_offer(market, price_broadcast(market, tree), "hierarchical%s%s%s",
					setting(shape, "tree", tree.shape, TT_TREE_BINOMIAL),
					setting(one, "one", tree.one, 0),
					setting(cut, "parts", parts, 1));
		}
	if (market->collective == TT_REDUCE)
		offer_star(market);
}

/* --- gather -------------------------------------------------------------------------------- */

static void offer_gathers(struct tt_market *market)
{
	const struct tt_placement *placement = market->placement;
	int64_t outside = placement->nranks - tt_placement_size(placement, market->home);
	tt_wide collect = tt_toll_price(&market->inside, 1, market->most - 1,
					(market->most - 1) * market->block);
	tt_wide bytes = outside * market->block;
	tt_wide onward = market->collective == TT_GATHER
				 ? tt_intake_price(market, placement->nhosts - 1, bytes)
				 : tt_toll_price(&market->between, 1, placement->nhosts - 1, bytes);

	tt_market_offer(market, collect + onward, "hierarchical");
}

void tt_market_hierarchical(struct tt_market *market)
{
	if (market->placement->nranks > TT_HIERARCHY_RANKS)
		return;
	switch (market->collective) {
	case TT_ALLGATHER:
	case TT_REDUCE_SCATTER:
	case TT_ALLREDUCE:
		offer_allgathers(market);
		break;
	case TT_BROADCAST:
	case TT_REDUCE:
		offer_broadcasts(market);
		break;
	case TT_GATHER:
	case TT_SCATTER:
		offer_gathers(market);
		break;
	case TT_ALLTOALL:
	case TT_COLLECTIVES:
		break; /* every byte crosses once when it goes direct */
	}
}
