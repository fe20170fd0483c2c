/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce_shapes.h - how elements get from memory into the lanes of an accumulator, and back.
 *
 *   bits        as they are
 *   f16, bf16   widened to f32 lanes; rounded once, to nearest even, when stored
 *   i8 .. u32   widened to 64-bit lanes; cut to the low bits when stored
 *
 * load_SHAPE takes and store_SHAPE writes SHAPE_bytes bytes, through memcpy: any alignment is
 * right. The file of the width brings load_f16 and store_f16, and widen_16 and narrow_16 between
 * u16 in memory and 32-bit lanes, as compilers do badly at all four.
 */
#ifndef TT_REDUCE_SHAPES_H
#define TT_REDUCE_SHAPES_H

#include "host/reduce_vectors.h"

enum {
	bits_bytes = WIDTH,
	f16_bytes = WIDTH / 2,
	bf16_bytes = WIDTH / 2,
	i32_bytes = WIDTH / 2,
	u32_bytes = WIDTH / 2,
	i16_bytes = WIDTH / 4,
	u16_bytes = WIDTH / 4,
	i8_bytes = WIDTH / 8,
	u8_bytes = WIDTH / 8
};

static inline V load_bits(const char *p)
{
	V x;

	memcpy(&x, p, sizeof x);
	return x;
}

static inline void store_bits(char *p, V x)
{
	memcpy(p, &x, sizeof x);
}

static inline V load_bf16(const char *p)
{
	return (V)(widen_16(p) << 16);
}

/* Adds half of the last place kept, less a bit where that place is even.  No NaN but the quiet one
 * gets here. */
static inline void store_bf16(char *p, V v)
{
	u32v x = (u32v)v;

	narrow_16(p, (x + 0x7fff + (x >> 16 & 1)) >> 16);
}

static inline V load_i8(const char *p)
{
	i8_eighth x;

	memcpy(&x, p, sizeof x);
	return (V) __builtin_convertvector(x, i64v);
}

static inline V load_i16(const char *p)
{
	i16_quarter x;

	memcpy(&x, p, sizeof x);
	return (V) __builtin_convertvector(x, i64v);
}

static inline V load_i32(const char *p)
{
	i32_half x;

	memcpy(&x, p, sizeof x);
	return (V) __builtin_convertvector(x, i64v);
}

static inline V load_u8(const char *p)
{
	u8_eighth x;

	memcpy(&x, p, sizeof x);
	return (V) __builtin_convertvector(x, u64v);
}

static inline V load_u16(const char *p)
{
	u16_quarter x;

	memcpy(&x, p, sizeof x);
	return (V) __builtin_convertvector(x, u64v);
}

static inline V load_u32(const char *p)
{
	u32_half x;

	memcpy(&x, p, sizeof x);
	return (V) __builtin_convertvector(x, u64v);
}

static inline void store_u8(char *p, V x)
{
	u8_eighth out = __builtin_convertvector((u64v)x, u8_eighth);

	memcpy(p, &out, sizeof out);
}

static inline void store_u16(char *p, V x)
{
	u16_quarter out = __builtin_convertvector((u64v)x, u16_quarter);

	memcpy(p, &out, sizeof out);
}

static inline void store_u32(char *p, V x)
{
	u32_half out = __builtin_convertvector((u64v)x, u32_half);

	memcpy(p, &out, sizeof out);
}

static inline void store_i8(char *p, V x)
{
	store_u8(p, x);
}

static inline void store_i16(char *p, V x)
{
	store_u16(p, x);
}

static inline void store_i32(char *p, V x)
{
	store_u32(p, x);
}

#endif
