/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * buffers.h - guarded, poisoned buffers, and data that say whose they are.
 *
 * Every byte is a function of (rank, salt, index), so that a byte from the wrong rank, the wrong
 * place or the wrong call is found.  Buffers start at any alignment, full of poison, between two
 * guards.
 */
#ifndef BUFFERS_H
#define BUFFERS_H

#include "ranks/harness.h"

#include <time.h>

enum { GUARD = 64, POISON = 0xA5 };

/* Are the ranks on several hosts? There sums are folded in an order that schedules fix. */
static inline bool over_hosts(const totum_comm *comm)
{
	for (int rank = 1; rank < totum_comm_nranks(comm); rank++)
		if (totum_comm_host(comm, rank) > 0)
			return true;
	return false;
}

static inline uint64_t mix(uint64_t x)
{
	x += 0x9E3779B97F4A7C15u;
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
	return x ^ (x >> 31);
}

static inline uint64_t hash_text(const char *text)
{
	uint64_t hash = 0;

	while (*text)
		hash = mix(hash ^ (unsigned char)*text++);
	return hash;
}

/* The same sequence on every rank that starts it with the same number. */
static inline uint64_t below(uint64_t *random, uint64_t limit)
{
	*random = mix(*random);
	return (*random >> 11) % limit;
}

static inline void nap_us(long microseconds)
{
	nanosleep(&(struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000}, NULL);
}

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct buffer {
	unsigned char *base, *data;
	size_t bytes, whole;
};

static inline unsigned char guard_byte(size_t at)
{
	return (unsigned char)(0xC3 ^ (at * 29));
}

static inline struct buffer buffer_new(size_t bytes, size_t misalignment)
{
	size_t before = GUARD + misalignment, whole = before + bytes + GUARD;
	unsigned char *base = malloc(whole);

	if (!base)
		fail("no memory for %zu bytes", whole);
	for (size_t i = 0; i < before; i++)
		base[i] = guard_byte(i);
	memset(base + before, POISON, bytes);
	for (size_t i = before + bytes; i < whole; i++)
		base[i] = guard_byte(i);
	return (struct buffer){base, base + before, bytes, whole};
}

static inline void buffer_free(struct buffer *buffer, const char *name)
{
	size_t first = (size_t)(buffer->data - buffer->base), last = first + buffer->bytes;

	for (size_t i = 0; i < buffer->whole; i++)
		if ((i < first || i >= last) && buffer->base[i] != guard_byte(i))
			fail("guard of %s was written, %zd bytes from its start (it has %zu)", name,
			     (ssize_t)i - (ssize_t)first, buffer->bytes);
		else if (i == first && buffer->bytes)
			i = last - 1;
	free(buffer->base);
}

/* Eight bytes of the data of (rank, salt), number `word`. */
static inline uint64_t datum(int rank, uint64_t salt, size_t word)
{
	return mix((salt ^ ((uint64_t)rank << 40)) + word);
}

static inline void fill(void *at, size_t bytes, int rank, uint64_t salt)
{
	unsigned char *to = at;
	size_t i = 0;

	for (; i + 8 <= bytes; i += 8)
		memcpy(to + i, &(uint64_t){datum(rank, salt, i / 8)}, 8);
	if (i < bytes)
		memcpy(to + i, &(uint64_t){datum(rank, salt, i / 8)}, bytes - i);
}

/* The bytes must be those of fill(rank, salt); `name` says what they are. */
static inline void check(const void *at, size_t bytes, int rank, uint64_t salt, const char *name)
{
	const unsigned char *got = at;
	uint64_t eight, want;
	size_t i = 0;

	for (; i + 8 <= bytes; i += 8) {
		memcpy(&eight, got + i, 8);
		if (eight != datum(rank, salt, i / 8))
			break;
	}
	want = datum(rank, salt, i / 8);
	for (; i < bytes && got[i] == (want & 0xFF); i++)
		want >>= 8; /* at most to the end: a difference is within these eight */
	if (i < bytes)
		fail("byte %zu of %zu of %s, data of rank %d: 0x%02X instead of 0x%02X%s", i, bytes,
		     name, rank, got[i], (unsigned)(want & 0xFF),
		     got[i] == POISON ? " (never written?)" : "");
}

static inline void check_poison(const void *at, size_t bytes, const char *name)
{
	const unsigned char *got = at;

	for (size_t i = 0; i < bytes; i++)
		if (got[i] != POISON)
			fail("byte %zu of %zu of %s was written", i, bytes, name);
}

#endif
