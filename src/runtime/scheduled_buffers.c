/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheduled_buffers - what a work brings to its schedule, and what the rank gets out of it.
 */
#include <stdlib.h>

#include "host/reduce.h"
#include "host/widen.h"
#include "runtime/scheduled_parts.h"

static bool reduces(const struct tt_work *work)
{
	return tt_reduces(tt_scheduled_collective(work));
}

/* The working memory of schedules: kept with the program, as large as it ever was. */
static totum_status need_scratch(struct tt_scheduled *plan, size_t bytes)
{
	if (bytes <= plan->scratch_bytes)
		return TOTUM_OK;
	free(plan->scratch);
	plan->scratch = malloc(bytes);
	plan->scratch_bytes = plan->scratch ? bytes : 0;
	return plan->scratch ? TOTUM_OK : tt_fail_memory(bytes, "a schedule's working buffer");
}

/* Where this rank's own bytes lie in the working copy: what it brings, and what it gets. */
static size_t place_of_own(const totum_comm *comm, const struct tt_work *work, bool brings)
{
	size_t rank = (size_t)comm->rank, n = (size_t)comm->nranks, bytes = work->task.bytes;

	if (work->whole)
		return rank * work->whole;
	switch (tt_scheduled_collective(work)) {
	case TT_GATHER: /* brings its block, gets all */
		return brings ? rank * bytes : 0;
	case TT_SCATTER: /* brings all, gets its block */
	case TT_REDUCE_SCATTER:
		return brings ? 0 : tt_scheduled_place(work, comm->rank);
	case TT_ALLTOALL: /* brings its row; what it gets is a column */
		return brings ? rank * n * bytes : 0;
	default:
		return 0;
	}
}

/* How many bytes a rank brings to a working copy of blocks that only move. */
static size_t own_bytes(const totum_comm *comm, const struct tt_work *work)
{
	const struct tt_task *task = &work->task;
	bool root = comm->rank == task->root;

	if (work->whole)
		return work->whole;
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

static void copy(void *to, const void *from, size_t bytes)
{
	if (bytes && to != from)
		memcpy(to, from, bytes);
}

/* What a rank sends itself, and, in place, a copy of what must be sent before it is overwritten. */
static totum_status load_both(totum_comm *comm, struct tt_work *work, struct tt_operands *operands)
{
	const struct tt_task *task = &work->task;
	size_t size = tt_scheduled_size(work, comm->rank),
	       place = tt_scheduled_place(work, comm->rank);

	operands->buffer = (void *)(uintptr_t)task->send;
	operands->second = task->recv;
	operands->divide = TT_DIVIDE;
	switch (tt_scheduled_collective(work)) {
	case TT_GATHER:
		if (comm->rank == task->root)
			copy(task->recv ? task->recv + place : NULL, task->send, size);
		return TOTUM_OK;
	case TT_SCATTER:
		if (comm->rank == task->root)
			copy(task->recv, task->send ? task->send + place : NULL, size);
		return TOTUM_OK;
	default:
		break;
	}
	if (task->send && task->send == task->recv) {
		size_t all = (size_t)comm->nranks * task->bytes;
		totum_status status = need_scratch(work->plan, all);
		if (status)
			return status;
		copy(work->plan->scratch, task->send, all);
		operands->buffer = work->plan->scratch;
	}
	if (size)
		copy(task->recv + (task->from_places ? task->from_places[comm->rank] : place),
		     task->send + place, size);
	return TOTUM_OK;
}

static totum_status load_scratch(totum_comm *comm, struct tt_work *work,
				 struct tt_operands *operands)
{
	const struct tt_task *task = &work->task;
	size_t bytes = tt_scheduled_bytes_of(comm, work);
	totum_status status = need_scratch(work->plan, bytes);

	if (status)
		return status;
	operands->buffer = work->plan->scratch;
	if (work->whole && !work->plan->inputs)
		work->plan->inputs = calloc((size_t)comm->nranks, sizeof *work->plan->inputs);
	if (work->whole && !work->plan->inputs)
		return tt_fail_memory((size_t)comm->nranks * sizeof(void *), "a fold");
	if (tt_scheduled_only_meets(comm, work))
		memset(work->plan->scratch, 0, bytes);
	else if (reduces(work))
		tt_widen(work->plan->scratch, task->send, bytes / totum_dtype_size(operands->dtype),
			 task->dtype, task->op);
	else
		copy(work->plan->scratch + place_of_own(comm, work, true), task->send,
		     own_bytes(comm, work));
	return TOTUM_OK;
}

totum_status tt_scheduled_load(totum_comm *comm, struct tt_work *work)
{
	struct tt_task *task = &work->task;
	struct tt_operands *operands = &work->plan->executor.operands;

	*operands = (struct tt_operands){.buffer = task->recv,
					 .divide = UINT64_MAX,
					 .dtype = tt_scheduled_dtype(work),
					 .op = task->op};
	if (work->plan->workplace == TT_IN_BOTH)
		return load_both(comm, work, operands);
	if (work->plan->workplace == TT_IN_SCRATCH)
		return load_scratch(comm, work, operands);
	if (tt_scheduled_collective(work) != TT_ALLGATHER)
		copy(task->recv, task->send, own_bytes(comm, work));
	else if (tt_scheduled_size(work, comm->rank))
		copy(task->recv + tt_scheduled_place(work, comm->rank), task->send,
		     tt_scheduled_size(work, comm->rank));
	return TOTUM_OK;
}

static void unload_sum(const totum_comm *comm, struct tt_work *work)
{
	const struct tt_task *task = &work->task;
	bool scattered = tt_scheduled_collective(work) == TT_REDUCE_SCATTER;
	size_t element = totum_dtype_size(task->dtype);
	size_t count = (scattered ? tt_scheduled_size(work, comm->rank) : task->bytes) / element;
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

/* All contributions are here: this rank's part of the result, folded in rank order. */
static void fold_whole(const totum_comm *comm, struct tt_work *work)
{
	const struct tt_task *task = &work->task;
	const unsigned char *from = work->plan->scratch;
	size_t n = (size_t)comm->nranks, first = 0, bytes = work->whole;
	const void **inputs = work->plan->inputs;

	switch (tt_call_operation(&task->call)) {
	case TT_OP_REDUCE:
		if (comm->rank != task->root)
			return;
		break;
	case TT_OP_REDUCE_SCATTER:
	case TT_OP_REDUCE_SCATTERV:
		first = tt_place_of(task, comm->rank);
		bytes = tt_size_of(task, comm->rank);
		break;
	default:
		break;
	}
	for (size_t rank = 0; rank < n; rank++)
		inputs[rank] = from + rank * work->whole + first;
	tt_reduce(task->recv, inputs, (int)n, bytes / totum_dtype_size(task->dtype), task->dtype,
		  task->op);
}

void tt_scheduled_unload(const totum_comm *comm, struct tt_work *work)
{
	const struct tt_task *task = &work->task;
	const unsigned char *from = work->plan->scratch;
	size_t n = (size_t)comm->nranks, rank = (size_t)comm->rank, bytes = task->bytes;

	if (work->plan->workplace != TT_IN_SCRATCH || tt_scheduled_only_meets(comm, work))
		return;
	if (work->whole)
		fold_whole(comm, work);
	else if (reduces(work))
		unload_sum(comm, work);
	else if (tt_scheduled_collective(work) == TT_ALLTOALL)
		for (size_t peer = 0; peer < n; peer++)
			copy(task->recv + peer * bytes, from + (peer * n + rank) * bytes, bytes);
	else if (tt_scheduled_collective(work) == TT_GATHER && (int)rank == task->root)
		copy(task->recv, from, n * bytes);
	else if (tt_scheduled_collective(work) == TT_SCATTER)
		copy(task->recv, from + rank * bytes, bytes);
}
