/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simd.h - which vector instructions the copy and reduce kernels may use on this processor.
 *
 * Every kernel exists at TT_SIMD_BASE (plain C: SSE2, NEON, anything); the others exist on x86-64
 * only. A level changes speed and never a bit of a result.
 */
#ifndef TT_SIMD_H
#define TT_SIMD_H

#include <stdbool.h>

enum tt_simd {
	TT_SIMD_BASE,
	TT_SIMD_AVX2,   /* and F16C */
	TT_SIMD_AVX512, /* F, BW, DQ and VL, and the level below */
	TT_SIMD_LEVELS
};

/* The highest level that this processor and its operating system have, or the forced one. */
enum tt_simd tt_simd_level(void);
/* For tests: uses level from now on in every thread; false, and nothing changes, if it is not to be
 * had here. */
bool tt_simd_force(enum tt_simd level);

#endif
