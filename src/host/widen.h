/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * widen.h - the type in which a reduction travels when it is folded over several hops.
 *
 * 16-bit floats fold in f32, and averages of integers in 64 bits, so that a hop neither rounds nor
 * wraps what the direct path would not; everything else travels as it is.
 */
#ifndef TT_WIDEN_H
#define TT_WIDEN_H

#include "base/status.h"

totum_dtype tt_widen_dtype(totum_dtype dtype, totum_op op);
/* count elements of dtype at in, as those of the wide type at out; the buffers do not overlap. */
void tt_widen(void *out, const void *in, size_t count, totum_dtype dtype, totum_op op);
/* Back, rounded once; AVG divides by nranks here and nowhere before. */
void tt_narrow(void *out, const void *in, size_t count, totum_dtype dtype, totum_op op, int nranks);

#endif
