/* SPDX-License-Identifier: BSD-3-Clause */
/* offer - making, finding and taking the offers of a task. */
#include "host/offer.h"

#include <stdlib.h>

#include "host/failure.h"
#include "host/fence.h"

void tt_offers_begin(const struct tt_host *host, struct tt_task *task)
{
	task->offers = host->nranks > 1;
	memset(host->offered, 0, (size_t)host->nranks);
	for (int peer = 0; peer < host->nranks; peer++) {
		free(host->copied[peer]);
		host->copied[peer] = NULL;
	}
}

bool tt_offer(struct tt_host *host, struct tt_task *task, struct tt_slot *slot, const void *memory,
	      size_t bytes, enum tt_reading reading)
{
	if (task->step > 0)
		return host->offered[host->rank];
	struct tt_source source =
		tt_source_of(host, bytes >= host->offer_from ? memory : NULL, bytes, reading);

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
	return status ? status : tt_offers_check(host);
}

totum_status tt_offers_check(struct tt_host *host)
{
	/* after the reads; pairs with the store in tt_host_fail, after which the owner left */
	tt_fence_reads();
	if (atomic_load_explicit(&host->head->failed, memory_order_acquire))
		return tt_host_failed(host);
	return TOTUM_OK;
}

/* A heap that cannot be mapped is read as a file; the copy is kept until the next offers. */
static totum_status copy_offer(struct tt_host *host, int peer, const struct tt_source *source,
			       size_t bytes)
{
	void *copy = malloc(bytes);

	if (!copy)
		return tt_host_fail(
			host, TOTUM_EMEMORY, tt_host_name(host, host->rank),
			"rank %d can neither map nor copy %zu bytes of rank %d's shared "
			"memory; raise the limit on its address space (ulimit -v), or "
			"reduce from ordinary memory",
			tt_host_name(host, host->rank), bytes, tt_host_name(host, peer));
	host->copied[peer] = copy;
	host->mapped[peer] = copy;
	return tt_source_read(host, peer, source, 0, copy, bytes, false);
}

totum_status tt_map_offer(struct tt_host *host, struct tt_task *task, int peer,
			  const struct tt_slot *slot, size_t bytes)
{
	struct tt_source source;

	host->mapped[peer] = NULL;
	if (!tt_is_offered(host, task, peer, slot)) {
		task->rest = task->longest;
		return TOTUM_OK;
	}
	if (peer == host->rank)
		return TOTUM_OK;
	memcpy(&source, slot->small, sizeof source);
	host->mapped[peer] = tt_source_map(host, peer, &source);
	return host->mapped[peer] ? TOTUM_OK : copy_offer(host, peer, &source, bytes);
}

totum_status tt_take_input(struct tt_host *host, struct tt_task *task, int peer,
			   const struct tt_slot *slot, size_t bytes)
{
	if (task->taking == 0)
		return tt_map_offer(host, task, peer, slot, bytes);
	return task->offered ? tt_offers_check(host) : TOTUM_OK;
}

bool tt_offers_next(struct tt_task *task, size_t most)
{
	size_t before = task->at;

	task->at += task->offers && !task->rest ? task->longest : most;
	bool more = task->at < task->longest;

	/* the beat after the next one, when it is the last, comes behind the reading of the next */
	task->ahead = task->offered ? task->at + most < task->longest : more;
	return more || (task->offered && before < task->longest);
}
