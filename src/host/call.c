/* SPDX-License-Identifier: BSD-3-Clause */
/* call - a fingerprint in words. */
#include "host/call.h"

#include <inttypes.h>
#include <stdio.h>

const char *tt_operation_name(enum tt_operation operation)
{
	static const char *const names[TT_OPERATIONS] = {
		[TT_OP_ALLGATHER] = "allgather",   [TT_OP_ALLGATHERV] = "allgatherv",
		[TT_OP_REDUCE_SCATTER] = "reduce_scatter", [TT_OP_ALLREDUCE] = "allreduce",
		[TT_OP_BROADCAST] = "broadcast",   [TT_OP_BARRIER] = "barrier",
		[TT_OP_SPLIT] = "comm_split",
	};
	const char *name = operation > 0 && operation < TT_OPERATIONS ? names[operation] : NULL;

	return name ? name : "an unknown operation";
}

static uint32_t take(uint32_t *from, int bits)
{
	uint32_t low = *from & ((1u << bits) - 1);

	*from >>= bits;
	return low;
}

const char *tt_call_describe(const struct tt_fingerprint *call, char out[static TT_CALL_TEXT])
{
	uint32_t kind = call->kind;
	enum tt_operation operation = (enum tt_operation)take(&kind, TT_CALL_OPERATION);
	const char *dtype = totum_dtype_name((totum_dtype)take(&kind, TT_CALL_DTYPE));
	const char *op = totum_op_name((totum_op)take(&kind, TT_CALL_OP));
	bool reduces = operation == TT_OP_REDUCE_SCATTER || operation == TT_OP_ALLREDUCE;
	int at;

	if (operation == TT_OP_BARRIER || operation == TT_OP_SPLIT)
		at = snprintf(out, TT_CALL_TEXT, "%s(", tt_operation_name(operation));
	else
		at = snprintf(out, TT_CALL_TEXT, "%s(%" PRIu64 " x %s", tt_operation_name(operation), call->count,
			      dtype ? dtype : "unknown dtype");
	if (reduces)
		at += snprintf(out + at, (size_t)(TT_CALL_TEXT - at), ", %s", op ? op : "unknown op");
	if (operation == TT_OP_BROADCAST)
		at += snprintf(out + at, (size_t)(TT_CALL_TEXT - at), ", root %d", call->root);
	if (kind)
		at += snprintf(out + at, (size_t)(TT_CALL_TEXT - at), ", algorithm forced");
	snprintf(out + at, (size_t)(TT_CALL_TEXT - at), ")");
	return out;
}
