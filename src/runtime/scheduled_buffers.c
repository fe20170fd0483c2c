/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheduled_buffers - what a work brings to its schedule, where the schedule works, and what the
 * rank gets out of it.
 */
#include <stdlib.h>

#include "host/reduce.h"
#include "host/widen.h"
#include "runtime/scheduled_parts.h"

/* The collective whose schedule carries an operation; TT_COLLECTIVES for none. */
static enum tt_collective collective_of_operation(enum tt_operation operation)
{
	switch (operation) {
	case TT_OP_ALLGATHER:
	case TT_OP_ALLGATHERV:
		return TT_ALLGATHER;
	case TT_OP_REDUCE_SCATTER:
		return TT_REDUCE_SCATTER;
	case TT_OP_ALLREDUCE:
		return TT_ALLREDUCE;
	case TT_OP_BROADCAST:
		return TT_BROADCAST;
	case TT_OP_REDUCE:
		return TT_REDUCE;
	case TT_OP_GATHER:
		return TT_GATHER;
	case TT_OP_SCATTER:
		return TT_SCATTER;
	case TT_OP_ALLTOALL:
		return TT_ALLTOALL;
	default:
		return TT_COLLECTIVES;
	}
}

bool tt_scheduled_serves(const totum_comm *comm, enum tt_operation operation)
{
	return comm->algo_serves >> collective_of_operation(operation) & 1;
}

enum tt_collective tt_scheduled_collective(const struct tt_work *work)
{
	return collective_of_operation(tt_call_operation(&work->task.call));
}

static bool reduces(const struct tt_work *work)
{
	return tt_reduces(tt_scheduled_collective(work));
}

/* Does the schedule work in the caller's recv? */
static bool in_recv(const struct tt_work *work)
{
	return tt_scheduled_collective(work) == TT_ALLGATHER ||
	       tt_scheduled_collective(work) == TT_BROADCAST;
}

/* The type that travels: that of the call, or a wider one. */
totum_dtype tt_scheduled_dtype(const struct tt_work *work)
{
	return reduces(work) ? tt_widen_dtype(work->task.dtype, work->task.op) : work->task.dtype;
}

size_t tt_scheduled_nblocks(const totum_comm *comm, const struct tt_work *work)
{
	size_t n = (size_t)comm->nranks;

	return tt_scheduled_collective(work) == TT_ALLTOALL ? n * n : n;
}

/* Is the call's count that of every block, or that of all blocks together? */
static bool counts_blocks(const struct tt_work *work)
{
	enum tt_collective collective = tt_scheduled_collective(work);

	return collective != TT_ALLREDUCE && collective != TT_REDUCE && collective != TT_BROADCAST;
}

/* Elements that the working buffer holds, but for an all-gather's. */
static size_t elements(const totum_comm *comm, const struct tt_work *work)
{
	size_t count = work->task.bytes / totum_dtype_size(work->task.dtype);

	return counts_blocks(work) ? count * tt_scheduled_nblocks(comm, work) : count;
}

/* Offsets and lengths of blocks: the shards where they lie, or the buffer in nearly equal parts. */
void tt_scheduled_lay_out(const totum_comm *comm, const struct tt_work *work, uint64_t *blocks)
{
	size_t n = tt_scheduled_nblocks(comm, work),
	       element = totum_dtype_size(tt_scheduled_dtype(work));
	const struct tt_task *task = &work->task;

	if (tt_scheduled_collective(work) == TT_ALLGATHER) {
		for (size_t rank = 0; rank < n; rank++) {
			blocks[rank] = task->places ? task->places[rank] : rank * task->bytes;
			blocks[n + rank] = task->sizes ? task->sizes[rank] : task->bytes;
		}
		return;
	}
	size_t count = elements(comm, work), each = count / n, more = count % n, at = 0;
	for (size_t rank = 0; rank < n; rank++) {
		blocks[rank] = at * element;
		blocks[n + rank] = (each + (rank < more)) * element;
		at += each + (rank < more);
	}
}

/* The working buffer of schedules not in recv: kept with the program, as large as it ever was. */
static totum_status need_scratch(struct tt_scheduled *plan, size_t bytes)
{
	if (bytes <= plan->scratch_bytes)
		return TOTUM_OK;
	free(plan->scratch);
	plan->scratch = malloc(bytes);
	plan->scratch_bytes = plan->scratch ? bytes : 0;
	return plan->scratch ? TOTUM_OK : tt_fail_memory(bytes, "a schedule's working buffer");
}

/* Where this rank's own bytes lie in the working buffer: what it brings, and what it gets. */
static size_t place_of_own(const totum_comm *comm, const struct tt_work *work, bool brings)
{
	size_t rank = (size_t)comm->rank, n = (size_t)comm->nranks,
	       bytes = work->task.bytes;

	switch (tt_scheduled_collective(work)) {
	case TT_GATHER: /* brings its block, gets all */
		return brings ? rank * bytes : 0;
	case TT_SCATTER: /* brings all, gets its block */
	case TT_REDUCE_SCATTER:
		return brings ? 0 : rank * bytes;
	case TT_ALLTOALL: /* brings its row; what it gets is a column */
		return brings ? rank * n * bytes : 0;
	default:
		return 0;
	}
}

/* How many bytes a rank brings. */
static size_t own_bytes(const totum_comm *comm, const struct tt_work *work)
{
	const struct tt_task *task = &work->task;
	bool root = comm->rank == task->root;

	switch (tt_scheduled_collective(work)) {
	case TT_BROADCAST:
		return root ? task->bytes : 0;
	case TT_SCATTER:
		return root ? (size_t)comm->nranks * task->bytes : 0;
	case TT_ALLTOALL:
		return (size_t)comm->nranks * task->bytes;
	default:
		return task->bytes;
	}
}

/* Puts what this rank brings where the schedule works. */
totum_status tt_scheduled_load(totum_comm *comm, struct tt_work *work)
{
	struct tt_task *task = &work->task;
	struct tt_scheduled *plan = work->plan;
	struct tt_operands *operands = &plan->executor.operands;
	int n = comm->nranks, rank = comm->rank;

	*operands = (struct tt_operands){task->recv, tt_scheduled_dtype(work), task->op};
	if (tt_scheduled_collective(work) == TT_ALLGATHER) {
		unsigned char *to = plan->blocks[n + rank] ? task->recv + plan->blocks[rank] : NULL;
		if (to && to != task->send)
			memcpy(to, task->send, plan->blocks[n + rank]);
		return TOTUM_OK;
	}
	size_t count = elements(comm, work), size = totum_dtype_size(operands->dtype),
	       bytes = own_bytes(comm, work);
	if (!in_recv(work)) {
		totum_status status = need_scratch(plan, count * size);
		if (status)
			return status;
		operands->buffer = plan->scratch;
	}
	if (reduces(work))
		tt_widen(plan->scratch, task->send, count, task->dtype, task->op);
	else if (bytes &&
		 (unsigned char *)operands->buffer + place_of_own(comm, work, true) != task->send)
		memcpy((unsigned char *)operands->buffer + place_of_own(comm, work, true),
		       task->send, bytes);
	return TOTUM_OK;
}

static void unload_sum(const totum_comm *comm, struct tt_work *work)
{
	const struct tt_task *task = &work->task;
	size_t element = totum_dtype_size(task->dtype), count = task->bytes / element;
	size_t first = place_of_own(comm, work, false) / element *
		       totum_dtype_size(tt_scheduled_dtype(work));

	if (tt_scheduled_collective(work) == TT_REDUCE && comm->rank != task->root)
		return;
	if (comm->nranks == 1) /* no step folds, but a logical op still gives a truth value */
		tt_reduce(task->recv, &(const void *){task->send}, 1, count, task->dtype, task->op);
	else
		tt_narrow(task->recv, work->plan->scratch + first, count, task->dtype, task->op,
			  comm->nranks);
}

/* Takes what this rank gets out of the working buffer. */
void tt_scheduled_unload(const totum_comm *comm, struct tt_work *work)
{
	const struct tt_task *task = &work->task;
	const unsigned char *from = work->plan->scratch;
	size_t n = (size_t)comm->nranks, rank = (size_t)comm->rank, bytes = task->bytes;

	if (reduces(work))
		unload_sum(comm, work);
	if (reduces(work) || in_recv(work) || !bytes)
		return;
	if (tt_scheduled_collective(work) == TT_ALLTOALL)
		for (size_t peer = 0; peer < n; peer++)
			memcpy(task->recv + peer * bytes, from + (peer * n + rank) * bytes, bytes);
	else if (tt_scheduled_collective(work) == TT_GATHER && (int)rank == task->root)
		memcpy(task->recv, from, n * bytes);
	else if (tt_scheduled_collective(work) == TT_SCATTER)
		memcpy(task->recv, from + rank * bytes, bytes);
}
