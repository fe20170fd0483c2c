/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sweep.h - which algorithm is best at which size.
 *
 * Every price is a straight line over the bytes, latency + per_byte * bytes; the least of many
 * lines is a chain of pieces, from the line of least latency to that of least slope.  Crossovers
 * are where pieces meet: exact sizes, not the nearest of a grid.
 */
#ifndef TT_SWEEP_H
#define TT_SWEEP_H

#include "planner/candidates.h"

/* From this size on, up to the next piece's, the candidate is the choice. */
struct tt_sweep_piece {
	double from;       /* bytes */
	int64_t candidate; /* in the list */
};

struct tt_sweep {
	struct tt_candidates *candidates; /* with every parameter value; owned */
	uint64_t low, high;
	int64_t count;
	struct tt_sweep_piece *pieces; /* [count] */
};

/* Sizes from low to high, low <= high; the question's bytes do not count. */
totum_status tt_sweep_new(const struct tt_question *question, uint64_t low, uint64_t high,
			  struct tt_sweep **out);
void tt_sweep_free(struct tt_sweep *sweep); /* NULL is legal */
/* The candidate that is chosen at this size, low <= bytes <= high; -1 when there is none at all. */
int64_t tt_sweep_best(const struct tt_sweep *sweep, double bytes);

/* "64:1G" or "64K": TOTUM_EPARSE with a sentence; low is at least 1. */
totum_status tt_sweep_sizes(const char *text, uint64_t *low, uint64_t *high);

#endif
