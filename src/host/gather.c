/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather - barrier and all-gather(v) on one host, straight through the slots.
 *
 * Every rank stages its shard, in as many beats as the longest shard needs, and copies the others'
 * shards out of their stages.  Up to TT_INLINE_MET bytes travel beside the beat's number.  Two
 * copies a byte, of which one stays in the private cache; a large shard that lies in shared memory
 * is offered instead, to be read there.
 */
#include "host/kinds.h"
#include "host/offer.h"

static void begin_nothing(const struct tt_host *host, struct tt_task *task)
{
	(void)host;
	task->small = true;
}

static void fill_nothing(struct tt_host *host, struct tt_task *task, struct tt_slot *slot,
			 unsigned char *stage)
{
	(void)host;
	(void)task;
	(void)slot;
	(void)stage;
}

static bool next_none(struct tt_host *host, struct tt_task *task)
{
	(void)host;
	(void)task;
	return false;
}

const struct tt_task_kind tt_kind_barrier = {begin_nothing, fill_nothing, NULL, NULL, next_none};

/* --- all-gather, with equal and with uneven shards ------------------------------------------- */

static void allgather_begin(const struct tt_host *host, struct tt_task *task)
{
	task->longest = tt_longest(host, task);
	task->small = task->longest <= tt_inline(task);
	task->streams = tt_total(host, task) >= host->stream_from;
	if (task->longest >= host->offer_from)
		tt_offers_begin(host, task);
	task->ahead = !task->offers && task->longest > host->stage;
	task->rest = task->offers ? 0 : task->longest;
}

static void allgather_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot,
			   unsigned char *stage)
{
	size_t bytes = tt_size_of(task, host->rank), now = tt_part(bytes, task->at, host->stage);

	if (task->offers && tt_offer(host, task, slot, task->send, bytes, TT_COPY_BY_ALL))
		return;
	tt_stage_put(host, slot, stage, task->send + task->at, now, tt_inline(task));
}

static totum_status allgather_take(struct tt_host *host, struct tt_task *task, int peer,
				   struct tt_slot *slot, unsigned char *stage)
{
	size_t bytes = tt_size_of(task, peer), now = tt_part(bytes, task->took, host->stage);
	unsigned char *to = task->recv + tt_place_of(task, peer);

	if (task->offers && tt_is_offered(host, task, peer, slot)) {
		if (task->taking > 0)
			return TOTUM_OK;
		if (peer != host->rank)
			return tt_take_offer(host, task, peer, slot, 0, to, bytes);
		now = bytes; /* its own at once */
	} else if (bytes > task->rest) {
		task->rest = bytes;
	}
	if (!now)
		return TOTUM_OK;
	if (peer != host->rank)
		tt_put(task, to + task->took, tt_stage_get(slot, stage, now, tt_inline(task)), now);
	else if (to != task->send) /* not in place */
		tt_put(task, to + task->took, task->send + task->took, now);
	return TOTUM_OK;
}

/* When somebody offered, one beat more ends the reading. */
static bool allgather_next(struct tt_host *host, struct tt_task *task)
{
	task->at += host->stage;
	bool more = task->at < task->rest;

	task->ahead = more;
	return more || (task->offered && task->step == 1);
}

const struct tt_task_kind tt_kind_allgather = {allgather_begin, allgather_fill, allgather_take,
					       NULL, allgather_next};

/* --- all-gather into a window of all ranks: a shard is in place before its rank arrives --- */

static void window_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot,
			unsigned char *stage)
{
	unsigned char *to = task->recv + tt_place_of(task, host->rank);
	size_t bytes = tt_size_of(task, host->rank);

	(void)slot;
	(void)stage;
	if (bytes && to != task->send)
		tt_copy(to, task->send, bytes);
}

const struct tt_task_kind tt_kind_window = {begin_nothing, window_fill, NULL, NULL, next_none};
