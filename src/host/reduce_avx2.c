/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_avx2 - the reduction kernels in vectors of 32 bytes, f16 by the conversions of F16C. */
#include "host/reduce_table.h"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,f16c")
#endif

#define WIDTH 32
#define TABLE tt_reduce_avx2

#include "host/reduce_vectors.h"

static inline u32v widen_16(const char *p)
{
	return (u32v)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
}

static inline void narrow_16(char *p, u32v x)
{
	__m256i y = _mm256_permute4x64_epi64(_mm256_packus_epi32((__m256i)x, (__m256i)x), 0x08);
	_mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(y));
}

static inline V load_f16(const char *p)
{
	return (V)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}

static inline void store_f16(char *p, V x)
{
	_mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT));
}

#include "host/reduce_kernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
