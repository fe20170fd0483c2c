/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rooted - gather(v) and scatter(v) on one host.
 *
 * Only the root need know the sizes of all blocks.  With equal blocks, all know how many beats
 * there are, and only the receiving side waits.  In the first beat of a gatherv every rank
 * publishes its own size beside the fingerprint and all ranks look; the root of a scatterv
 * publishes its longest block.  Whoever receives compares what it was told with what it expects.
 * A scatter's stage is cut in lanes, one a rank.
 */
#include "host/kinds.h"
#include "host/lanes.h"

#include <inttypes.h>

static totum_status refuse_size(struct tt_host *host, const struct tt_task *task, int rank,
				uint64_t theirs, uint64_t ours)
{
	return tt_host_fail(host, TOTUM_EMISMATCH, rank,
			    "rank %d of a %s has %" PRIu64 " bytes, but root %d counts %" PRIu64
			    " for it; let both give the same count",
			    rank, tt_operation_name(tt_call_operation(&task->call)), theirs,
			    task->root, ours);
}

/* --- gather ---------------------------------------------------------------------------------- */

static bool has_own_sizes(const struct tt_task *task)
{
	return task->call.kind & TT_CALL_LOCAL;
}

static void gather_begin(const struct tt_host *host, struct tt_task *task)
{
	task->longest = has_own_sizes(task) ? 0 : task->bytes;
	task->meeting = has_own_sizes(task) ? TT_MEET_ALL : TT_MEET_AT_ROOT;
	task->small = host->rank == task->root || task->bytes <= tt_inline(task);
}

static void gather_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot,
			unsigned char *stage)
{
	size_t now = tt_part(task->bytes, task->at, host->stage);

	if (host->rank != task->root)
		tt_stage_put_away(host, slot, stage, task->send + task->at, now, tt_inline(task));
}

static totum_status gather_take(struct tt_host *host, struct tt_task *task, int peer,
				struct tt_slot *slot, unsigned char *stage)
{
	uint64_t told = slot->call.sizes;

	if (task->taking == 0 && told > task->longest)
		task->longest = told;
	if (host->rank != task->root)
		return TOTUM_OK;
	size_t size = tt_size_of(task, peer), now = tt_part(size, task->took, host->stage);
	if (task->taking == 0 && told != size)
		return refuse_size(host, task, peer, told, size);
	unsigned char *to = task->recv + tt_place_of(task, peer) + task->took;
	const unsigned char *from = peer == host->rank
					    ? task->send + task->took
					    : tt_stage_get(slot, stage, now, tt_inline(task));
	if (now && to != from)
		tt_copy(to, from, now);
	return TOTUM_OK;
}

static bool gather_next(struct tt_host *host, struct tt_task *task)
{
	task->meeting = TT_MEET_AT_ROOT;
	task->at += host->stage;
	return task->at < task->longest;
}

const struct tt_task_kind tt_kind_gather = {gather_begin, gather_fill, gather_take, NULL,
					    gather_next};

/* --- scatter --------------------------------------------------------------------------------- */

static void scatter_begin(const struct tt_host *host, struct tt_task *task)
{
	tt_lanes_begin(host, task);
	task->longest = 0;
	task->meeting = TT_MEET_ROOT;
	task->small = host->rank != task->root;
}

static void scatter_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot,
			 unsigned char *stage)
{
	(void)slot;
	if (host->rank != task->root)
		return;
	for (int rank = 0; rank < host->nranks; rank++)
		if (rank != task->root)
			tt_lane_tell(host, task, stage, rank);
}

static totum_status scatter_take(struct tt_host *host, struct tt_task *task, int peer,
				 struct tt_slot *slot, unsigned char *stage)
{
	size_t now = tt_part(task->bytes, task->took, task->lane);
	const unsigned char *from = task->send + task->took; /* of the root itself */

	if (peer != task->root)
		return TOTUM_OK;
	if (task->taking == 0)
		task->longest = slot->call.sizes;
	if (host->rank == task->root) {
		from += tt_place_of(task, host->rank);
	} else {
		uint64_t told = task->taking == 0 ? tt_lane_told(host, stage) : task->bytes;
		if (told != task->bytes)
			return refuse_size(host, task, host->rank, task->bytes, told);
		from = stage + tt_lane_at(host, task, task->root, host->rank);
	}
	if (now && task->recv + task->took != from)
		tt_copy(task->recv + task->took, from, now);
	return TOTUM_OK;
}

static bool scatter_next(struct tt_host *host, struct tt_task *task)
{
	(void)host;
	task->at += task->lane;
	return task->at < task->longest;
}

const struct tt_task_kind tt_kind_scatter = {scatter_begin, scatter_fill, scatter_take, NULL,
					     scatter_next};
