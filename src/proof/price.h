/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * price.h - what a schedule costs on ranks that each drive some equal links, with no link shared by
 * two ranks.
 *
 * A price is exact: whole rounds and fractions of blocks.  Only tt_price_seconds leaves them, to
 * print times:
 *
 *   T = rounds*alpha + queued*overhead + (volume/beta + added*gamma) * M/nranks
 *
 * A round lasts as long as its busiest link.  Messages of one rank to one peer in a round are one
 * message. A rank with no more messages than links gives each its own link; with more they share
 * all links evenly, and those beyond the first on a link are `queued`.  Receiving counts like
 * sending.
 */
#ifndef TT_PRICE_H
#define TT_PRICE_H

#include "proof/fraction.h"
#include "proof/machine.h"
#include "schedule/ir.h"

struct tt_price {
	int64_t rounds;
	struct tt_fraction volume; /* blocks: sum over rounds of what the busiest link carries */
	struct tt_fraction added;  /* blocks: sum over rounds of the most that one rank adds */
	int64_t ports;  /* the most messages that a rank sends, or receives, in a round */
	int64_t queued; /* sum over rounds of the most messages that wait behind one on a link */
};

/*
 * The price of a sealed schedule on `links` links a rank.  O(1) a record and round where every rank
 * does alike, else O(moves of the round) and their memory.
 */
totum_status tt_price_count(const struct tt_schedule *schedule, int64_t links,
			    struct tt_price *out);
/* The same with as many links as the schedule has ports. */
totum_status tt_price_own(const struct tt_schedule *schedule, struct tt_price *out);

/*
 * What no schedule of the collective can go below when a rank sends and receives at most `ports`
 * messages a round over `links` links: latency, volume and additions each have their own lower
 * limit, which need not be reached together.  All-reduce counts both of its halves' volume.
 */
struct tt_price tt_price_least(enum tt_collective collective, int64_t nranks, int64_t ports,
			       int64_t links);

/* Seconds for `total` bytes in the result. */
double tt_price_seconds(const struct tt_price *price, int64_t nranks, uint64_t total,
			const struct tt_machine *machine);

#endif
