/* SPDX-License-Identifier: BSD-3-Clause */
/* call - a fingerprint in words. */
#include "host/call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *tt_operation_name(enum tt_operation operation)
{
	static const char *const names[TT_OPERATIONS] = {
		[TT_OP_ALLGATHER] = "allgather",
		[TT_OP_ALLGATHERV] = "allgatherv",
		[TT_OP_REDUCE_SCATTER] = "reduce_scatter",
		[TT_OP_REDUCE_SCATTERV] = "reduce_scatterv",
		[TT_OP_ALLREDUCE] = "allreduce",
		[TT_OP_BROADCAST] = "broadcast",
		[TT_OP_REDUCE] = "reduce",
		[TT_OP_GATHER] = "gather",
		[TT_OP_GATHERV] = "gatherv",
		[TT_OP_SCATTER] = "scatter",
		[TT_OP_SCATTERV] = "scatterv",
		[TT_OP_ALLTOALL] = "alltoall",
		[TT_OP_ALLTOALLV] = "alltoallv",
		[TT_OP_BARRIER] = "barrier",
		[TT_OP_SPLIT] = "comm_split",
		[TT_OP_WINDOW] = "window_create or window_free",
		[TT_OP_GATHER_INTO_WINDOW] = "allgather into a window",
		[TT_OP_RESCUE] = "allgather_rescue",
		[TT_OP_GROUP] = "group of allgathers",
		[TT_OP_GROUP_REDUCE] = "group of allreduces",
	};
	const char *name = operation > 0 && operation < TT_OPERATIONS ? names[operation] : NULL;

	return name ? name : "an unknown operation";
}

static bool is_among(enum tt_operation operation, const enum tt_operation *list)
{
	while (*list && *list != operation)
		list++;
	return *list != 0;
}

const char *tt_call_describe(const struct tt_fingerprint *call, char out[static TT_CALL_TEXT])
{
	static const enum tt_operation bare[] = {TT_OP_BARRIER, TT_OP_SPLIT, TT_OP_WINDOW,
						TT_OP_RESCUE, 0};
	static const enum tt_operation uncounted[] = {TT_OP_GATHERV, TT_OP_SCATTERV,
						      TT_OP_ALLTOALLV, 0};
	static const enum tt_operation reducing[] = {TT_OP_REDUCE_SCATTER, TT_OP_REDUCE_SCATTERV,
						     TT_OP_ALLREDUCE, TT_OP_REDUCE, 0};
	static const enum tt_operation rooted[] = {TT_OP_BROADCAST, TT_OP_REDUCE, TT_OP_GATHER,
						   TT_OP_GATHERV, TT_OP_SCATTER, TT_OP_SCATTERV, 0};
	enum tt_operation operation = tt_call_operation(call);
	const char *dtype = totum_dtype_name((totum_dtype)(call->kind >> 7 & 0x1f));
	const char *op = totum_op_name((totum_op)(call->kind >> 12 & 0xf));
	int at = snprintf(out, TT_CALL_TEXT, "%s(", tt_operation_name(operation));

	if (!is_among(operation, bare) && !is_among(operation, uncounted))
		at += snprintf(out + at, (size_t)(TT_CALL_TEXT - at), "%" PRIu64 " x ",
			       call->count);
	if (!is_among(operation, bare))
		at += snprintf(out + at, (size_t)(TT_CALL_TEXT - at), "%s",
			       dtype ? dtype : "unknown dtype");
	if (is_among(operation, reducing))
		at += snprintf(out + at, (size_t)(TT_CALL_TEXT - at), ", %s",
			       op ? op : "unknown op");
	if (is_among(operation, rooted))
		at += snprintf(out + at, (size_t)(TT_CALL_TEXT - at), ", root %d",
			       (int)(call->kind >> 16));
	if (call->algorithm & 1)
		at += snprintf(out + at, (size_t)(TT_CALL_TEXT - at), ", algorithm forced");
	else if (call->algorithm)
		at += snprintf(out + at, (size_t)(TT_CALL_TEXT - at), ", order=rank");
	snprintf(out + at, (size_t)(TT_CALL_TEXT - at), ")");
	return out;
}

bool tt_call_looks_same(const struct tt_fingerprint *a, const struct tt_fingerprint *b)
{
	char a_text[TT_CALL_TEXT], b_text[TT_CALL_TEXT];

	return !strcmp(tt_call_describe(a, a_text), tt_call_describe(b, b_text));
}
