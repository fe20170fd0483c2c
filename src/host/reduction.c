/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduction - reduce-scatter(v) on one host, straight through the slots and in rank order.
 *
 * Every rank stages, in each beat, a run of every other rank's block; when all are there, a rank
 * reduces its own run, reading all ranks in rank order: the result of an element depends on the
 * contributions alone, not on the call's size nor on the element's place.  A large vector in shared
 * memory is offered instead, and reduced from where it lies.
 */
#include "host/inputs.h"
#include "host/kinds.h"
#include "host/lanes.h"
#include "host/offer.h"
#include "host/reduce.h"

static const struct tt_task_kind staged, offered;

static void scatter_begin(const struct tt_host *host, struct tt_task *task)
{
	tt_lanes_begin(host, task);
	task->longest = tt_longest(host, task);
	task->small = tt_lanes_small(host, task);
	if (task->longest >= host->offer_from)
		tt_offers_begin(host, task);
	task->kind = task->offers ? &offered : &staged;
	task->ahead = !task->offers && task->longest > task->lane;
}

static void scatter_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot,
			 unsigned char *stage)
{
	if (task->small) {
		tt_lanes_put_small(host, task, slot);
		return;
	}
	if (task->offers &&
	    tt_offer(host, task, slot, task->send, tt_total(host, task), TT_READ_IN_PLACE))
		return;
	for (int rank = 0; rank < host->nranks; rank++)
		if (rank != host->rank)
			tt_lane_put(host, task, stage, rank);
}

static totum_status scatter_take(struct tt_host *host, struct tt_task *task, int peer,
				 struct tt_slot *slot, unsigned char *stage)
{
	(void)stage;
	return tt_take_input(host, task, peer, slot, tt_total(host, task));
}

/* The addresses of all ranks' runs of this rank's block, in rank order. */
static const void **runs(struct tt_host *host, const struct tt_task *task, const void *own)
{
	uint32_t beat = tt_taken_beat(host, task);

	for (int rank = 0; rank < host->nranks; rank++) {
		if (rank == host->rank)
			host->inputs[rank] = own;
		else if (task->small)
			host->inputs[rank] =
				tt_lane_small(host, task, rank, tt_host_slot(host, rank, beat));
		else
			host->inputs[rank] = tt_host_stage(host, rank, beat) +
					     tt_lane_at(host, task, rank, host->rank);
	}
	tt_inputs_mapped(host, task, tt_place_of(task, host->rank) + task->took);
	return host->inputs;
}

static void scatter_combine(struct tt_host *host, struct tt_task *task)
{
	size_t now = tt_offers_part(task, tt_size_of(task, host->rank), task->lane);
	const unsigned char *own = task->send + tt_place_of(task, host->rank) + task->took;

	if (!now)
		return;
	tt_reduce(task->recv + task->took, runs(host, task, own), host->nranks,
		  now / totum_dtype_size(task->dtype), task->dtype, task->op);
}

static bool scatter_next(struct tt_host *host, struct tt_task *task)
{
	(void)host;
	if (task->offers)
		return tt_offers_next(task, task->lane);
	task->at += task->lane;
	return task->at < task->longest;
}

static const struct tt_task_kind staged = {scatter_begin, scatter_fill, NULL, scatter_combine,
					   scatter_next};
static const struct tt_task_kind offered = {scatter_begin, scatter_fill, scatter_take,
					    scatter_combine, scatter_next};

const struct tt_task_kind tt_kind_reduce_scatter = {.begin = scatter_begin};
