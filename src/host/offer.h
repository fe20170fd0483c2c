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

#include "host/task.h"

/* In begin: slots may carry offers. */
void tt_offers_begin(const struct tt_host *host, struct tt_task *task);
/*
 * In fill: this rank's bytes are offered, so there is nothing to stage, now or in later beats.
 * once: each of them is for one peer.
 */
bool tt_offer(struct tt_host *host, struct tt_task *task, struct tt_slot *slot, const void *memory,
	      size_t bytes, bool once);
/* In take: is this peer's shard offered? Sets task->offered. */
bool tt_is_offered(struct tt_host *host, struct tt_task *task, int peer,
		   const struct tt_slot *slot);
/*
 * In the first take of an offered shard: reads `bytes` of it from `offset` on.  Fails when the communicator has failed
 * meanwhile, since the owner may then have left the call and written to it.
 */
totum_status tt_take_offer(struct tt_host *host, struct tt_task *task, int peer,
			   const struct tt_slot *slot, size_t offset, void *to, size_t bytes);

#endif
