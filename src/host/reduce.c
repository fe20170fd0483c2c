/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce - finds the kernel for a dtype, an op and this processor, and runs it.
 *
 * Which pairs are legal is what the kernel table says: there is no second list to fall behind it.
 */
#include "host/reduce.h"

#include "host/reduce_table.h"
#include "host/simd.h"

#include <stdio.h>

/* The wide kernels stop before a rest that fills no vector of theirs: it goes down, level by level.
 */
static const struct {
	tt_reduce_table *kernels;
	size_t least; /* bytes for which a call is worth it */
} levels[TT_SIMD_LEVELS] = {
	[TT_SIMD_BASE] = {&tt_reduce_base, 1},
#if defined(__x86_64__)
	[TT_SIMD_AVX2] = {&tt_reduce_avx2, 32},
	[TT_SIMD_AVX512] = {&tt_reduce_avx512, 64},
#endif
};

static void run(void *out, const void *const in[], int n, size_t count, totum_dtype dtype,
		totum_op op, int divisor)
{
	size_t bytes = count * totum_dtype_size(dtype), at = 0;

	for (int level = (int)tt_simd_level(); at < bytes; level--)
		if (bytes - at >= levels[level].least)
			at = (*levels[level].kernels)[dtype][op](out, in, n, at, bytes, divisor);
}

static totum_status refuse(totum_dtype dtype, totum_op op)
{
	const char *name = totum_dtype_name(dtype);
	char takes[80] = "";
	size_t used = 0;

	if (dtype > TOTUM_BOOL)
		return tt_fail(
			TOTUM_EUNSUPPORTED, "%s cannot be reduced by %s: %s can only be moved; %s",
			name, totum_op_name(op), name,
			dtype == TOTUM_C64 || dtype == TOTUM_C128
				? "a sum of complex numbers is one of twice as many f32 or f64"
				: "convert it, to f16 for example");
	for (int other = 0; other < TOTUM_OPS; other++)
		if (tt_reduce_base[dtype][other])
			used += (size_t)snprintf(takes + used, sizeof takes - used, "%s%s",
						 used ? ", " : "", totum_op_name((totum_op)other));
	return tt_fail(TOTUM_EUNSUPPORTED, "%s cannot be reduced by %s; %s takes %s", name,
		       totum_op_name(op), name, takes);
}

totum_status tt_reduce_check(totum_dtype dtype, totum_op op)
{
	if (!totum_dtype_name(dtype))
		return tt_fail(TOTUM_EINVAL,
			       "dtype %d is no totum_dtype; use TOTUM_I8 (%d) to TOTUM_C128 (%d)",
			       (int)dtype, TOTUM_I8, TOTUM_C128);
	if (!totum_op_name(op))
		return tt_fail(TOTUM_EINVAL,
			       "op %d is no totum_op; use TOTUM_SUM (%d) to TOTUM_LXOR (%d)",
			       (int)op, TOTUM_SUM, TOTUM_LXOR);
	if (dtype > TOTUM_BOOL || !tt_reduce_base[dtype][op])
		return refuse(dtype, op);
	return TOTUM_OK;
}

void tt_reduce(void *out, const void *const in[], int n, size_t count, totum_dtype dtype,
	       totum_op op)
{
	run(out, in, n, count, dtype, op, n);
}

void tt_reduce_pair(void *inout, const void *in, size_t count, totum_dtype dtype, totum_op op)
{
	const void *const both[] = {in, inout};

	run(inout, both, 2, count, dtype, op == TOTUM_AVG ? TOTUM_SUM : op, 1);
}

void tt_reduce_divide(void *inout, size_t count, totum_dtype dtype, int n)
{
	const void *const one[] = {inout};

	run(inout, one, 1, count, dtype, TOTUM_AVG, n);
}
