/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * widen - between a dtype and the type in which its reductions travel.
 *
 * Plain loops that the compiler vectorises: they run once per call beside the exchange, not
 * once per hop.
 */
#include "host/widen.h"

#include <stdbool.h>
#include <string.h>

#include "host/reduce.h"

static bool is_half(totum_dtype dtype)
{
	return dtype == TOTUM_F16 || dtype == TOTUM_BF16;
}

totum_dtype tt_widen_dtype(totum_dtype dtype, totum_op op)
{
	if (is_half(dtype))
		return TOTUM_F32;
	if (op != TOTUM_AVG)
		return dtype;
	if (dtype <= TOTUM_I64)
		return TOTUM_I64;
	return dtype <= TOTUM_U64 ? TOTUM_U64 : dtype;
}

static float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static float from_bf16(uint16_t half)
{
	return float_of((uint32_t)half << 16);
}

/* Exponent and mantissa moved into place, then scaled by 2^112: exact, denormals included. */
static float from_f16(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;

	if (rest >= 0x7c00) /* infinity and NaN keep their mantissa */
		return float_of(sign | 0x7f800000 | (rest & 0x3ff) << 13);
	return float_of(sign | bits_of(float_of(rest << 13) * 0x1p112f));
}

static uint16_t to_bf16(float value)
{
	uint32_t bits = bits_of(value);

	if (value != value)
		return 0x7fc0;
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); /* to nearest, ties to even */
}

static uint16_t to_f16(float value)
{
	uint32_t bits = bits_of(value), size = bits & 0x7fffffff;
	uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);

	if (value != value)
		return 0x7e00;
	if (size >= 0x477ff000) /* from halfway above 65504 on, infinity included */
		return sign | 0x7c00;
	if (size < 0x38800000) /* denormal: + 0.5 lets the float unit round to multiples of 2^-24 */
		return (uint16_t)(sign | (bits_of(float_of(size) + 0.5f) - 0x3f000000));
	return (uint16_t)(sign | ((size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13));
}

static int64_t read_int(const unsigned char *in, size_t i, totum_dtype dtype)
{
	switch (dtype) {
	case TOTUM_I8:
		return ((const int8_t *)in)[i];
	case TOTUM_U8:
		return in[i];
	case TOTUM_I16:
	case TOTUM_U16: {
		uint16_t value;
		memcpy(&value, in + 2 * i, sizeof value);
		return dtype == TOTUM_I16 ? (int64_t)(int16_t)value : (int64_t)value;
	}
	default: {
		uint32_t value;
		memcpy(&value, in + 4 * i, sizeof value);
		return dtype == TOTUM_I32 ? (int64_t)(int32_t)value : (int64_t)value;
	}
	}
}

void tt_widen(void *out, const void *in, size_t count, totum_dtype dtype, totum_op op)
{
	const unsigned char *bytes = in;
	totum_dtype wide = tt_widen_dtype(dtype, op);

	if (!count)
		return;
	if (wide == dtype) {
		memcpy(out, in, count * totum_dtype_size(dtype));
		return;
	}
	if (!is_half(dtype)) {
		for (size_t i = 0; i < count; i++)
			((int64_t *)out)[i] = read_int(bytes, i, dtype);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		uint16_t half;
		memcpy(&half, bytes + 2 * i, sizeof half);
		((float *)out)[i] = dtype == TOTUM_F16 ? from_f16(half) : from_bf16(half);
	}
}

/* wide holds i64 or u64 sums: the quotient's low bytes are the narrow integer (little endian). */
static void narrow_ints(unsigned char *out, const void *wide, size_t count, totum_dtype dtype,
			int nranks)
{
	size_t size = totum_dtype_size(dtype);

	for (size_t i = 0; i < count; i++) {
		int64_t value;
		memcpy(&value, (const unsigned char *)wide + 8 * i, sizeof value);
		if (dtype <= TOTUM_I64)
			value /= nranks;
		else
			value = (int64_t)((uint64_t)value / (uint64_t)nranks);
		memcpy(out + size * i, &value, size);
	}
}

void tt_narrow(void *out, const void *in, size_t count, totum_dtype dtype, totum_op op, int nranks)
{
	unsigned char *bytes = out;

	if (!count)
		return;
	if (is_half(dtype)) {
		for (size_t i = 0; i < count; i++) {
			float value = op == TOTUM_AVG ? ((const float *)in)[i] / (float)nranks
						      : ((const float *)in)[i];
			uint16_t half = dtype == TOTUM_F16 ? to_f16(value) : to_bf16(value);
			memcpy(bytes + 2 * i, &half, sizeof half);
		}
		return;
	}
	if (op == TOTUM_AVG && dtype <= TOTUM_U64) {
		narrow_ints(bytes, in, count, dtype, nranks);
		return;
	}
	memcpy(out, in, count * totum_dtype_size(dtype));
	if (op == TOTUM_AVG)
		tt_reduce_divide(out, count, dtype, nranks);
}
