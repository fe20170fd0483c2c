/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pattern - contents that tell where they come from, and their checks.
 *
 * Word k of a stream is k times an odd constant (a permutation of the words, Knuth's multiplicative
 * hash) xor the stream's number.  Both directions go through a small array that stays in the first
 * cache, so that filling and checking run at about the speed of memory.
 */
#include "pattern.h"

#include <string.h>

enum { CHUNK = 1024 }; /* words */

static uint32_t stream_of(int rank, int block, uint32_t seed)
{
	uint32_t x =
		(uint32_t)rank * 0x9E3779B9u + (uint32_t)block * 0x85EBCA6Bu + seed * 0xC2B2AE35u;

	x ^= x >> 15;
	x *= 0x2C1B3C6Du;
	return x ^ (x >> 13);
}

static uint32_t word_of(uint32_t stream, uint32_t index)
{
	return (index * 2654435761u) ^ stream;
}

static void words(uint32_t *out, size_t count, size_t first, uint32_t stream)
{
	for (size_t i = 0; i < count; i++)
		out[i] = word_of(stream, (uint32_t)(first + i));
}

void pattern_bytes(void *out, size_t bytes, int rank, int block, uint32_t seed)
{
	uint32_t stream = stream_of(rank, block, seed), chunk[CHUNK];

	for (size_t at = 0; at < bytes; at += sizeof chunk) {
		size_t n = bytes - at < sizeof chunk ? bytes - at : sizeof chunk;

		words(chunk, (n + 3) / 4, at / 4, stream);
		memcpy((char *)out + at, chunk, n);
	}
}

size_t pattern_check_bytes(const void *in, size_t bytes, int rank, int block, uint32_t seed)
{
	uint32_t stream = stream_of(rank, block, seed), chunk[CHUNK];

	for (size_t at = 0; at < bytes; at += sizeof chunk) {
		size_t n = bytes - at < sizeof chunk ? bytes - at : sizeof chunk;
		const char *have = (const char *)in + at, *want = (const char *)chunk;

		words(chunk, (n + 3) / 4, at / 4, stream);
		if (memcmp(have, want, n) == 0)
			continue;
		while (*have == *want)
			have++, want++;
		return at + (size_t)(want - (const char *)chunk);
	}
	return bytes;
}

static float float_of(uint32_t stream, uint32_t index)
{
	return (float)(int32_t)(word_of(stream, index) >> 22);
}

void pattern_floats(float *out, size_t count, int rank, uint32_t seed)
{
	uint32_t stream = stream_of(rank, 0, seed);

	for (size_t i = 0; i < count; i++)
		out[i] = float_of(stream, (uint32_t)i);
}

static void sums(float *out, size_t count, size_t first, int nranks, uint32_t seed)
{
	memset(out, 0, count * sizeof *out);
	for (int rank = 0; rank < nranks; rank++) {
		uint32_t stream = stream_of(rank, 0, seed);

		for (size_t i = 0; i < count; i++)
			out[i] += float_of(stream, (uint32_t)(first + i));
	}
}

size_t pattern_check_sums(const float *in, size_t count, size_t first, int nranks, uint32_t seed)
{
	float chunk[CHUNK];

	for (size_t at = 0; at < count; at += CHUNK) {
		size_t n = count - at < CHUNK ? count - at : CHUNK;

		sums(chunk, n, first + at, nranks, seed);
		if (memcmp(in + at, chunk, n * sizeof *chunk) == 0)
			continue;
		for (size_t i = 0; i < n; i++)
			if (memcmp(&in[at + i], &chunk[i], sizeof *chunk) != 0)
				return at + i;
	}
	return count;
}
