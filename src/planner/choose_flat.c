/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * choose_flat - prices of algorithms that take no notice of hosts.
 *
 * In a round rank r sends to rank r+d, or to r^d.  How many ranks of a host thereby send to another
 * host is counted; these share its way out, the others its inside, and the slower of both decides.
 */
#include <string.h>

#include "planner/choose_prices.h"

/* Beyond this, pairs of ranks are too many to look at. */
enum { MOST_PAIRED = 4096 };

enum turn {
	AHEAD,    /* rank r to r+d */
	ACROSS,   /* to r^d */
	DOUBLING, /* counted from the root, the first d to the next d */
	HALVING,  /* counted from the root, every 2d-th one to the one d further on */
};

/* Whom a rank sends to in a round, or -1. */
static int64_t partner(const struct tt_market *market, enum turn turn, int64_t distance,
		       int64_t rank)
{
	int64_t n = market->placement->nranks, place = (rank + n - market->root) % n;
	bool sends = false;

	switch (turn) {
	case AHEAD:
		return (rank + distance) % n;
	case ACROSS:
		return rank ^ distance;
	case DOUBLING:
		sends = place < distance;
		break;
	case HALVING:
		sends = place % (2 * distance) == 0;
		break;
	}
	return sends && place + distance < n ? (rank + distance) % n : -1;
}

/* A round in which each rank with a partner sends it so many bytes. */
static tt_wide price_turn(struct tt_market *market, enum turn turn, int64_t distance, tt_wide bytes)
{
	const struct tt_placement *placement = market->placement;
	int64_t crossing = 0, staying = 0;

	memset(market->crossing, 0, (size_t)placement->nhosts * sizeof *market->crossing);
	memset(market->staying, 0, (size_t)placement->nhosts * sizeof *market->staying);
	for (int64_t rank = 0; rank < placement->nranks; rank++) {
		int64_t to = partner(market, turn, distance, rank);
		int64_t host = tt_placement_host(placement, rank);

		if (to < 0)
			continue;
		bool stays = tt_placement_host(placement, to) == host;
		int64_t count = stays ? ++market->staying[host] : ++market->crossing[host];

		staying = stays && count > staying ? count : staying;
		crossing = !stays && count > crossing ? count : crossing;
	}
	tt_wide out = crossing ? tt_toll_price(&market->between, crossing, 1, bytes) : 0;
	tt_wide in = staying ? tt_toll_price(&market->inside, staying, 1, bytes) : 0;

	return out > in ? out : in;
}

/* Every rank has a block for, or of, every other one, all in one round. */
static tt_wide price_direct(const struct tt_market *market)
{
	const struct tt_placement *placement = market->placement;
	int64_t n = placement->nranks;
	tt_wide slowest = 0;

	for (int64_t host = 0; host < placement->nhosts; host++) {
		int64_t size = tt_placement_size(placement, host);
		tt_wide out =
			tt_toll_price(&market->between, size, n - size, (n - size) * market->block);
		tt_wide in =
			tt_toll_price(&market->inside, size, size - 1, (size - 1) * market->block);

		slowest = out > slowest ? out : slowest;
		slowest = in > slowest ? in : slowest;
	}
	return slowest;
}

/* The root sends every rank its block, or gets it, in one round. */
static tt_wide price_rooted(const struct tt_market *market)
{
	int64_t n = market->placement->nranks;
	int64_t here = tt_placement_size(market->placement, market->home);
	bool sends = market->collective == TT_SCATTER || market->collective == TT_BROADCAST;
	tt_wide out = (n - here) * market->block, in = (here - 1) * market->block;

	out = sends ? tt_toll_price(&market->between, 1, n - here, out)
		    : tt_intake_price(market, n - here, out);
	in = tt_toll_price(&market->inside, 1, here - 1, in);
	return out > in ? out : in;
}

/*
 * What an all-gather takes as the collective that is asked for: itself, reversed, both, or with a
 * scatter before or a gather behind it.
 */
static tt_wide as_asked(const struct tt_market *market, tt_wide allgather)
{
	tt_wide added = tt_add_price(market, (market->placement->nranks - 1) * market->block);

	switch (market->collective) {
	case TT_REDUCE_SCATTER:
		return allgather + added;
	case TT_ALLREDUCE:
		return 2 * allgather + added;
	case TT_BROADCAST:
		return allgather + price_rooted(market);
	case TT_REDUCE:
		return allgather + added + price_rooted(market);
	default:
		return allgather;
	}
}

static void offer_allgathers(struct tt_market *market)
{
	int64_t n = market->placement->nranks;
	tt_wide block = market->block, doubling = 0, bruck = 0, sparbit = 0;
	bool power = (n & (n - 1)) == 0;

	for (int64_t d = 1; d < n; d *= 2) {
		int64_t near = d < n - d ? d : n - d, far = (n - d + 2 * d - 1) / (2 * d);

		doubling += power ? price_turn(market, ACROSS, d, d * block) : 0;
		bruck += price_turn(market, AHEAD, d, near * block);
		sparbit += price_turn(market, AHEAD, d, far * block);
	}
	tt_market_offer(market, as_asked(market, price_direct(market)), "direct");
	if (power)
		tt_market_offer(market, as_asked(market, doubling), "recursive_doubling");
	tt_market_offer(market, as_asked(market, sparbit), "sparbit");
	tt_market_offer(market, as_asked(market, bruck), "bruck");
	tt_market_offer(market, as_asked(market, (n - 1) * price_turn(market, AHEAD, 1, block)),
			"ring");
}

static void offer_broadcasts(struct tt_market *market)
{
	int64_t n = market->placement->nranks, levels = 0;
	tt_wide price = 0;

	for (int64_t span = 1; span < n; span *= 2, levels++)
		price += price_turn(market, DOUBLING, span, market->total);
	if (market->collective == TT_ALLREDUCE)
		price *= 2;
	if (market->collective != TT_BROADCAST)
		price += levels * tt_add_price(market, market->total);
	tt_market_offer(market, price, "binomial");
}

static void offer_gathers(struct tt_market *market)
{
	int64_t n = market->placement->nranks;
	/* Sends of a scatter's root share its way out, so that its first takes as long as all. */
	int64_t times = market->collective == TT_SCATTER ? 2 : 1;
	tt_wide tree = 0;

	for (int64_t span = 1; span < n; span *= 2)
		tree += price_turn(market, HALVING, span, times * span * market->block);
	tt_market_offer(market, price_rooted(market), "direct");
	tt_market_offer(market, tree, "binomial");
}

/* How many of 0..n-1 have the bit. */
static int64_t with_bit(int64_t n, int64_t bit)
{
	int64_t rest = n % (2 * bit) - bit;

	return n / (2 * bit) * bit + (rest > 0 ? rest : 0);
}

static void offer_alltoalls(struct tt_market *market)
{
	int64_t n = market->placement->nranks;
	tt_wide bruck = 0, pairwise = 0;

	for (int64_t bit = 1; bit < n; bit *= 2)
		bruck += price_turn(market, AHEAD, bit, with_bit(n, bit) * market->block);
	tt_market_offer(market, price_direct(market), "direct");
	tt_market_offer(market, bruck, "bruck");
	if (n > MOST_PAIRED)
		return;
	for (int64_t d = 1; d < n; d++)
		pairwise += price_turn(market, AHEAD, d, market->block);
	tt_market_offer(market, pairwise, "pairwise");
}

void tt_market_flat(struct tt_market *market)
{
	switch (market->collective) {
	case TT_ALLGATHER:
	case TT_REDUCE_SCATTER:
		offer_allgathers(market);
		break;
	case TT_ALLREDUCE:
	case TT_BROADCAST:
	case TT_REDUCE:
		offer_broadcasts(market);
		offer_allgathers(market);
		break;
	case TT_GATHER:
	case TT_SCATTER:
		offer_gathers(market);
		break;
	case TT_ALLTOALL:
	case TT_COLLECTIVES:
		offer_alltoalls(market);
	}
}
