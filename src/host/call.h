/* SPDX-License-Identifier: BSD-3-Clause */
/* call.h - the fingerprint of a call: made by the caller, compared by every peer, put in words when they differ. */
#ifndef TT_CALL_H
#define TT_CALL_H

#include <stdbool.h>

#include "host/area.h"

enum tt_operation {
	TT_OP_ALLGATHER = 1,
	TT_OP_ALLGATHERV,
	TT_OP_REDUCE_SCATTER,
	TT_OP_ALLREDUCE,
	TT_OP_BROADCAST,
	TT_OP_BARRIER,
	TT_OP_SPLIT,
	TT_OPERATIONS
};

const char *tt_operation_name(enum tt_operation operation);

/* algorithm: a hash of the forced algorithm's text, below 2^TT_CALL_ALGORITHM; 0 for the direct path. */
enum { TT_CALL_OPERATION = 4, TT_CALL_DTYPE = 5, TT_CALL_OP = 4, TT_CALL_ALGORITHM = 19 /* bits: 32 in all */ };

static inline struct tt_fingerprint tt_call(enum tt_operation operation, totum_dtype dtype, totum_op op, int root,
					    size_t count, uint32_t algorithm)
{
	return (struct tt_fingerprint){
		.kind = (uint32_t)operation | (uint32_t)dtype << TT_CALL_OPERATION |
			(uint32_t)op << (TT_CALL_OPERATION + TT_CALL_DTYPE) | algorithm << (32 - TT_CALL_ALGORITHM),
		.root = root,
		.count = count,
	};
}

static inline bool tt_call_same(const struct tt_fingerprint *a, const struct tt_fingerprint *b)
{
	return a->kind == b->kind && a->root == b->root && a->count == b->count && a->sizes == b->sizes;
}

enum { TT_CALL_TEXT = 96 };
/* "allreduce(100 x f32, sum)".  Any bytes are safe: a fingerprint comes from another process. */
const char *tt_call_describe(const struct tt_fingerprint *call, char out[static TT_CALL_TEXT]);

#endif
