/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce_kernels.h - all kernels of one vector width, and their table.
 *
 * A kernel is a line of the list below: everything that is peculiar to a dtype and an op is an
 * expression in it, the loop is common.  The expressions of a kernel are evaluated lane by lane,
 * never across lanes, and none both multiplies and adds floats, so that there is nothing for a
 * compiler to contract or reorder: each element's result is the same wherever it lies, at every
 * width.
 */
#ifndef TT_REDUCE_KERNELS_H
#define TT_REDUCE_KERNELS_H

#include "host/reduce_floats.h"
#include "host/reduce_fold.h"
#include "host/reduce_shapes.h"
#include "host/reduce_table.h"

/*
 * name; the lanes it works in; the shape of elements in memory; and three expressions: what is done
 * to an element x before the fold, the op on a and b, and what is done to the result r after it.
 */
#define KERNEL(name, lane, shape, before, op, after)                                               \
	static inline V name##_load(const char *p)                                                 \
	{                                                                                          \
		lane x = (lane)load_##shape(p);                                                    \
		return (V)(before);                                                                \
	}                                                                                          \
	static inline V name##_combine(V v, V w)                                                   \
	{                                                                                          \
		lane a = (lane)v, b = (lane)w;                                                     \
		return (V)(op);                                                                    \
	}                                                                                          \
	static inline V name##_finish(V v, int divisor)                                            \
	{                                                                                          \
		lane r = (lane)v;                                                                  \
		(void)divisor;                                                                     \
		return (V)(after);                                                                 \
	}                                                                                          \
	static size_t name(void *out, const void *const in[], int n, size_t at, size_t bytes,      \
			   int divisor)                                                            \
	{                                                                                          \
		return fold((struct steps){shape##_bytes, name##_load, name##_combine,             \
					   name##_finish, store_##shape},                          \
			    out, in, n, at, bytes, divisor);                                       \
	}

#define LESS(a, b) PICK((a) < (b), a, b)
#define MORE(a, b) PICK((a) > (b), a, b)

KERNEL(sum_8, u8v, bits, x, a + b, r)
KERNEL(sum_16, u16v, bits, x, a + b, r)
KERNEL(sum_32, u32v, bits, x, a + b, r)
KERNEL(sum_64, u64v, bits, x, a + b, r)
KERNEL(sum_f16, f32v, f16, x, a + b, quiet_f32(r))
KERNEL(sum_bf16, f32v, bf16, x, a + b, quiet_f32(r))
KERNEL(sum_f32, f32v, bits, x, a + b, quiet_f32(r))
KERNEL(sum_f64, f64v, bits, x, a + b, quiet_f64(r))

KERNEL(prod_8, u8v, bits, x, (a * b), r)
KERNEL(prod_16, u16v, bits, x, (a * b), r)
KERNEL(prod_32, u32v, bits, x, (a * b), r)
KERNEL(prod_64, u64v, bits, x, (a * b), r)
KERNEL(prod_f16, f32v, f16, x, (a * b), quiet_f32(r))
KERNEL(prod_bf16, f32v, bf16, x, (a * b), quiet_f32(r))
KERNEL(prod_f32, f32v, bits, x, (a * b), quiet_f32(r))
KERNEL(prod_f64, f64v, bits, x, (a * b), quiet_f64(r))

KERNEL(avg_i8, u64v, i8, x, a + b, (i64v)r / divisor)
KERNEL(avg_i16, u64v, i16, x, a + b, (i64v)r / divisor)
KERNEL(avg_i32, u64v, i32, x, a + b, (i64v)r / divisor)
KERNEL(avg_i64, u64v, bits, x, a + b, (i64v)r / divisor)
KERNEL(avg_u8, u64v, u8, x, a + b, r / (uint64_t)divisor)
KERNEL(avg_u16, u64v, u16, x, a + b, r / (uint64_t)divisor)
KERNEL(avg_u32, u64v, u32, x, a + b, r / (uint64_t)divisor)
KERNEL(avg_u64, u64v, bits, x, a + b, r / (uint64_t)divisor)
KERNEL(avg_f16, f32v, f16, x, a + b, quiet_f32(r / (float)divisor))
KERNEL(avg_bf16, f32v, bf16, x, a + b, quiet_f32(r / (float)divisor))
KERNEL(avg_f32, f32v, bits, x, a + b, quiet_f32(r / (float)divisor))
KERNEL(avg_f64, f64v, bits, x, a + b, quiet_f64(r / divisor))

KERNEL(min_i8, i8v, bits, x, LESS(a, b), r)
KERNEL(min_i16, i16v, bits, x, LESS(a, b), r)
KERNEL(min_i32, i32v, bits, x, LESS(a, b), r)
KERNEL(min_i64, i64v, bits, x, LESS(a, b), r)
KERNEL(min_u8, i8v, bits, x ^ INT8_MIN, LESS(a, b), r ^ INT8_MIN)
KERNEL(min_u16, i16v, bits, x ^ INT16_MIN, LESS(a, b), r ^ INT16_MIN)
KERNEL(min_u32, i32v, bits, x ^ INT32_MIN, LESS(a, b), r ^ INT32_MIN)
KERNEL(min_u64, i64v, bits, x ^ INT64_MIN, LESS(a, b), r ^ INT64_MIN)
KERNEL(min_f16, i16v, bits, key_16(x, F16_INF, INT16_MIN), LESS(a, b),
       quiet_16(order_16(r), F16_INF, F16_NAN))
KERNEL(min_bf16, i16v, bits, key_16(x, BF16_INF, INT16_MIN), LESS(a, b),
       quiet_16(order_16(r), BF16_INF, BF16_NAN))
KERNEL(min_f32, i32v, bits, key_32(x, INT32_MIN), LESS(a, b), quiet_32(order_32(r)))
KERNEL(min_f64, i64v, bits, key_64(x, INT64_MIN), LESS(a, b), quiet_64(order_64(r)))

KERNEL(max_i8, i8v, bits, x, MORE(a, b), r)
KERNEL(max_i16, i16v, bits, x, MORE(a, b), r)
KERNEL(max_i32, i32v, bits, x, MORE(a, b), r)
KERNEL(max_i64, i64v, bits, x, MORE(a, b), r)
KERNEL(max_u8, i8v, bits, x ^ INT8_MIN, MORE(a, b), r ^ INT8_MIN)
KERNEL(max_u16, i16v, bits, x ^ INT16_MIN, MORE(a, b), r ^ INT16_MIN)
KERNEL(max_u32, i32v, bits, x ^ INT32_MIN, MORE(a, b), r ^ INT32_MIN)
KERNEL(max_u64, i64v, bits, x ^ INT64_MIN, MORE(a, b), r ^ INT64_MIN)
KERNEL(max_f16, i16v, bits, key_16(x, F16_INF, INT16_MAX), MORE(a, b),
       quiet_16(order_16(r), F16_INF, F16_NAN))
KERNEL(max_bf16, i16v, bits, key_16(x, BF16_INF, INT16_MAX), MORE(a, b),
       quiet_16(order_16(r), BF16_INF, BF16_NAN))
KERNEL(max_f32, i32v, bits, key_32(x, INT32_MAX), MORE(a, b), quiet_32(order_32(r)))
KERNEL(max_f64, i64v, bits, key_64(x, INT64_MAX), MORE(a, b), quiet_64(order_64(r)))

KERNEL(band, u64v, bits, x, (a & b), r)
KERNEL(bor, u64v, bits, x, a | b, r)
KERNEL(bxor, u64v, bits, x, a ^ b, r)

KERNEL(land_8, i8v, bits, x != 0, (a & b), r & 1)
KERNEL(land_16, i16v, bits, x != 0, (a & b), r & 1)
KERNEL(land_32, i32v, bits, x != 0, (a & b), r & 1)
KERNEL(land_64, i64v, bits, x != 0, (a & b), r & 1)
KERNEL(lor_8, i8v, bits, x != 0, a | b, r & 1)
KERNEL(lor_16, i16v, bits, x != 0, a | b, r & 1)
KERNEL(lor_32, i32v, bits, x != 0, a | b, r & 1)
KERNEL(lor_64, i64v, bits, x != 0, a | b, r & 1)
KERNEL(lxor_8, i8v, bits, x != 0, a ^ b, r & 1)
KERNEL(lxor_16, i16v, bits, x != 0, a ^ b, r & 1)
KERNEL(lxor_32, i32v, bits, x != 0, a ^ b, r & 1)
KERNEL(lxor_64, i64v, bits, x != 0, a ^ b, r & 1)

/* Rows of the table, in the order of totum_op. */
#define INTEGER(sign, bits)                                                                        \
	{                                                                                          \
		sum_##bits, prod_##bits, min_##sign##bits, max_##sign##bits, avg_##sign##bits,     \
			band, bor, bxor, land_##bits, lor_##bits, lxor_##bits                      \
	}
#define FLOAT(dtype)                                                                               \
	{                                                                                          \
		sum_##dtype, prod_##dtype, min_##dtype, max_##dtype, avg_##dtype                   \
	}
/* Sum and maximum of booleans are their or, product and minimum their and; they have no average. */
#define BOOLEAN                                                                                    \
	{                                                                                          \
		lor_8, land_8, land_8, lor_8, NULL, land_8, lor_8, lxor_8, land_8, lor_8, lxor_8   \
	}

tt_reduce_table TABLE = {
	[TOTUM_I8] = INTEGER(i, 8),   [TOTUM_I16] = INTEGER(i, 16), [TOTUM_I32] = INTEGER(i, 32),
	[TOTUM_I64] = INTEGER(i, 64), [TOTUM_U8] = INTEGER(u, 8),   [TOTUM_U16] = INTEGER(u, 16),
	[TOTUM_U32] = INTEGER(u, 32), [TOTUM_U64] = INTEGER(u, 64), [TOTUM_F16] = FLOAT(f16),
	[TOTUM_BF16] = FLOAT(bf16),   [TOTUM_F32] = FLOAT(f32),     [TOTUM_F64] = FLOAT(f64),
	[TOTUM_BOOL] = BOOLEAN,
};

#endif
