/* SPDX-License-Identifier: BSD-3-Clause */
/* host - opening and closing one rank's half of a communicator on its host. */
#include "host/host.h"

#include <stdlib.h>
#include <unistd.h>

enum {
	/* looks of a rank that has a core of its own, before the slow path: some microseconds */
	SPINS = 400,
	/* staging a smaller shard costs less than the beat that ends an offer */
	OFFER_FROM = 16 << 10,
};

/* Where all ranks' outputs outgrow the shared cache, writing through it evicts what is read. */
static size_t stream_from(int nranks)
{
	long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);

	if (cache <= 0)
		cache = 16 << 20;
	return (size_t)cache / 2 / (size_t)nranks;
}

totum_status tt_host_open(struct tt_host *host, void *area, int rank, int nranks)
{
	host->rank = rank;
	host->nranks = nranks;
	host->area = area;
	host->head = tt_area_head(area);
	host->desk = tt_area_desk(area, rank);
	host->slots = (unsigned char *)tt_area_slot(area, nranks, 0, 0);
	host->stages = tt_area_stage(area, nranks, 0, 0);
	host->rank_stride =
		nranks > 1
			? (size_t)((unsigned char *)tt_area_slot(area, nranks, 1, 0) - host->slots)
			: 0;
	host->stage = tt_area_stage_bytes(nranks);
	host->stage_stride = (size_t)(tt_area_stage(area, nranks, 0, 1) - host->stages);
	host->foreword = tt_area_foreword_bytes(nranks);
	host->awaits = -1;
	host->spins = host->wait == TT_WAIT_SPIN ? SPINS : 0;
	host->stream_from = stream_from(nranks);
	host->inputs = calloc((size_t)nranks, sizeof *host->inputs);
	host->offered = calloc((size_t)nranks, 1);
	host->mapped = calloc((size_t)nranks, sizeof *host->mapped);
	host->copied = calloc((size_t)nranks, sizeof *host->copied);
	host->offer_from = OFFER_FROM;
	host->pid = (int32_t)getpid();
	host->scratch = aligned_alloc(TT_LINE, TT_SCRATCH);
	if (!host->inputs || !host->offered || !host->mapped || !host->copied || !host->scratch)
		return tt_fail_memory((size_t)nranks * sizeof *host->inputs, "a communicator");
	return TOTUM_OK;
}

void tt_host_close(struct tt_host *host)
{
	free(host->inputs);
	free(host->offered);
	free(host->mapped);
	for (int rank = 0; rank < host->nranks && host->copied; rank++)
		free(host->copied[rank]);
	free(host->copied);
	free(host->scratch);
}
