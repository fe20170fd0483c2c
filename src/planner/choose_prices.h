/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * choose_prices.h - what the parts of tt_choose share: the costs as whole numbers, and the prices.
 *
 * Doubles are only multiplied and divided on the way to whole numbers; sums of them might be
 * contracted on one machine and not on another.
 */
#ifndef TT_CHOOSE_PRICES_H
#define TT_CHOOSE_PRICES_H

#include "planner/choose.h"

typedef __int128 tt_wide; /* picoseconds or bytes: no sum of prices overflows */

struct tt_toll {
	const struct tt_link_cost *cost;
	int64_t alpha, ports;
};

struct tt_market {
	enum tt_collective collective;
	const struct tt_placement *placement;
	int64_t root, home;   /* and its host */
	tt_wide total, block; /* bytes: M, and its share of a rank, rounded up */
	struct tt_toll inside, between;
	int64_t adds;                /* B/s; 0: they cost nothing */
	int64_t most, least;         /* ranks of a host */
	int64_t *crossing, *staying; /* [nhosts]: room for tt_price_turn */

	tt_wide best;
	char name[TT_ALGORITHM_TEXT];
};

/*
 * Takes the candidate if it is cheaper than all before it.  The name is written as
 * tt_algorithm_format does.
 */
void tt_market_offer(struct tt_market *market, tt_wide price, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Messages of `ranks` ranks of a host at once, each sending so many, and so many bytes in all. */
tt_wide tt_toll_price(const struct tt_toll *toll, int64_t ranks, int64_t messages, tt_wide bytes);
/*
 * One rank takes so many messages in from other hosts, each of another rank: they are under way at
 * once, and each costs it what a message inside does.
 */
tt_wide tt_intake_price(const struct tt_market *market, int64_t messages, tt_wide bytes);
tt_wide tt_add_price(const struct tt_market *market, tt_wide bytes);

/* The candidates that take no notice of hosts, and those that do. */
void tt_market_flat(struct tt_market *market);
void tt_market_hierarchical(struct tt_market *market);

#endif
