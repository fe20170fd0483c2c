/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce_floats.h - the two places where floats need more than a lane operation: NaN, and MIN and
 * MAX.
 *
 * One NaN: which payload an addition of two NaNs keeps, and the sign of inf - inf, are up to the
 * machine and to the compiler's choice of operand order.  So a NaN becomes the quiet one with sign
 * and payload 0 when it is stored, and no result depends on either.
 *
 * Keys: a float's bits, with all but the sign flipped if it is negative, are a signed integer in
 * the order of the values, -0 below +0; a NaN becomes the key that wins the op.  MIN and MAX of
 * floats are those of integers then: no machine's float minimum, with its rules for NaN, zeros and
 * denormals, can be seen.
 *
 * NaN is found by integer compare (more than infinity without the sign), so no compiler flag or
 * flush mode matters.
 */
#ifndef TT_REDUCE_FLOATS_H
#define TT_REDUCE_FLOATS_H

#include "host/reduce_vectors.h"

/* Bits of infinity, and of the quiet NaN with sign and payload 0. */
#define F16_INF  INT16_C(0x7c00)
#define F16_NAN  INT16_C(0x7e00)
#define BF16_INF INT16_C(0x7f80)
#define BF16_NAN INT16_C(0x7fc0)
#define F32_INF  INT32_C(0x7f800000)
#define F32_NAN  INT32_C(0x7fc00000)
#define F64_INF  INT64_C(0x7ff0000000000000)
#define F64_NAN  INT64_C(0x7ff8000000000000)

static inline i16v quiet_16(i16v x, int16_t inf, int16_t nan)
{
	return PICK((x & INT16_MAX) > inf, nan, x);
}

static inline i32v quiet_32(i32v x)
{
	return PICK((x & INT32_MAX) > F32_INF, F32_NAN, x);
}

static inline i64v quiet_64(i64v x)
{
	return PICK((x & INT64_MAX) > F64_INF, F64_NAN, x);
}

static inline f32v quiet_f32(f32v x)
{
	return (f32v)quiet_32((i32v)x);
}

static inline f64v quiet_f64(f64v x)
{
	return (f64v)quiet_64((i64v)x);
}

/* Its own inverse, NaN apart. */
static inline i16v order_16(i16v x)
{
	return x ^ ((x < 0) & INT16_MAX);
}

static inline i32v order_32(i32v x)
{
	return x ^ ((x < 0) & INT32_MAX);
}

static inline i64v order_64(i64v x)
{
	return x ^ ((x < 0) & INT64_MAX);
}

/* The key of x; `winner` is that of a NaN: the least integer for MIN, the greatest for MAX. */
static inline i16v key_16(i16v x, int16_t inf, int16_t winner)
{
	return PICK((x & INT16_MAX) > inf, winner, order_16(x));
}

static inline i32v key_32(i32v x, int32_t winner)
{
	return PICK((x & INT32_MAX) > F32_INF, winner, order_32(x));
}

static inline i64v key_64(i64v x, int64_t winner)
{
	return PICK((x & INT64_MAX) > F64_INF, winner, order_64(x));
}

#endif
