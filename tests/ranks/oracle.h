/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * oracle.h - what a reduction must give, computed one element at a time and without the library.
 *
 * The fold is in rank order: integers in 64 bits, cut at the end (wrapping commutes with cutting,
 * except in AVG, whose inputs are small); f16, bf16 and f32 in float, f64 in double, one rounding
 * at the end.  NaNs compare equal.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "../cli/half.h"
#include "ranks/buffers.h"

enum kind { SIGNED, UNSIGNED, BOOLEAN, REAL };

static inline enum kind kind_of(totum_dtype dtype)
{
	if (dtype <= TOTUM_I64)
		return SIGNED;
	if (dtype <= TOTUM_U64)
		return UNSIGNED;
	return dtype == TOTUM_BOOL ? BOOLEAN : REAL;
}

/* Bytes of an element of a reducible dtype. */
static inline size_t element_size(totum_dtype dtype)
{
	static const unsigned char sizes[] = {1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 1};

	return sizes[dtype];
}

/* memcpy of 1, 2, 4 or 8 bytes: the compiler knows the size in each branch. */
static inline void copy_element(void *to, const void *from, size_t size)
{
	if (size == 1)
		memcpy(to, from, 1);
	else if (size == 2)
		memcpy(to, from, 2);
	else if (size == 4)
		memcpy(to, from, 4);
	else
		memcpy(to, from, 8);
}

/* The pairs that reductions take, as totum.h says. */
static inline bool reducible(totum_dtype dtype, totum_op op)
{
	if (dtype > TOTUM_BOOL)
		return false;
	if (op == TOTUM_AVG)
		return dtype != TOTUM_BOOL;
	return op < TOTUM_AVG || kind_of(dtype) != REAL;
}

/* One element, wide: an integer in `bits` (sign-extended), or a real. */
struct wide {
	uint64_t bits;
	double real;
};

/* What is left of an integer in an element of dtype, extended to 64 bits again. */
static inline uint64_t cut_bits(uint64_t bits, totum_dtype dtype)
{
	size_t unused = 64 - 8 * element_size(dtype);

	if (kind_of(dtype) == SIGNED)
		return (uint64_t)((int64_t)(bits << unused) >> unused);
	return bits << unused >> unused;
}

static inline struct wide load_element(const void *at, size_t index, totum_dtype dtype)
{
	size_t size = element_size(dtype);
	uint64_t raw = 0;
	struct wide out = {0};
	float narrow;

	copy_element(&raw, (const char *)at + index * size, size); /* little-endian */
	out.bits = cut_bits(raw, dtype);
	if (kind_of(dtype) != REAL)
		return out;
	memcpy(&narrow, &raw, sizeof narrow);
	if (dtype == TOTUM_F64)
		memcpy(&out.real, &raw, sizeof out.real);
	else if (dtype == TOTUM_F32)
		out.real = (double)narrow;
	else if (dtype == TOTUM_F16)
		out.real = (double)f16_to_float((uint16_t)raw);
	else if (dtype == TOTUM_BF16)
		out.real = (double)bf16_to_float((uint16_t)raw);
	return out;
}

static inline void store_element(void *at, size_t index, totum_dtype dtype, struct wide value)
{
	size_t size = element_size(dtype);
	float narrow = (float)value.real;
	uint64_t raw = value.bits;

	if (dtype == TOTUM_F64)
		memcpy(&raw, &value.real, sizeof raw);
	else if (dtype == TOTUM_F32)
		memcpy(&raw, &narrow, sizeof narrow);
	else if (dtype == TOTUM_F16)
		raw = f16_from_float(narrow);
	else if (dtype == TOTUM_BF16)
		raw = bf16_from_float(narrow);
	copy_element((char *)at + index * size, &raw, size);
}

/* A real that tells orders apart, or (exact) a small integer for which all agree. */
static inline double real_input(uint64_t random, totum_op op, bool exact)
{
	if ((op == TOTUM_MIN || op == TOTUM_MAX) && random % 16 == 0)
		return (double)NAN;
	if (op == TOTUM_PROD)
		return exact ? (random & 1   ? 1.0
				: random & 2 ? 2.0
					     : -1.0)
			     : ((double)(random >> 40) / 0x1p24 + 0.5) * (random & 1 ? 1 : -1);
	return exact ? (double)(random >> 40) - 7 - 15 * (double)((random >> 40) / 15)
		     : ((double)(random >> 40) - 0x1p23) / 0x1p12;
}

/* What `rank` brings as element `index` of a reduction. */
static inline struct wide input(int rank, uint64_t salt, size_t index, totum_dtype dtype,
				totum_op op, bool exact)
{
	uint64_t random = datum(rank, salt, index), raw = 0;
	struct wide value = {cut_bits(random, dtype), 0};

	if (kind_of(dtype) == BOOLEAN)
		value.bits = random % 3 != 0;
	else if (op == TOTUM_AVG)
		value.bits = random % 15 - (kind_of(dtype) == SIGNED ? 7 : 0);
	else if (op >= TOTUM_LAND && random % 4 == 0)
		value.bits = 0;
	if (kind_of(dtype) != REAL)
		return value;
	value.real = real_input(random, op, exact);
	store_element(&raw, 0, dtype, value); /* round to what a buffer holds */
	return load_element(&raw, 0, dtype);
}

static inline void fill_inputs(void *at, size_t first, size_t count, int rank, uint64_t salt,
			       totum_dtype dtype, totum_op op, bool exact)
{
	for (size_t i = 0; i < count; i++)
		store_element(at, i, dtype, input(rank, salt, first + i, dtype, op, exact));
}

static inline double fold_real(double a, double b, totum_op op, bool wide)
{
	switch (op) {
	case TOTUM_PROD:
		return wide ? a * b : (double)((float)a * (float)b);
	case TOTUM_MIN:
	case TOTUM_MAX:
		if (isnan(a) || isnan(b))
			return (double)NAN;
		return (op == TOTUM_MIN) == (a < b) ? a : b;
	default:
		return wide ? a + b : (double)((float)a + (float)b);
	}
}

static inline uint64_t fold_bits(uint64_t a, uint64_t b, totum_op op, enum kind kind)
{
	bool less = kind == SIGNED ? (int64_t)a < (int64_t)b : a < b;

	switch (op) {
	case TOTUM_PROD:
		return a * b;
	case TOTUM_MIN:
		return less ? a : b;
	case TOTUM_MAX:
		return less ? b : a;
	case TOTUM_BAND:
		return a & b;
	case TOTUM_BOR:
		return a | b;
	case TOTUM_BXOR:
		return a ^ b;
	case TOTUM_LAND:
		return a && b;
	case TOTUM_LOR:
		return a || b;
	case TOTUM_LXOR:
		return !a != !b;
	default:
		return kind == BOOLEAN ? a | b : a + b;
	}
}

/* Element `index` of the result over nranks ranks. */
static inline struct wide expected(int nranks, uint64_t salt, size_t index, totum_dtype dtype,
				   totum_op op, bool exact)
{
	struct wide result = input(0, salt, index, dtype, op, exact);
	enum kind kind = kind_of(dtype);

	if (op >= TOTUM_LAND) /* the truth of a value, also of one alone */
		result.bits = result.bits != 0;
	for (int rank = 1; rank < nranks; rank++) {
		struct wide next = input(rank, salt, index, dtype, op, exact);

		result.bits = fold_bits(result.bits, next.bits, op, kind);
		if (kind == REAL)
			result.real = fold_real(result.real, next.real, op, dtype == TOTUM_F64);
	}
	if (op == TOTUM_AVG && dtype == TOTUM_F64)
		result.real /= nranks;
	else if (op == TOTUM_AVG && kind == REAL)
		result.real = (double)((float)result.real / (float)nranks);
	else if (op == TOTUM_AVG)
		result.bits = (uint64_t)((int64_t)result.bits / nranks);
	return result;
}

/* `count` elements at `at` must be elements first, first+1, .. of the result. */
static inline void check_result(const void *at, size_t first, size_t count, int nranks,
				uint64_t salt, totum_dtype dtype, totum_op op, bool exact)
{
	for (size_t i = 0; i < count; i++) {
		struct wide got = load_element(at, i, dtype);
		struct wide want = expected(nranks, salt, first + i, dtype, op, exact);
		uint64_t raw = 0;

		store_element(&raw, 0, dtype, want);
		want = load_element(&raw, 0, dtype);
		if (kind_of(dtype) == REAL && isnan(got.real) && isnan(want.real))
			continue;
		if (got.bits != want.bits)
			fail("element %zu of %zu is 0x%llx (%.9g) instead of 0x%llx (%.9g)", i,
			     count, (unsigned long long)got.bits, got.real,
			     (unsigned long long)want.bits, want.real);
	}
}

#endif
