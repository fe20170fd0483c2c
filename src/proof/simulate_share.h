/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate_share.h - max-min fair rates of flows that share links. */
#ifndef TT_SIMULATE_SHARE_H
#define TT_SIMULATE_SHARE_H

#include <stdint.h>

#include "base/status.h"

/* Flows as lists of links; flow f crosses links[first[f]] .. links[first[f] + hops[f] - 1]. */
struct tt_share {
	int64_t nlinks;
	const double *capacity; /* [nlinks] */
	const int32_t *links;
	const int64_t *first;
	const int32_t *hops;
	/* scratch, by tt_share_new */
	double *rest;           /* [nlinks] what is not given away */
	int32_t *waiting;       /* [nlinks] flows without a rate */
	int32_t *used;          /* links that a flow crosses */
	int64_t *begin;         /* [nlinks + 1] */
	int32_t *crossing;      /* flows by link */
	int64_t crossing_room;
};

totum_status tt_share_new(struct tt_share *share, int64_t nlinks, const double *capacity);
void tt_share_free(struct tt_share *share);
/*
 * Sets rate[f] for each of the nflows flows in active: no flow can be given more without taking
 * from one that has no more.  A flow without links gets an infinite rate.
 * O(links in routes * distinct rates).
 */
totum_status tt_share_fairly(struct tt_share *share, const int32_t *active, int64_t nflows,
			     double *rate);

#endif
