/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pattern.h - contents that tell where they come from, and their checks.
 *
 * A stream is named by a rank, a block and a seed; every aligned group of four bytes of it differs
 * from its neighbours and from those of other streams.  Floats are whole numbers below 1024, so
 * that their sums are exact in every order.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stddef.h>
#include <stdint.h>

void pattern_bytes(void *out, size_t bytes, int rank, int block, uint32_t seed);
/* The index of the first byte that is not the stream's; bytes when all are. */
size_t pattern_check_bytes(const void *in, size_t bytes, int rank, int block, uint32_t seed);

void pattern_floats(float *out, size_t count, int rank, uint32_t seed);
/*
 * in[i] must be the sum over all ranks of their element first + i.  The index of the first that is
 * not; count when all are.
 */
size_t pattern_check_sums(const float *in, size_t count, size_t first, int nranks, uint32_t seed);

#endif
