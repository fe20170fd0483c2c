/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_table.h - the kernels of one vector width, as a table of dtype x op. */
#ifndef TT_REDUCE_TABLE_H
#define TT_REDUCE_TABLE_H

#include "totum.h"

/*
 * Folds n >= 1 inputs from the left into out, from byte `at` to byte `bytes` (both on an element's
 * edge), and divides by divisor where the op is AVG.  Any alignment; out is one of the inputs
 * exactly or overlaps none.  Returns how far it came: to `bytes`, or less than a vector short of
 * it, but for the base kernels, which finish.
 */
typedef size_t tt_reduce_kernel(void *out, const void *const in[], int n, size_t at, size_t bytes,
				int divisor);

/* NULL where the dtype does not take the op.  Dtypes above bool have no row. */
typedef tt_reduce_kernel *const tt_reduce_table[TOTUM_BOOL + 1][TOTUM_OPS];

extern tt_reduce_table tt_reduce_base;
#if defined(__x86_64__)
extern tt_reduce_table tt_reduce_avx2;
extern tt_reduce_table tt_reduce_avx512;
#endif

#endif
