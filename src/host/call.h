/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * call.h - the fingerprint of a call: made by the caller, compared by every peer, put in words
 * when they differ.
 */
#ifndef TT_CALL_H
#define TT_CALL_H

#include <stdbool.h>

#include "host/area.h"

enum tt_operation {
	TT_OP_ALLGATHER = 1,
	TT_OP_ALLGATHERV,
	TT_OP_REDUCE_SCATTER,
	TT_OP_REDUCE_SCATTERV,
	TT_OP_ALLREDUCE,
	TT_OP_BROADCAST,
	TT_OP_REDUCE,
	TT_OP_GATHER,
	TT_OP_GATHERV,
	TT_OP_SCATTER,
	TT_OP_SCATTERV,
	TT_OP_ALLTOALL,
	TT_OP_ALLTOALLV,
	TT_OP_BARRIER,
	TT_OP_SPLIT,
	TT_OP_GROUP,
	TT_OP_GROUP_REDUCE,
	TT_OP_WINDOW,
	TT_OP_GATHER_INTO_WINDOW,
	TT_OP_RESCUE,
	TT_OPERATIONS
};

const char *tt_operation_name(enum tt_operation operation);

/* Beside the operation in kind: every rank has sizes of its own, which the peers do not compare. */
enum { TT_CALL_LOCAL = 1 << 6 };

/* kind, from the low bits: operation 6, TT_CALL_LOCAL 1, dtype 5, op 4, root 16. */
static inline struct tt_fingerprint tt_call(enum tt_operation operation, totum_dtype dtype,
					    totum_op op, int root, size_t count)
{
	return (struct tt_fingerprint){
		.kind = (uint32_t)operation | (uint32_t)dtype << 7 | (uint32_t)op << 12 |
			(uint32_t)root << 16,
		.count = count,
	};
}

static inline enum tt_operation tt_call_operation(const struct tt_fingerprint *call)
{
	return (enum tt_operation)(call->kind & 0x3f);
}

static inline bool tt_call_same(const struct tt_fingerprint *a, const struct tt_fingerprint *b)
{
	return a->kind == b->kind && a->algorithm == b->algorithm && a->count == b->count &&
	       (a->sizes == b->sizes || a->kind & TT_CALL_LOCAL);
}

/*
 * Copies field by field: a wider load would wait until the narrower stores that have just set the
 * fields are in the cache.
 */
static inline void tt_call_copy(struct tt_fingerprint *to, const struct tt_fingerprint *from)
{
	uint32_t kind = from->kind, algorithm = from->algorithm;
	uint64_t count = from->count, sizes = from->sizes;

	/* or the compiler would make it one wide load */
	__asm__("" : "+r"(kind), "+r"(algorithm), "+r"(count), "+r"(sizes));
	to->kind = kind;
	to->algorithm = algorithm;
	to->count = count;
	to->sizes = sizes;
}

enum { TT_CALL_TEXT = 96 };
/* "allreduce(100 x f32, sum)".  Any bytes are safe: a fingerprint comes from another process. */
const char *tt_call_describe(const struct tt_fingerprint *call, char out[static TT_CALL_TEXT]);
/* Are two calls the same in words, whatever else differs? */
bool tt_call_looks_same(const struct tt_fingerprint *a, const struct tt_fingerprint *b);

#endif
