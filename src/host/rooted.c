/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rooted - gather(v) and scatter(v) on one host.
 *
 * Only the root need know the sizes of all blocks.  In the first beat every rank publishes its own size beside the
 * fingerprint (the root of a scatter: its longest block), from which all know how many beats follow, and the root
 * compares what it was told with what it expects.  A scatter's slot is cut in lanes, one a rank.
 */
#include "host/kinds.h"

#include <inttypes.h>

static totum_status refuse_size(struct tt_host *host, const struct tt_task *task, int rank, uint64_t theirs, size_t ours)
{
	return tt_host_fail(host, TOTUM_EMISMATCH, rank,
			    "rank %d of a %s has %" PRIu64 " bytes, but root %d counts %zu for it; let both give the same count",
			    rank, tt_operation_name(tt_call_operation(&task->call)), theirs, task->root, ours);
}

/* --- gather -------------------------------------------------------------------------------------------------- */

static void gather_begin(const struct tt_host *host, struct tt_task *task)
{
	(void)host;
	task->longest = 0;
	task->streams = false;
}

static void gather_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot)
{
	size_t now = tt_part(task->bytes, task->at, host->stage);

	if (host->rank != task->root && now)
		memcpy(tt_slot_bytes(slot, now), task->send + task->at, now);
}

static totum_status gather_take(struct tt_host *host, struct tt_task *task, int peer, struct tt_slot *slot)
{
	if (task->step == 0 && slot->call.sizes > task->longest)
		task->longest = slot->call.sizes;
	if (host->rank != task->root)
		return TOTUM_OK;
	size_t size = tt_size_of(task, peer), now = tt_part(size, task->at, host->stage);
	if (task->step == 0 && slot->call.sizes != size)
		return refuse_size(host, task, peer, slot->call.sizes, size);
	unsigned char *to = task->recv + tt_place_of(task, peer) + task->at;
	const unsigned char *from = peer == host->rank ? task->send + task->at : tt_slot_bytes(slot, now);
	if (now && to != from)
		memcpy(to, from, now);
	return TOTUM_OK;
}

static bool gather_turn(struct tt_host *host, struct tt_task *task)
{
	task->at += host->stage;
	return task->at < task->longest;
}

const struct tt_task_kind tt_kind_gather = {gather_begin, gather_fill, gather_take, gather_turn};

/* --- scatter ------------------------------------------------------------------------------------------------- */

/* Bytes of a slot's stage that belong to one rank. */
static size_t lane(const struct tt_host *host)
{
	return host->stage / (size_t)host->nranks / TT_LINE * TT_LINE;
}

static void scatter_begin(const struct tt_host *host, struct tt_task *task)
{
	(void)host;
	task->longest = 0;
}

static void scatter_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot)
{
	if (host->rank != task->root)
		return;
	for (int rank = 0; rank < host->nranks; rank++) {
		size_t now = tt_part(tt_size_of(task, rank), task->at, lane(host));
		if (now && rank != task->root)
			memcpy(slot->stage + (size_t)rank * lane(host), task->send + tt_place_of(task, rank) + task->at, now);
	}
}

static totum_status scatter_take(struct tt_host *host, struct tt_task *task, int peer, struct tt_slot *slot)
{
	bool is_root = host->rank == task->root;

	if (task->step == 0 && is_root && peer != task->root && slot->call.sizes != tt_size_of(task, peer))
		return refuse_size(host, task, peer, slot->call.sizes, tt_size_of(task, peer));
	if (peer != task->root)
		return TOTUM_OK;
	if (task->step == 0)
		task->longest = slot->call.sizes;
	size_t now = tt_part(task->bytes, task->at, lane(host));
	const unsigned char *from = slot->stage + (size_t)host->rank * lane(host);
	if (is_root)
		from = task->send + tt_place_of(task, host->rank) + task->at;
	if (now && task->recv + task->at != from)
		memcpy(task->recv + task->at, from, now);
	return TOTUM_OK;
}

static bool scatter_turn(struct tt_host *host, struct tt_task *task)
{
	task->at += lane(host);
	return task->at < task->longest;
}

const struct tt_task_kind tt_kind_scatter = {scatter_begin, scatter_fill, scatter_take, scatter_turn};
