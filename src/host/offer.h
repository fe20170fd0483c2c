/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * offer.h - large shards that need no staging: in the first beat of a task its slot says
 * where they lie.
 *
 * Whoever sees an offer reads it at once; a beat at the end of the task holds the owner until
 * everybody has.  What a rank does not offer it stages from the first beat on, so nobody waits to
 * learn that there is no offer.
 */
#ifndef TT_OFFER_H
#define TT_OFFER_H

#include "host/kinds.h"
#include "host/source.h"

/* In begin: slots may carry offers. */
void tt_offers_begin(const struct tt_host *host, struct tt_task *task);
/* In fill: this rank's bytes are offered, so there is nothing to stage, now or in later beats. */
bool tt_offer(struct tt_host *host, struct tt_task *task, struct tt_slot *slot, const void *memory,
	      size_t bytes, enum tt_reading reading);
/* In take: is this peer's shard offered? Sets task->offered. */
bool tt_is_offered(struct tt_host *host, struct tt_task *task, int peer,
		   const struct tt_slot *slot);
/*
 * In the first take of an offered shard: reads `bytes` of it from `offset` on, and checks.
 */
totum_status tt_take_offer(struct tt_host *host, struct tt_task *task, int peer,
			   const struct tt_slot *slot, size_t offset, void *to, size_t bytes);
/*
 * Of a reduction's first beat: makes the `bytes` that the peer offers readable at
 * host->mapped[peer].  NULL when it stages them; then task->rest becomes the longest block.
 */
totum_status tt_map_offer(struct tt_host *host, struct tt_task *task, int peer,
			  const struct tt_slot *slot, size_t bytes);
/*
 * After offers have been read: fails when the communicator has failed meanwhile, since an owner may
 * then have left the call and written to its buffer.
 */
totum_status tt_offers_check(struct tt_host *host);
/* Both in their turn, as the take of a reduction whose offers are read in combine. */
totum_status tt_take_input(struct tt_host *host, struct tt_task *task, int peer,
			   const struct tt_slot *slot, size_t bytes);
/*
 * `next` of a reduction whose offers are read in combine, with beats of `most` bytes: one beat does
 * when all have offered, and a last one holds the owners.  That must not overlap with the reading.
 */
bool tt_offers_next(struct tt_task *task, size_t most);

/* In combine: bytes of this rank's `all` that the beat deals with. */
static inline size_t tt_offers_part(const struct tt_task *task, size_t all, size_t most)
{
	return tt_part(all, task->took, task->offers && !task->rest ? all : most);
}

#endif
