/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce_avx512 - the reduction kernels in vectors of 64 bytes. */
#include "host/reduce_table.h"

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))),        \
			     apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl")
#endif

#define WIDTH 64
#define TABLE tt_reduce_avx512

#include "host/reduce_vectors.h"

static inline V load_f16(const char *p)
{
	return (V)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}

static inline u32v widen_16(const char *p)
{
	return (u32v)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
}

static inline void narrow_16(char *p, u32v x)
{
	_mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16((__m512i)x));
}

/* The form without a mask does not compile with -Wconversion -O0, where it is a macro that passes
 * -1. */
static inline void store_f16(char *p, V x)
{
	_mm256_storeu_si256((__m256i *)p,
			    _mm512_maskz_cvtps_ph(0xffff, (__m512)x, _MM_FROUND_TO_NEAREST_INT));
}

#include "host/reduce_kernels.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
