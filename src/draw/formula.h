/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * formula.h - a formula in N that has the given values, found by trying.
 *
 * Algorithms state their costs as functions of code; a page wants them as formulas.  Whatever is
 * printed was equal to the function at every N that was sampled.
 */
#ifndef TT_FORMULA_H
#define TT_FORMULA_H

#include "proof/fraction.h"

enum { TT_SAMPLES = 320, TT_FORMULA_TEXT = 64 };

struct tt_samples {
	int count;
	int64_t nranks[TT_SAMPLES]; /* ascending, 2 or more */
	struct tt_fraction value[TT_SAMPLES];
};

/*
 * The simplest of a*X/b + c and N (X + c)/b that fits, X being one of a few terms of N; where small
 * N are exceptions, with "from N = 4".  False when none fits, or when there are too few samples to
 * tell.
 */
bool tt_formula_find(const struct tt_samples *samples, char out[static TT_FORMULA_TEXT]);

#endif
