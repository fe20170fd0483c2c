/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather - barrier, all-gather(v) and broadcast on one host, straight through the slots.
 *
 * Every rank stages its shard, in as many beats as the longest shard needs, and copies the others' shards out of
 * their slots.  Up to TT_INLINE bytes travel in the cache line that carries the beat's number.  Two copies a byte;
 * large shards are offered first, to be read where they lie, and staged only where that cannot be.
 */
#include "host/kinds.h"
#include "host/source.h"

static void begin_nothing(const struct tt_host *host, struct tt_task *task)
{
	(void)host;
	(void)task;
}

static void fill_nothing(struct tt_host *host, struct tt_task *task, struct tt_slot *slot)
{
	(void)host;
	(void)task;
	(void)slot;
}

static bool turn_once(struct tt_host *host, struct tt_task *task)
{
	(void)host;
	(void)task;
	return false;
}

const struct tt_task_kind tt_kind_barrier = {begin_nothing, fill_nothing, NULL, turn_once};

/* Says where this rank's bytes lie, in the first beat of a task that offers. */
static void offer(struct tt_host *host, struct tt_slot *slot, const void *memory, size_t bytes)
{
	struct tt_source source = tt_source_of(host, memory, bytes);

	memcpy(slot->small, &source, sizeof source);
}

/* Reads all of a peer's bytes if they are offered; else they will be staged, in the beats that follow. */
static totum_status take_offer(struct tt_host *host, struct tt_task *task, int peer, struct tt_slot *slot, void *to,
			       size_t bytes)
{
	struct tt_source source;

	memcpy(&source, slot->small, sizeof source);
	host->offered[peer] = source.kind != TT_SOURCE_NONE || !bytes;
	if (host->offered[peer])
		return bytes ? tt_source_read(host, peer, &source, 0, to, bytes, task->streams) : TOTUM_OK;
	task->rest = bytes > task->rest ? bytes : task->rest;
	return TOTUM_OK;
}

/* --- all-gather, with equal and with uneven shards -------------------------------------------------------- */

static void allgather_begin(const struct tt_host *host, struct tt_task *task)
{
	size_t total = task->bytes * (size_t)host->nranks;

	task->longest = task->bytes;
	if (task->sizes) {
		task->longest = total = 0;
		for (int rank = 0; rank < host->nranks; rank++) {
			task->longest = task->sizes[rank] > task->longest ? task->sizes[rank] : task->longest;
			total += task->sizes[rank];
		}
	}
	task->streams = total >= host->stream_from;
	task->offers = task->longest >= host->offer_from && host->nranks > 1;
	task->rest = 0;
}

static void allgather_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot)
{
	if (task->offers && task->step == 0) {
		offer(host, slot, task->send, tt_size_of(task, host->rank));
		return;
	}
	if (task->offers && host->offered[host->rank])
		return;
	size_t now = tt_part(tt_size_of(task, host->rank), task->at, host->stage);

	if (now)
		memcpy(tt_slot_bytes(slot, now), task->send + task->at, now);
}

/* The first beat of a task that offers: whole shards, this rank's own from where it lies in any case. */
static totum_status allgather_take_offer(struct tt_host *host, struct tt_task *task, int peer, struct tt_slot *slot)
{
	size_t bytes = tt_size_of(task, peer);
	unsigned char *to = task->recv + tt_place_of(task, peer);
	struct tt_source source;

	if (peer != host->rank)
		return take_offer(host, task, peer, slot, to, bytes);
	memcpy(&source, slot->small, sizeof source);
	host->offered[peer] = source.kind != TT_SOURCE_NONE || !bytes;
	if (!host->offered[peer])
		task->rest = bytes > task->rest ? bytes : task->rest;
	if (bytes && to != task->send)
		tt_put(task, to, task->send, bytes);
	return TOTUM_OK;
}

static totum_status allgather_take(struct tt_host *host, struct tt_task *task, int peer, struct tt_slot *slot)
{
	if (task->offers && task->step == 0)
		return allgather_take_offer(host, task, peer, slot);
	if (task->offers && (host->offered[peer] || peer == host->rank))
		return TOTUM_OK;
	size_t now = tt_part(tt_size_of(task, peer), task->at, host->stage);
	unsigned char *to = task->recv + tt_place_of(task, peer) + task->at;

	if (!now)
		return TOTUM_OK;
	if (peer != host->rank)
		tt_put(task, to, tt_slot_bytes(slot, now), now);
	else if (to != task->send + task->at) /* not in place */
		tt_put(task, to, task->send + task->at, now);
	return TOTUM_OK;
}

static bool stage_turn(struct tt_host *host, struct tt_task *task)
{
	if (task->offers && task->step == 1) { /* the first beat has ended: what was not offered follows */
		task->longest = task->rest;
		return true;
	}
	task->at += host->stage;
	return task->at < task->longest;
}

const struct tt_task_kind tt_kind_allgather = {allgather_begin, allgather_fill, allgather_take, stage_turn};

/* --- all-gather into a window that all ranks share: a shard is in place before its rank arrives ------------------ */

static void window_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot)
{
	unsigned char *to = task->recv + tt_place_of(task, host->rank);
	size_t bytes = tt_size_of(task, host->rank);

	(void)slot;
	if (bytes && to != task->send)
		memcpy(to, task->send, bytes);
}

const struct tt_task_kind tt_kind_window = {begin_nothing, window_fill, NULL, turn_once};

/* --- broadcast --------------------------------------------------------------------------------------------- */

static void broadcast_begin(const struct tt_host *host, struct tt_task *task)
{
	task->longest = task->bytes;
	task->streams = task->bytes >= host->stream_from / (size_t)host->nranks;
	task->offers = task->bytes >= host->offer_from && host->nranks > 1;
	task->rest = 0;
}

static void broadcast_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot)
{
	size_t now = tt_part(task->bytes, task->at, host->stage);

	if (host->rank != task->root)
		return;
	if (task->offers && task->step == 0)
		offer(host, slot, task->send, task->bytes);
	else if (now && !(task->offers && host->offered[task->root]))
		memcpy(tt_slot_bytes(slot, now), task->send + task->at, now);
}

/* The root reads its own offer too, unless it is in place: so all ranks know alike what is to be staged. */
static totum_status broadcast_take_offer(struct tt_host *host, struct tt_task *task, struct tt_slot *slot)
{
	struct tt_source source;

	if (host->rank != task->root)
		return take_offer(host, task, task->root, slot, task->recv, task->bytes);
	memcpy(&source, slot->small, sizeof source);
	host->offered[task->root] = source.kind != TT_SOURCE_NONE;
	task->rest = host->offered[task->root] ? 0 : task->bytes;
	if (task->recv != task->send)
		tt_put(task, task->recv, task->send, task->bytes);
	return TOTUM_OK;
}

static totum_status broadcast_take(struct tt_host *host, struct tt_task *task, int peer, struct tt_slot *slot)
{
	size_t now = tt_part(task->bytes, task->at, host->stage);

	if (peer != task->root || !now)
		return TOTUM_OK;
	if (task->offers && task->step == 0)
		return broadcast_take_offer(host, task, slot);
	if (task->offers && (host->offered[peer] || host->rank == task->root))
		return TOTUM_OK;
	if (host->rank != task->root)
		tt_put(task, task->recv + task->at, tt_slot_bytes(slot, now), now);
	else if (task->recv != task->send)
		tt_put(task, task->recv + task->at, task->send + task->at, now);
	return TOTUM_OK;
}

const struct tt_task_kind tt_kind_broadcast = {broadcast_begin, broadcast_fill, broadcast_take, stage_turn};
