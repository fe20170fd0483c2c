/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce.h - the arithmetic of reductions: every dtype with every op that it takes.
 *
 * Any alignment is right.  Results depend on the inputs and their order only, never on count, on
 * alignment or on the processor's vector width.
 */
#ifndef TT_REDUCE_H
#define TT_REDUCE_H

#include "base/status.h"

/* TOTUM_OK, or TOTUM_EINVAL (no such dtype or op) or TOTUM_EUNSUPPORTED (the pair), with a sentence naming both and
 * listing what the dtype takes. */
totum_status tt_reduce_check(totum_dtype dtype, totum_op op);

/*
 * out[i] = in[0][i] op in[1][i] op .. in[n-1][i], folded from the left, i < count elements; AVG divides by n
 * at the end.  f16 and bf16 fold in f32 and round once (nearest even).  out may be one of the inputs
 * exactly, or overlap none.  n >= 1; the pair has passed tt_reduce_check.
 */
void tt_reduce(void *out, const void *const in[], int n, size_t count, totum_dtype dtype, totum_op op);
/*
 * For sums that pass through several ranks: inout[i] = in[i] op inout[i] without the division of AVG, and
 * that division by itself, count elements in place.
 */
void tt_reduce_pair(void *inout, const void *in, size_t count, totum_dtype dtype, totum_op op);
void tt_reduce_divide(void *inout, size_t count, totum_dtype dtype, int n);

#endif
