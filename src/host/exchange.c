/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exchange - all-to-all(v) on one host.
 *
 * A rank publishes the longest block that it sends beside the fingerprint, from which all know how
 * many beats follow the first; every stage is cut in lanes, one a receiver.  Equal blocks that all
 * fit a slot travel there.  Large equal blocks are offered where they can be: all that a rank sends
 * at once, of which each peer reads its block.
 */
#include "host/kinds.h"
#include "host/lanes.h"
#include "host/offer.h"

#include <inttypes.h>

/* Equal blocks need no telling: the fingerprints are the same. */
static bool has_own_sizes(const struct tt_task *task)
{
	return task->call.kind & TT_CALL_LOCAL;
}

static void exchange_begin(const struct tt_host *host, struct tt_task *task)
{
	tt_lanes_begin(host, task);
	task->small = tt_lanes_small(host, task);
	task->longest = 0;
	if (!has_own_sizes(task) && task->bytes >= host->offer_from)
		tt_offers_begin(host, task);
}

static void exchange_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot,
			  unsigned char *stage)
{
	if (task->small) {
		tt_lanes_put_small(host, task, slot);
		return;
	}
	/* in place, a block would be written over while its peer reads it */
	if (task->offers && tt_offer(host, task, slot, task->recv == task->send ? NULL : task->send,
				     task->bytes * (size_t)host->nranks, TT_COPY_BY_ONE))
		return;
	for (int i = 1; i < host->nranks; i++)
		if (has_own_sizes(task))
			tt_lane_tell(host, task, stage, tt_host_peer(host, i));
		else
			tt_lane_put(host, task, stage, tt_host_peer(host, i));
}

static totum_status take_offered(struct tt_host *host, struct tt_task *task, int peer,
				 const struct tt_slot *slot)
{
	size_t mine = (size_t)host->rank * task->bytes;
	unsigned char *to = task->recv + (size_t)peer * task->bytes;

	if (task->taking > 0)
		return TOTUM_OK;
	if (peer != host->rank)
		return tt_take_offer(host, task, peer, slot, mine, to, task->bytes);
	tt_put(task, to, task->send + mine, task->bytes);
	return TOTUM_OK;
}

static totum_status exchange_take(struct tt_host *host, struct tt_task *task, int peer,
				  struct tt_slot *slot, unsigned char *stage)
{
	size_t expected = task->from_sizes ? task->from_sizes[peer] : task->bytes;
	size_t place = task->from_places ? task->from_places[peer] : (size_t)peer * task->bytes;
	size_t now = tt_part(expected, task->took, task->lane);
	const unsigned char *from;
	uint64_t told = expected;

	if (task->offers && tt_is_offered(host, task, peer, slot))
		return take_offered(host, task, peer, slot);
	if (task->taking == 0 && !task->small && slot->call.sizes > task->longest)
		task->longest = slot->call.sizes;
	if (peer == host->rank) {
		from = task->send + tt_place_of(task, peer) + task->took;
		told = tt_size_of(task, peer);
	} else if (task->small) {
		from = tt_lane_small(host, task, peer, slot);
	} else {
		from = stage + tt_lane_at(host, task, peer, host->rank);
		if (task->taking == 0 && has_own_sizes(task))
			told = tt_lane_told(host, stage);
	}
	if (told != expected)
		return tt_host_fail(host, TOTUM_EMISMATCH, peer,
				    "rank %d sends %" PRIu64 " bytes to rank %d, "
				    "which expects %zu; let both give the same count",
				    peer, told, host->rank, expected);
	if (now)
		tt_put(task, task->recv + place + task->took, from, now);
	return TOTUM_OK;
}

/* The first beat has told everybody how many there are, for what is not offered. */
static bool exchange_next(struct tt_host *host, struct tt_task *task)
{
	(void)host;
	task->at += task->lane;
	task->ahead = task->at < task->longest;
	return task->ahead || (task->offered && task->step == 1);
}

const struct tt_task_kind tt_kind_alltoall = {exchange_begin, exchange_fill, exchange_take, NULL,
					      exchange_next};
