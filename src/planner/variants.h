/* SPDX-License-Identifier: BSD-3-Clause */
/* variants.h - which parameter values of an algorithm are worth a look. */
#ifndef TT_VARIANTS_H
#define TT_VARIANTS_H

#include "algorithms/algorithm.h"

enum { TT_VARIANTS = 64 };

/*
 * Fills values with up to TT_VARIANTS settings of the parameters, the defaults first, none twice,
 * and returns how many (fewer for many ranks): of each parameter the four lowest values, then
 * powers of two, and the highest one.
 */
int64_t tt_variants(const struct tt_algorithm *algorithm, int64_t nranks,
		    int64_t values[static TT_VARIANTS][TT_PARAMETERS]);

#endif
