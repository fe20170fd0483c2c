/* SPDX-License-Identifier: BSD-3-Clause */
/* heatmap.h - the choice over size and number of ranks. */
#ifndef TT_HEATMAP_H
#define TT_HEATMAP_H

#include "planner/sweep.h"

enum { TT_HEATMAP_SIZES = 48, TT_HEATMAP_RANKS = 40, TT_HEATMAP_MOST = 4096 };

struct tt_heatmap {
	struct tt_question question; /* its nranks and bytes do not count */
	int nsizes, nrows, nnames;
	uint64_t sizes[TT_HEATMAP_SIZES];
	int64_t ranks[TT_HEATMAP_RANKS];
	int cells[TT_HEATMAP_RANKS][TT_HEATMAP_SIZES]; /* into names; -1: no algorithm */
	char (*names)[TT_ALGORITHM_TEXT]; /* the choices, in order of their first cell */
};

/*
 * Sizes in powers of two from low to high; numbers of ranks from fewest to most: all of them when
 * there are few, else 1, 1.5, 2, 3, 4, 6, .. times powers of two.  A question with a topology is
 * refused, as that has its ranks.
 */
totum_status tt_heatmap_new(const struct tt_question *question, uint64_t low, uint64_t high,
			    int64_t fewest, int64_t most, struct tt_heatmap **out);
void tt_heatmap_free(struct tt_heatmap *heatmap); /* NULL is legal */
/* "2:64": TOTUM_EPARSE with a sentence. */
totum_status tt_heatmap_ranks(const char *text, int64_t *fewest, int64_t *most);

#endif
