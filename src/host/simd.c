/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simd - the processor is asked once, at the first call.
 *
 * The answer is kept in one atomic, the only state here: all threads that race to fill it write the
 * same value.
 */
#include "host/simd.h"

#include <stdatomic.h>

#if defined(__x86_64__)
#include <cpuid.h>

static bool has_f16c(void)
{
	unsigned eax, ebx, ecx, edx;

	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C);
}

/* The builtin also asks whether the operating system saves the wide registers. */
static enum tt_simd highest(void)
{
	if (!__builtin_cpu_supports("avx2") || !has_f16c())
		return TT_SIMD_BASE;
	if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
	    !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
		return TT_SIMD_AVX2;
	return TT_SIMD_AVX512;
}
#else
static enum tt_simd highest(void)
{
	return TT_SIMD_BASE;
}
#endif

enum { UNKNOWN = -1 };
static _Atomic int level = UNKNOWN; /* relaxed: nothing else is published with it */

enum tt_simd tt_simd_level(void)
{
	int now = atomic_load_explicit(&level, memory_order_relaxed);

	if (now == UNKNOWN) {
		now = (int)highest();
		atomic_store_explicit(&level, now, memory_order_relaxed);
	}
	return (enum tt_simd)now;
}

bool tt_simd_force(enum tt_simd wanted)
{
	if (wanted > highest())
		return false;
	atomic_store_explicit(&level, (int)wanted, memory_order_relaxed);
	return true;
}
