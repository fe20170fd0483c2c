/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_data.h - what ranks send, and whether what they got is right, to the byte.
 *
 * What is only moved is a function of (sender, receiver's shard, index, salt) in every byte.  What
 * is reduced are small whole numbers, also in floats, for which every order of reduction gives
 * exactly the same result.  Indices are 64-bit; shards of up to 8 TiB have no two places alike.
 */
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include "bench_formula.h"

enum { BENCH_PATTERNS = 1024 };

struct bench_data {
	const struct bench_formula *formula;
	totum_dtype dtype;
	totum_op op;
	int rank, nranks, root;
	uint64_t salt; /* other data with every value */
	/* of reductions: elements that this rank brings, and what becomes of them */
	uint64_t brought[BENCH_PATTERNS], reduced[BENCH_PATTERNS];
};

/* To be called when all but the salt and the patterns is set. */
void bench_data_open(struct bench_data *data);

/* Elements that this rank sends, and receives, in a call of count. */
size_t bench_sends(const struct bench_data *data, size_t count);
size_t bench_receives(const struct bench_data *data, size_t count);

/* Fills send with the bench_sends(count) elements of this rank. */
void bench_fill(const struct bench_data *data, void *send, size_t count);
/* Fills recv with bytes every one of which differs from what must come there. */
void bench_poison(const struct bench_data *data, void *recv, size_t count);
/* How many of the bench_receives(count) elements in recv are not what must have come. */
uint64_t bench_wrong(const struct bench_data *data, const void *recv, size_t count);
/* How many of the elements in send are not what bench_fill has put there. */
uint64_t bench_changed(const struct bench_data *data, const void *send, size_t count);

enum bench_flow { BENCH_SEND, BENCH_RECV };
/*
 * The bytes [at, at + length) of the shard-th shard on that side of the call: what the four above
 * are made of.  at is a multiple of 16.
 */
void bench_bytes(const struct bench_data *data, enum bench_flow flow, size_t count, int shard,
		 uint64_t at, unsigned char *to, size_t length);

#endif
