/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bundle - several all-gathers as one: what a rank brings to all of them goes through the slots
 * as one stream.
 *
 * The stream of a rank is its shards in the order of the calls; every rank knows the lengths of all
 * shards, so a beat's window of another rank's stream is cut in the same places on both sides.
 */
#include "host/kinds.h"

/*
 * Copies between `window` (bytes [first, first + length) of rank's stream) and what `each` does
 * with every part of it.
 */
static void for_parts(struct tt_task *bundle, int rank, size_t first, size_t length,
		      unsigned char *window,
		      void (*each)(struct tt_task *member, int rank, size_t offset,
				   unsigned char *bytes, size_t count))
{
	size_t end = first + length, start = 0;

	for (int i = 0; i < bundle->nmembers && start < end; i++) {
		struct tt_task *member = bundle->members[i];
		size_t size = tt_size_of(member, rank), from = start > first ? start : first;
		size_t to = tt_least(start + size, end);
		if (from < to)
			each(member, rank, from - start, window + (from - first), to - from);
		start += size;
	}
}

static size_t stream_bytes(const struct tt_task *bundle, int rank)
{
	size_t total = 0;

	for (int i = 0; i < bundle->nmembers; i++)
		total += tt_size_of(bundle->members[i], rank);
	return total;
}

static void bundle_begin(const struct tt_host *host, struct tt_task *bundle)
{
	size_t total = 0;

	bundle->longest = 0;
	for (int rank = 0; rank < host->nranks; rank++) {
		size_t bytes = stream_bytes(bundle, rank);
		bundle->longest = bytes > bundle->longest ? bytes : bundle->longest;
		total += bytes;
	}
	for (int i = 0; i < bundle->nmembers; i++)
		bundle->members[i]->streams = total >= host->stream_from;
	bundle->small = bundle->longest <= tt_inline(bundle);
	bundle->ahead = bundle->longest > host->stage;
}

static void stage_part(struct tt_task *member, int rank, size_t offset, unsigned char *bytes,
		       size_t count)
{
	(void)rank;
	tt_copy(bytes, member->send + offset, count);
}

static void bundle_fill(struct tt_host *host, struct tt_task *bundle, struct tt_slot *slot,
			unsigned char *stage)
{
	size_t now = tt_part(stream_bytes(bundle, host->rank), bundle->at, host->stage);

	for_parts(bundle, host->rank, bundle->at, now,
		  now <= tt_inline(bundle) ? slot->small : stage, stage_part);
}

static void deliver_part(struct tt_task *member, int rank, size_t offset, unsigned char *bytes,
			 size_t count)
{
	unsigned char *to = member->recv + tt_place_of(member, rank) + offset;

	tt_put(member, to, bytes, count);
}

static void deliver_own(struct tt_task *member, int rank, size_t offset, unsigned char *bytes,
			size_t count)
{
	(void)bytes;
	if (member->recv + tt_place_of(member, rank) != member->send) /* not in place */
		deliver_part(member, rank, offset,
			     (unsigned char *)(uintptr_t)(member->send + offset), count);
}

static totum_status bundle_take(struct tt_host *host, struct tt_task *bundle, int peer,
				struct tt_slot *slot, unsigned char *stage)
{
	size_t now = tt_part(stream_bytes(bundle, peer), bundle->took, host->stage);

	for_parts(bundle, peer, bundle->took, now, now <= tt_inline(bundle) ? slot->small : stage,
		  peer == host->rank ? deliver_own : deliver_part);
	return TOTUM_OK;
}

static bool bundle_next(struct tt_host *host, struct tt_task *bundle)
{
	bundle->at += host->stage;
	return bundle->at < bundle->longest;
}

const struct tt_task_kind tt_kind_bundle = {bundle_begin, bundle_fill, bundle_take, NULL,
					    bundle_next};
