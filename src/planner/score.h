/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * score.h - the bound of a question, and the price of one candidate; for the table of candidates.
 */
#ifndef TT_SCORE_H
#define TT_SCORE_H

#include "planner/candidates.h"

/* Fills least, bound, cut and alpha from the question. */
totum_status tt_score_bound(struct tt_candidates *candidates);
/* Why the candidate does not apply, by its entry and values; NULL when it does. */
const char *tt_score_refusal(const struct tt_question *question,
			     const struct tt_candidate *candidate);
/*
 * Fills a candidate whose entry, values and name are set.  TOTUM_EUNSUPPORTED with the end of a
 * sentence when it is to be excluded.
 */
totum_status tt_score(const struct tt_candidates *candidates, struct tt_candidate *candidate);

#endif
