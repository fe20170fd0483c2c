/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather - barrier, all-gather(v) and broadcast on one host, straight through the slots.
 *
 * Every rank stages its shard, in as many beats as the longest shard needs, and copies the others' shards out of
 * their slots.  Up to TT_INLINE bytes travel in the cache line that carries the beat's number.  Two copies a byte;
 * what leaves the caller's buffer is staged when the call returns.
 */
#include "host/kinds.h"

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
}

static void allgather_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot)
{
	size_t now = tt_part(tt_size_of(task, host->rank), task->at, host->stage);

	if (now)
		memcpy(tt_slot_bytes(slot, now), task->send + task->at, now);
}

static totum_status allgather_take(struct tt_host *host, struct tt_task *task, int peer, struct tt_slot *slot)
{
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
	task->at += host->stage;
	return task->at < task->longest;
}

const struct tt_task_kind tt_kind_allgather = {allgather_begin, allgather_fill, allgather_take, stage_turn};

/* --- broadcast --------------------------------------------------------------------------------------------- */

static void broadcast_begin(const struct tt_host *host, struct tt_task *task)
{
	task->longest = task->bytes;
	task->streams = task->bytes >= host->stream_from;
}

static void broadcast_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot)
{
	size_t now = tt_part(task->bytes, task->at, host->stage);

	if (host->rank == task->root && now)
		memcpy(tt_slot_bytes(slot, now), task->send + task->at, now);
}

static totum_status broadcast_take(struct tt_host *host, struct tt_task *task, int peer, struct tt_slot *slot)
{
	size_t now = tt_part(task->bytes, task->at, host->stage);

	if (peer != task->root || !now)
		return TOTUM_OK;
	if (host->rank != task->root)
		tt_put(task, task->recv + task->at, tt_slot_bytes(slot, now), now);
	else if (task->recv != task->send)
		tt_put(task, task->recv + task->at, task->send + task->at, now);
	return TOTUM_OK;
}

const struct tt_task_kind tt_kind_broadcast = {broadcast_begin, broadcast_fill, broadcast_take, stage_turn};
