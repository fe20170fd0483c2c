/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce.h - the arithmetic of reductions: every dtype with every op that it takes.
 *
 * Any alignment is right.  Results depend on the inputs and their order only, never on count, on
 * alignment, on the position in a vector or on the processor's vector width.  For that:
 *   - integers wrap;
 *   - f16 and bf16 are widened to f32, folded there and rounded once, to nearest even;
 *   - a NaN among the inputs of a float op, or one that arises, gives the one quiet NaN with sign
 * and payload 0 (f32: 0x7fc00000), in MIN and MAX too;
 *   - MIN and MAX take -0 to be less than +0;
 *   - LAND, LOR, LXOR and all ops of bool read any non-zero value as true and give 0 or 1;
 *   - AVG of integers adds in 64 bits (which wrap for i64 and u64), divides by n, and rounds toward
 * zero. That is so for n = 1 as well.
 */
#ifndef TT_REDUCE_H
#define TT_REDUCE_H

#include "base/status.h"

/* TOTUM_OK, or TOTUM_EINVAL (no such dtype or op) or TOTUM_EUNSUPPORTED (the pair), with a sentence
 * naming both and listing what the dtype takes. */
totum_status tt_reduce_check(totum_dtype dtype, totum_op op);

/*
 * out[i] = in[0][i] op in[1][i] op .. in[n-1][i], folded from the left, i < count elements; AVG
 * divides by n at the end.  out may be one of the inputs exactly, or overlap none.  n >= 1; the
 * pair has passed tt_reduce_check.  Reads each input and writes out once, all streams at the same
 * time.
 */
void tt_reduce(void *out, const void *const in[], int n, size_t count, totum_dtype dtype,
	       totum_op op);
/*
 * For sums that pass through several ranks: inout[i] = in[i] op inout[i] without the division of
 * AVG, and that division by itself, count elements in place.  What lies between the two has only
 * the bits of dtype: a 16-bit float is rounded at each hop, and an integer AVG wraps where
 * tt_reduce would not.
 */
void tt_reduce_pair(void *inout, const void *in, size_t count, totum_dtype dtype, totum_op op);
void tt_reduce_divide(void *inout, size_t count, totum_dtype dtype, int n);

#endif
