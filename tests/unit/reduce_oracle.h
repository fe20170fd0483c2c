/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce_oracle.h - what a reduction must give, one element at a time, by other means than the
 * library's.
 *
 * Elements are raw bits in a uint64_t.  16-bit floats are decoded and encoded arithmetically
 * (ldexp, frexp, rint), minima compare values and signs, integers are cut to size at the end.
 */
#ifndef REDUCE_ORACLE_H
#define REDUCE_ORACLE_H

#include "totum.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool is_signed(totum_dtype dtype)
{
	return dtype <= TOTUM_I64;
}

static inline bool is_float(totum_dtype dtype)
{
	return dtype >= TOTUM_F16 && dtype <= TOTUM_F64;
}

/* The pairs that totum.h promises. */
static inline bool is_legal(totum_dtype dtype, totum_op op)
{
	if (dtype > TOTUM_BOOL)
		return false;
	if (op == TOTUM_AVG)
		return dtype != TOTUM_BOOL;
	return op < TOTUM_AVG || !is_float(dtype);
}

static inline uint64_t low_bits(uint64_t x, size_t bytes)
{
	return bytes == 8 ? x : x & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* The bits of a 16-bit float: `fraction` bits of it stored, exponents from `least` up to -least
 * + 1. */
struct half_format {
	int fraction, least;
};

static const struct half_format f16_format = {10, -14}, bf16_format = {7, -126};

static inline double half_decode(uint64_t bits, struct half_format format)
{
	int exponent = (int)(bits >> format.fraction) & ((1 << (15 - format.fraction)) - 1);
	double fraction = (double)(bits & ((1u << format.fraction) - 1));
	double sign = bits >> 15 ? -1 : 1;

	if (exponent == (1 << (15 - format.fraction)) - 1)
		return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
	if (exponent == 0)
		return sign * ldexp(fraction, format.least - format.fraction);
	return sign * ldexp(1 + ldexp(fraction, -format.fraction), exponent - 1 + format.least);
}

static inline uint64_t half_encode(double x, struct half_format format)
{
	uint64_t sign = signbit(x) ? 0x8000 : 0;
	uint64_t infinity = ((UINT64_C(1) << (15 - format.fraction)) - 1) << format.fraction;
	int exponent;

	if (isnan(x))
		return infinity | UINT64_C(1) << (format.fraction - 1);
	frexp(x, &exponent); /* x is 0.5 to 1 times 2^exponent */
	if (isinf(x) || exponent > -format.least + 2)
		return sign | infinity;
	if (x == 0 || exponent - 1 < format.least)
		exponent = format.least + 1;
	/* In units of the last place; one that rounds up to a power of two carries by itself. */
	uint64_t units = (uint64_t)rint(ldexp(fabs(x), format.fraction - exponent + 1));
	return sign | (((uint64_t)(exponent - 1 - format.least) << format.fraction) + units);
}

static inline double decode(uint64_t bits, totum_dtype dtype)
{
	float f;
	double d;

	if (dtype == TOTUM_F16)
		return half_decode(bits, f16_format);
	if (dtype == TOTUM_BF16)
		return half_decode(bits, bf16_format);
	memcpy(&f, &bits, sizeof f);
	memcpy(&d, &bits, sizeof d);
	return dtype == TOTUM_F32 ? (double)f : d;
}

static inline uint64_t encode(double x, totum_dtype dtype)
{
	uint64_t bits = 0;

	if (dtype == TOTUM_F16)
		return half_encode(x, f16_format);
	if (dtype == TOTUM_BF16)
		return half_encode(x, bf16_format);
	if (isnan(x))
		return dtype == TOTUM_F32 ? UINT64_C(0x7fc00000) : UINT64_C(0x7ff8000000000000);
	if (dtype == TOTUM_F64) {
		memcpy(&bits, &x, sizeof x);
	} else {
		float f = (float)x;

		memcpy(&bits, &f, sizeof f);
	}
	return bits;
}

static inline bool goes_before(double x, double y)
{
	return x < y || (x == y && signbit(x) > signbit(y));
}

static inline double fold_floats(double x, double y, totum_op op, bool wide)
{
	if (op == TOTUM_MIN || op == TOTUM_MAX) {
		if (isnan(x) || isnan(y))
			return (double)NAN;
		return goes_before(x, y) == (op == TOTUM_MIN) ? x : y;
	}
	if (wide)
		return op == TOTUM_PROD ? x * y : x + y;
	return (double)(op == TOTUM_PROD ? (float)x * (float)y : (float)x + (float)y);
}

static inline uint64_t fold_integers(uint64_t x, uint64_t y, totum_op op, bool with_sign)
{
	bool less = with_sign ? (int64_t)x < (int64_t)y : x < y;

	switch (op) {
	case TOTUM_SUM:
	case TOTUM_AVG:
		return x + y;
	case TOTUM_PROD:
		return x * y;
	case TOTUM_MIN:
		return less ? x : y;
	case TOTUM_MAX:
		return less ? y : x;
	case TOTUM_BAND:
		return x & y;
	case TOTUM_BOR:
		return x | y;
	case TOTUM_BXOR:
		return x ^ y;
	case TOTUM_LAND:
		return x && y;
	case TOTUM_LOR:
		return x || y;
	default:
		return !x != !y;
	}
}

static inline uint64_t oracle_float(const uint64_t in[], int n, totum_dtype dtype, totum_op op,
				    int divisor)
{
	bool wide = dtype == TOTUM_F64;
	double x = decode(in[0], dtype);

	for (int j = 1; j < n; j++)
		x = fold_floats(x, decode(in[j], dtype), op, wide);
	if (op == TOTUM_AVG)
		x = wide ? x / divisor : (double)((float)x / (float)divisor);
	return encode(x, dtype);
}

static inline uint64_t oracle_bool(const uint64_t in[], int n, totum_op op)
{
	unsigned trues = 0;

	for (int j = 0; j < n; j++)
		trues += in[j] != 0;
	if (op == TOTUM_BXOR || op == TOTUM_LXOR)
		return trues % 2;
	if (op == TOTUM_PROD || op == TOTUM_MIN || op == TOTUM_BAND || op == TOTUM_LAND)
		return trues == (unsigned)n;
	return trues > 0;
}

/* in: the n elements of one place, in rank order. */
static inline uint64_t oracle(const uint64_t in[], int n, totum_dtype dtype, totum_op op,
			      int divisor)
{
	size_t size = totum_dtype_size(dtype);
	int shift = 64 - 8 * (int)size;
	uint64_t x = 0;

	if (is_float(dtype))
		return oracle_float(in, n, dtype, op, divisor);
	if (dtype == TOTUM_BOOL)
		return oracle_bool(in, n, op);
	for (int j = 0; j < n; j++) {
		uint64_t y = in[j];

		if (is_signed(dtype))
			y = (uint64_t)((int64_t)(y << shift) >> shift);
		if (op >= TOTUM_LAND)
			y = y != 0;
		x = j == 0 ? y : fold_integers(x, y, op, is_signed(dtype));
	}
	if (op == TOTUM_AVG)
		x = is_signed(dtype) ? (uint64_t)((int64_t)x / divisor) : x / (uint64_t)divisor;
	return low_bits(x, size);
}

#endif
