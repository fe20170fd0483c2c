/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduction - reduce-scatter(v) on one host, straight through the slots and in rank order.
 *
 * Every rank stages, in each beat, a run of every other rank's block; when all slots are there, a rank reduces
 * its own run, reading all ranks in rank order: the result of an element depends on the contributions alone, not on
 * the call's size nor on the element's place.
 */
#include "host/inputs.h"
#include "host/kinds.h"
#include "host/reduce.h"

/* Bytes of each block that a beat carries: whole elements of every dtype, and whole lines. */
static size_t lane(const struct tt_host *host)
{
	return host->stage / (size_t)host->nranks / TT_LINE * TT_LINE;
}

static void scatter_begin(const struct tt_host *host, struct tt_task *task)
{
	task->longest = task->bytes;
	for (int rank = 0; rank < host->nranks && task->sizes; rank++)
		task->longest = task->sizes[rank] > task->longest ? task->sizes[rank] : task->longest;
}

static void scatter_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot)
{
	for (int rank = 0; rank < host->nranks; rank++) {
		size_t now = tt_part(tt_size_of(task, rank), task->at, lane(host));
		if (now && rank != host->rank)
			memcpy(slot->stage + (size_t)rank * lane(host), task->send + tt_place_of(task, rank) + task->at, now);
	}
}

static bool scatter_turn(struct tt_host *host, struct tt_task *task)
{
	size_t now = tt_part(tt_size_of(task, host->rank), task->at, lane(host));

	if (now) {
		const unsigned char *own = task->send + tt_place_of(task, host->rank) + task->at;
		const void **inputs = tt_inputs(host, host->beat, (size_t)host->rank * lane(host), own);
		tt_reduce(task->recv + task->at, inputs, host->nranks, now / totum_dtype_size(task->dtype), task->dtype, task->op);
	}
	task->at += lane(host);
	return task->at < task->longest;
}

const struct tt_task_kind tt_kind_reduce_scatter = {scatter_begin, scatter_fill, NULL, scatter_turn};
