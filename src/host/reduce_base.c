/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce_base - the reduction kernels in vectors of 16 bytes, which every 64-bit processor has
 * (SSE2, NEON).
 *
 * NEON converts f16 itself.  Elsewhere that is done in integers, with one float addition each way
 * for the denormals: adding a power of two whose last place is theirs lets the adder align or round
 * them.  The powers and the sums are normal floats, so a flush-to-zero mode changes nothing.
 */
#define WIDTH 16
#define TABLE tt_reduce_base

#include "host/reduce_vectors.h"

static inline u32v widen_16(const char *p)
{
	u16_half x;

	memcpy(&x, p, sizeof x);
	return __builtin_convertvector(x, u32v);
}

static inline void narrow_16(char *p, u32v x)
{
	u16_half out = __builtin_convertvector(x, u16_half);

	memcpy(p, &out, sizeof out);
}

#if defined(__aarch64__)
#include <arm_neon.h>

static inline V load_f16(const char *p)
{
	float16x4_t x;

	memcpy(&x, p, sizeof x);
	return (V)vcvt_f32_f16(x);
}

static inline void store_f16(char *p, V v)
{
	float16x4_t out = vcvt_f16_f32((float32x4_t)v);

	memcpy(p, &out, sizeof out);
}
#else
/* From f16's exponent bias, 15, to f32's, 127, at f32's exponent's place. */
#define REBIAS       (112u << 23)
/* 2^-14, the least normal f16; and 2^-1, whose last place in f32 is 2^-24, that of the f16
 * denormals. */
#define LEAST_NORMAL (113u << 23)
#define HALF         (126u << 23)

static inline V load_f16(const char *p)
{
	u32v x = widen_16(p), body = (x & 0x7fff) << 13;
	u32v normal = body + REBIAS;
	u32v special = normal + REBIAS;
	u32v denormal = (u32v)((f32v)(body + LEAST_NORMAL) - (f32v)((u32v){0} + LEAST_NORMAL));
	u32v finite = PICK((u32v)(body < 1u << 23), denormal, normal);

	return (V)(PICK((u32v)(body >= 31u << 23), special, finite) | (x & 0x8000) << 16);
}

/* A value from 65520 to 2^16 carries into infinity's exponent by itself; above, it is cut to it. */
static inline void store_f16(char *p, V v)
{
	u32v x = (u32v)v, body = x & 0x7fffffff;
	u32v normal = (body - REBIAS + 0xfff + (body >> 13 & 1)) >> 13;
	u32v denormal = (u32v)((f32v)body + (f32v)((u32v){0} + HALF)) - HALF;
	u32v special = PICK((u32v)(body > 0x7f800000u), (u32v){0} + 0x7e00, 0x7c00);
	u32v finite = PICK((u32v)(body < LEAST_NORMAL), denormal, normal);

	narrow_16(p, PICK((u32v)(body >= 143u << 23), special, finite) | (x >> 16 & 0x8000));
}
#endif

#include "host/reduce_kernels.h"
