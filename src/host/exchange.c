/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exchange - all-to-all(v) on one host.
 *
 * Every slot is cut in lanes, one a receiver.  A rank publishes the longest block that it sends beside the
 * fingerprint, from which all know how many beats follow; in the first beat every lane begins with the length of its
 * block, which the receiver compares with what it expects.
 */
#include "host/kinds.h"

#include <inttypes.h>

enum { PREFIX = sizeof(uint64_t) };

static size_t lane(const struct tt_host *host)
{
	return host->stage / (size_t)host->nranks / TT_LINE * TT_LINE;
}

/* What a lane carries in this beat: the first one has the block's length in front. */
static size_t lane_bytes(const struct tt_host *host, const struct tt_task *task)
{
	return lane(host) - (task->step == 0 ? PREFIX : 0);
}

static void exchange_begin(const struct tt_host *host, struct tt_task *task)
{
	(void)host;
	task->longest = 0;
}

static void exchange_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot)
{
	size_t prefix = task->step == 0 ? PREFIX : 0, most = lane_bytes(host, task);

	for (int i = 1; i < host->nranks; i++) {
		int rank = host->rank + i < host->nranks ? host->rank + i : host->rank + i - host->nranks;
		unsigned char *to = slot->stage + (size_t)rank * lane(host);
		uint64_t size = tt_size_of(task, rank);
		size_t now = tt_part(size, task->at, most);
		if (prefix)
			memcpy(to, &size, sizeof size);
		if (now)
			memcpy(to + prefix, task->send + tt_place_of(task, rank) + task->at, now);
	}
}

static totum_status exchange_take(struct tt_host *host, struct tt_task *task, int peer, struct tt_slot *slot)
{
	size_t expected = task->from_sizes ? task->from_sizes[peer] : task->bytes;
	size_t place = task->from_places ? task->from_places[peer] : (size_t)peer * task->bytes;
	size_t prefix = task->step == 0 ? PREFIX : 0, now = tt_part(expected, task->at, lane_bytes(host, task));
	const unsigned char *from = slot->stage + (size_t)host->rank * lane(host) + prefix;
	uint64_t size = expected;

	if (task->step == 0 && slot->call.sizes > task->longest)
		task->longest = slot->call.sizes;
	if (peer == host->rank) {
		from = task->send + tt_place_of(task, peer) + task->at;
		size = tt_size_of(task, peer);
	} else if (prefix) {
		memcpy(&size, from - prefix, sizeof size);
	}
	if (size != expected)
		return tt_host_fail(host, TOTUM_EMISMATCH, peer,
				    "rank %d sends %" PRIu64 " bytes to rank %d, which expects %zu; let both give the same count", peer,
				    size, host->rank, expected);
	if (now)
		memcpy(task->recv + place + task->at, from, now);
	return TOTUM_OK;
}

static bool exchange_turn(struct tt_host *host, struct tt_task *task)
{
	/* step has been counted up: the beat that has just ended carried the prefix when it is 1 now */
	task->at += lane(host) - (task->step == 1 ? PREFIX : 0);
	return task->at < task->longest;
}

const struct tt_task_kind tt_kind_alltoall = {exchange_begin, exchange_fill, exchange_take, exchange_turn};
