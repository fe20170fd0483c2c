/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * allreduce - all-reduce and reduce on one host, in rank order.
 *
 * Small: one beat, in which everyone stages everything and reduces everything.  Larger: the vector goes in chunks, and of
 * a chunk every rank reduces a part.  A beat carries the contributions to one chunk and, behind them, this rank's
 * reduced part of the chunk before, so that k chunks take k+1 beats.  A reduce is the same, but that only the root
 * copies the parts out.
 *
 * In place is safe: the contributions to a chunk are staged a beat before its result is written.
 */
#include "host/inputs.h"
#include "host/kinds.h"
#include "host/reduce.h"

enum { WHOLE = 2048 /* bytes up to which everyone reduces everything */ };

static bool gets_result(const struct tt_host *host, const struct tt_task *task)
{
	return tt_call_operation(&task->call) == TT_OP_ALLREDUCE || host->rank == task->root;
}

/* Bytes of a chunk: its contributions and a rank's part of it fit a stage together. */
static size_t chunk_bytes(const struct tt_host *host)
{
	return (host->stage - host->stage / (size_t)(host->nranks + 1)) / TT_LINE * TT_LINE - TT_LINE;
}

/* The line-aligned part [first, end) of a chunk of `bytes` that a rank reduces. */
static size_t part_first(size_t bytes, int rank, int nranks)
{
	size_t lines = (bytes + TT_LINE - 1) / TT_LINE, r = (size_t)rank, n = (size_t)nranks;
	size_t at = (lines / n * r + (lines % n < r ? lines % n : r)) * TT_LINE;

	return tt_least(at, bytes);
}

static size_t part_bytes(size_t bytes, int rank, int nranks)
{
	return part_first(bytes, rank + 1, nranks) - part_first(bytes, rank, nranks);
}

static void allreduce_begin(const struct tt_host *host, struct tt_task *task)
{
	task->streams = task->bytes >= host->stream_from;
	task->part = 0;
	task->parts = 0;
}

static bool is_whole(const struct tt_task *task)
{
	return task->bytes <= WHOLE;
}

static void allreduce_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot)
{
	size_t now = tt_part(task->bytes, task->at, is_whole(task) ? host->stage : chunk_bytes(host));

	if (task->part) { /* this rank's part of the chunk before, whose contributions lie in the slots of the beat before */
		size_t first = part_first(task->part, host->rank, host->nranks);
		size_t bytes = part_bytes(task->part, host->rank, host->nranks);
		const void **inputs = tt_inputs(host, host->beat - 1, first, NULL);
		if (bytes)
			tt_reduce(slot->stage + chunk_bytes(host), inputs, host->nranks, bytes / totum_dtype_size(task->dtype),
				  task->dtype, task->op);
	}
	if (now)
		memcpy(slot->stage, task->send + task->at, now);
	task->parts = now;
}

static totum_status allreduce_take(struct tt_host *host, struct tt_task *task, int peer, struct tt_slot *slot)
{
	size_t bytes = part_bytes(task->part, peer, host->nranks);

	if (!bytes || !gets_result(host, task))
		return TOTUM_OK;
	size_t first = part_first(task->part, peer, host->nranks);
	tt_put(task, task->recv + task->at - task->part + first, slot->stage + chunk_bytes(host), bytes);
	return TOTUM_OK;
}

static bool allreduce_turn(struct tt_host *host, struct tt_task *task)
{
	if (is_whole(task)) {
		if (task->bytes && gets_result(host, task))
			tt_reduce(task->recv, tt_inputs(host, host->beat, 0, NULL), host->nranks,
				  task->bytes / totum_dtype_size(task->dtype), task->dtype, task->op);
		return false;
	}
	task->part = task->parts; /* contributions are there now: their result comes with the next beat */
	task->at += task->part;
	return task->part != 0;
}

const struct tt_task_kind tt_kind_allreduce = {allreduce_begin, allreduce_fill, allreduce_take, allreduce_turn};
const struct tt_task_kind tt_kind_reduce = {allreduce_begin, allreduce_fill, allreduce_take, allreduce_turn};

struct tt_traffic tt_allreduce_traffic(const struct tt_host *host, const struct tt_task *task)
{
	uint64_t peers = (uint64_t)host->nranks - 1, own = 0;
	bool all = tt_call_operation(&task->call) == TT_OP_ALLREDUCE, root = host->rank == task->root;

	if (is_whole(task)) /* whoever gets the result reads everything from everybody */
		return (struct tt_traffic){task->bytes * (uint64_t)(all ? peers : !root), gets_result(host, task) ? task->bytes * peers : 0};
	for (size_t at = 0; at < task->bytes; at += chunk_bytes(host))
		own += part_bytes(tt_least(chunk_bytes(host), task->bytes - at), host->rank, host->nranks);
	return (struct tt_traffic){task->bytes - own + own * (uint64_t)(all ? peers : !root),
				   own * peers + (gets_result(host, task) ? task->bytes - own : 0)};
}
