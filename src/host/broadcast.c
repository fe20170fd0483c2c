/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * broadcast - one host: the root stages its bytes, chunk by chunk, and the others copy them out.
 *
 * The root waits for nobody until its slots or stages are used up, so it copies a chunk in while
 * the others copy the one before out, and small broadcasts follow each other at the root's pace.
 * What lies in shared memory is offered instead; then the root stays until all have read it.
 */
#include "host/kinds.h"
#include "host/offer.h"

static void broadcast_begin(const struct tt_host *host, struct tt_task *task)
{
	bool is_root = host->rank == task->root;

	task->meeting = TT_MEET_ROOT;
	task->small = !is_root || task->bytes <= tt_inline(task);
	task->streams = task->bytes >= host->stream_from / (size_t)host->nranks;
	if (task->bytes >= host->offer_from)
		tt_offers_begin(host, task);
}

static void broadcast_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot,
			   unsigned char *stage)
{
	size_t now = tt_part(task->bytes, task->at, host->stage);

	if (host->rank != task->root)
		return;
	if (task->offers && tt_offer(host, task, slot, task->send, task->bytes, TT_COPY_BY_ALL))
		return;
	tt_stage_put_away(host, slot, stage, task->send + task->at, now, tt_inline(task));
}

static totum_status broadcast_take(struct tt_host *host, struct tt_task *task, int peer,
				   struct tt_slot *slot, unsigned char *stage)
{
	size_t now = tt_part(task->bytes, task->took, host->stage);
	bool is_root = host->rank == task->root;

	if (peer != task->root)
		return TOTUM_OK;
	if (task->offers && tt_is_offered(host, task, peer, slot)) {
		if (task->taking > 0)
			return TOTUM_OK;
		if (!is_root)
			return tt_take_offer(host, task, peer, slot, 0, task->recv, task->bytes);
		now = task->bytes;
	}
	if (now && (!is_root || task->recv != task->send))
		tt_put(task, task->recv + task->took,
		       is_root ? task->send + task->took
			       : tt_stage_get(slot, stage, now, tt_inline(task)),
		       now);
	return TOTUM_OK;
}

static bool broadcast_next(struct tt_host *host, struct tt_task *task)
{
	task->at += host->stage;
	if (!task->offered)
		return task->at < task->bytes;
	task->meeting = TT_MEET_AT_ROOT;
	return task->step == 1;
}

const struct tt_task_kind tt_kind_broadcast = {broadcast_begin, broadcast_fill, broadcast_take,
					       NULL, broadcast_next};
