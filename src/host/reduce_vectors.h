/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce_vectors.h - vectors of WIDTH bytes, by the vector types of GNU C.
 *
 * The reduction kernels are one source compiled for several widths: reduce_base.c, reduce_avx2.c
 * and reduce_avx512.c define WIDTH, include this, define how 16-bit elements are widened there, and
 * include reduce_kernels.h.
 */
#ifndef TT_REDUCE_VECTORS_H
#define TT_REDUCE_VECTORS_H

#include <stdint.h>
#include <string.h>

#define LANES(bytes) __attribute__((vector_size(bytes)))

typedef uint8_t u8v LANES(WIDTH);
typedef uint16_t u16v LANES(WIDTH);
typedef uint32_t u32v LANES(WIDTH);
typedef uint64_t u64v LANES(WIDTH);
typedef int8_t i8v LANES(WIDTH);
typedef int16_t i16v LANES(WIDTH);
typedef int32_t i32v LANES(WIDTH);
typedef int64_t i64v LANES(WIDTH);
typedef float f32v LANES(WIDTH);
typedef double f64v LANES(WIDTH);

/* As many narrow elements as there are 32-bit lanes (half), or 64-bit lanes. */
typedef uint16_t u16_half LANES(WIDTH / 2);
typedef uint32_t u32_half LANES(WIDTH / 2);
typedef int32_t i32_half LANES(WIDTH / 2);
typedef uint16_t u16_quarter LANES(WIDTH / 4);
typedef int16_t i16_quarter LANES(WIDTH / 4);
typedef uint8_t u8_eighth LANES(WIDTH / 8);
typedef int8_t i8_eighth LANES(WIDTH / 8);

/* An accumulator, of whatever lanes. */
typedef u8v V;

/* By lane: a where mask is all ones, b where it is 0. */
#define PICK(mask, a, b) (((a) & (mask)) | ((b) & ~(mask)))

#endif
