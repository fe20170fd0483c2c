/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * half.h - the two 16-bit floats and f32, for whoever makes or checks data.
 *
 * f16 is 1 sign, 5 exponent, 10 fraction bits (IEEE 754 binary16); bf16 is the upper half of an
 * f32.  Rounding is to nearest, ties to even, in the default rounding mode.  Written for clearness,
 * not for speed.
 */
#ifndef HALF_H
#define HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float f16_to_float(uint16_t half)
{
	int exponent = half >> 10 & 31, fraction = half & 1023;
	float magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
			  : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
					 : ldexpf((float)fraction, -24);

	return half & 0x8000 ? -magnitude : magnitude;
}

static inline uint16_t f16_from_float(float value)
{
	unsigned sign = signbit(value) ? 0x8000 : 0;
	float magnitude = fabsf(value);
	int exponent;

	if (isnan(value))
		return (uint16_t)(sign | 0x7E00);
	if (magnitude >= 65520.0f) /* the midpoint above the largest f16 */
		return (uint16_t)(sign | 0x7C00);
	frexpf(magnitude, &exponent);
	if (exponent < -13 || magnitude == 0) /* subnormal: the step stays 2^-24 */
		exponent = -13;
	/* 1024 to 2048 steps; 2048 carries into the exponent as it should */
	unsigned steps = (unsigned)lrintf(ldexpf(magnitude, 11 - exponent));

	return (uint16_t)(sign | (((unsigned)(exponent + 13) << 10) + steps));
}

static inline float bf16_to_float(uint16_t bf16)
{
	uint32_t bits = (uint32_t)bf16 << 16;
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static inline uint16_t bf16_from_float(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	if (isnan(value))
		return (uint16_t)(bits >> 16 | 0x40);
	return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

#endif
