/* SPDX-License-Identifier: BSD-3-Clause */
/* offer - making, finding and taking the offers of a task. */
#include "host/offer.h"

#include "host/fence.h"
#include "host/source.h"

void tt_offers_begin(const struct tt_host *host, struct tt_task *task)
{
	task->offers = host->nranks > 1;
	memset(host->offered, 0, (size_t)host->nranks);
}

bool tt_offer(struct tt_host *host, struct tt_task *task, struct tt_slot *slot, const void *memory,
	      size_t bytes, bool once)
{
	if (task->step > 0)
		return host->offered[host->rank];
	struct tt_source source =
		tt_source_of(host, bytes >= host->offer_from ? memory : NULL, bytes, once);

	if (source.kind != TT_SOURCE_NONE) {
		slot->flags |= TT_SLOT_OFFERS;
		memcpy(slot->small, &source, sizeof source);
	}
	host->offered[host->rank] = source.kind != TT_SOURCE_NONE;
	return host->offered[host->rank];
}

bool tt_is_offered(struct tt_host *host, struct tt_task *task, int peer, const struct tt_slot *slot)
{
	if (task->taking == 0)
		host->offered[peer] = (slot->flags & TT_SLOT_OFFERS) != 0;
	task->offered |= host->offered[peer];
	return host->offered[peer];
}

totum_status tt_take_offer(struct tt_host *host, struct tt_task *task, int peer,
			   const struct tt_slot *slot, size_t offset, void *to, size_t bytes)
{
	struct tt_source source;

	memcpy(&source, slot->small, sizeof source);
	totum_status status =
		bytes ? tt_source_read(host, peer, &source, offset, to, bytes, task->streams)
		      : TOTUM_OK;
	/* after the reads; pairs with the store in tt_host_fail, after which the owner left */
	tt_fence_reads();
	if (!status && atomic_load_explicit(&host->head->failed, memory_order_acquire))
		return tt_host_failed(host);
	return status;
}
