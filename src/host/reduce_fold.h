/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce_fold.h - the loop of every reduction kernel: n inputs in one pass, from the left.
 *
 * Every input is read once, and out is written once, at each place after all inputs have been read
 * there: so out may be any one of them.  Up to FEW inputs are walked together with the accumulators
 * in registers.  More of them, if they lie a power of two apart as shards tend to, share few sets
 * of the caches and push each other out; so each is read for a block of accumulators of 2 KiB, on
 * the stack, before the next one is.  (Measured with 32 inputs of 4 and 64 KiB each: 1.5 to 2.5
 * times as fast.)  The order of the fold is the same in all loops.
 *
 * A rest that fills no vector of this width is left to the next narrower one; in the narrowest it
 * goes through the same lane operations in a vector that is filled up with zeros.  Nothing outside
 * the buffers is read.
 */
#ifndef TT_REDUCE_FOLD_H
#define TT_REDUCE_FOLD_H

#include "host/reduce_vectors.h"

/* What makes a kernel.  Passed as a constant and inlined, so that the calls through it are too. */
struct steps {
	size_t bytes; /* of memory that load takes and store writes */
	V (*load)(const char *p);
	V (*combine)(V x, V y);
	V (*finish)(V x, int divisor);
	void (*store)(char *p, V x);
};

enum { FEW = 8, BLOCK = 2048 / WIDTH, NARROWEST = 16 };

#define INLINE static inline __attribute__((always_inline))

INLINE void fold_one(const struct steps steps, char *out, const void *const in[], int n, size_t at,
		     int divisor)
{
	V a = steps.load((const char *)in[0] + at);

	for (int j = 1; j < n; j++)
		a = steps.combine(a, steps.load((const char *)in[j] + at));
	steps.store(out + at, steps.finish(a, divisor));
}

INLINE void fold_four(const struct steps steps, char *out, const void *const in[], int n, size_t at,
		      int divisor)
{
	const char *p = (const char *)in[0] + at;
	V a = steps.load(p), b = steps.load(p + steps.bytes);
	V c = steps.load(p + 2 * steps.bytes), d = steps.load(p + 3 * steps.bytes);

	for (int j = 1; j < n; j++) {
		p = (const char *)in[j] + at;
		a = steps.combine(a, steps.load(p));
		b = steps.combine(b, steps.load(p + steps.bytes));
		c = steps.combine(c, steps.load(p + 2 * steps.bytes));
		d = steps.combine(d, steps.load(p + 3 * steps.bytes));
	}
	out += at;
	steps.store(out, steps.finish(a, divisor));
	steps.store(out + steps.bytes, steps.finish(b, divisor));
	steps.store(out + 2 * steps.bytes, steps.finish(c, divisor));
	steps.store(out + 3 * steps.bytes, steps.finish(d, divisor));
}

INLINE void fold_block(const struct steps steps, char *out, const void *const in[], int n,
		       size_t at, int divisor)
{
	V block[BLOCK];

	for (size_t k = 0; k < BLOCK; k++)
		block[k] = steps.load((const char *)in[0] + at + k * steps.bytes);
	for (int j = 1; j < n; j++)
		for (size_t k = 0; k < BLOCK; k++)
			block[k] = steps.combine(
				block[k], steps.load((const char *)in[j] + at + k * steps.bytes));
	for (size_t k = 0; k < BLOCK; k++)
		steps.store(out + at + k * steps.bytes, steps.finish(block[k], divisor));
}

static inline uint64_t get_8(const char *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof x);
	return x;
}

static inline uint64_t get_4(const char *p)
{
	uint32_t x;

	memcpy(&x, p, sizeof x);
	return x;
}

static inline uint64_t get_1(const char *p)
{
	return (uint8_t)*p;
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "get_part puts later bytes into higher places");

/*
 * The 0 < bytes < NARROWEST bytes at p, then zeros, by overlapping reads inside them: a byte that
 * two of the reads see is put in the same place by both.  All in registers, as a processor stalls
 * that loads a vector which it has just stored in pieces.
 */
static V get_part(const char *p, size_t bytes)
{
	u64v x = {0};

	if (bytes > 8)
		x[1] = get_8(p + bytes - 8) >> 8 * (16 - bytes);
	if (bytes >= 8)
		x[0] = get_8(p);
	else if (bytes >= 4)
		x[0] = get_4(p) | get_4(p + bytes - 4) << 8 * (bytes - 4);
	else
		x[0] = get_1(p) | get_1(p + bytes / 2) << 8 * (bytes / 2) |
		       get_1(p + bytes - 1) << 8 * (bytes - 1);
	return (V)x;
}

static void put_part(char *p, const char *from, size_t bytes)
{
	for (size_t size = NARROWEST / 2; size > 0; size /= 2) {
		if (!(bytes & size))
			continue;
		memcpy(p, from, size);
		p += size;
		from += size;
	}
}

INLINE V load_part(const struct steps steps, const char *p, size_t bytes)
{
	V part = get_part(p, bytes);

	return steps.load((const char *)&part);
}

INLINE void fold_part(const struct steps steps, char *out, const void *const in[], int n, size_t at,
		      size_t bytes, int divisor)
{
	V a = load_part(steps, (const char *)in[0] + at, bytes);
	char part[WIDTH];

	for (int j = 1; j < n; j++)
		a = steps.combine(a, load_part(steps, (const char *)in[j] + at, bytes));
	steps.store(part, steps.finish(a, divisor));
	put_part(out + at, part, bytes);
}

/* The contract is tt_reduce_kernel's. */
INLINE size_t fold(const struct steps steps, char *out, const void *const in[], int n, size_t at,
		   size_t bytes, int divisor)
{
	for (; n > FEW && bytes - at >= BLOCK * steps.bytes; at += BLOCK * steps.bytes)
		fold_block(steps, out, in, n, at, divisor);
	for (; bytes - at >= 4 * steps.bytes; at += 4 * steps.bytes)
		fold_four(steps, out, in, n, at, divisor);
	for (; bytes - at >= steps.bytes; at += steps.bytes)
		fold_one(steps, out, in, n, at, divisor);
	if (WIDTH > NARROWEST || at == bytes)
		return at;
	fold_part(steps, out, in, n, at, bytes - at, divisor);
	return bytes;
}

#endif
