/* SPDX-License-Identifier: BSD-3-Clause */
/* spread - who is where, and the doors. */
#include "runtime/spread.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/job.h"

/* A way of its own waits for ever: whoever uses it knows the deadline (reach.c). */
static const uint64_t never_ns = UINT64_MAX / 4;

void tt_spread_listen(const struct tt_job *job, struct tt_doors *doors, struct tt_card *card)
{
	memset(card, 0, sizeof *card);
	*doors = (struct tt_doors){.network = job->network};
	memcpy(card->host, job->hostname, sizeof card->host);
	card->tuning = tt_tuning_hash(job->tuning);
	for (int way = 0; way < TT_WAYS && !card->status; way++)
		card->status = tt_network_listen(job->network, &job->settings, &doors->at[way],
						 card->blobs[way]);
	if (card->status)
		tt_spread_unlisten(doors);
}

void tt_spread_unlisten(struct tt_doors *doors)
{
	for (int way = 0; way < TT_WAYS; way++) {
		tt_network_unlisten(doors->network, doors->at[way]);
		doors->at[way] = NULL;
	}
}

/* Numbers hosts by their lowest rank, and the ranks of this one among each other. */
static void number(struct tt_spread *spread, const int *hosts)
{
	for (int rank = 0; rank < spread->nranks; rank++) {
		int first = 0;
		while (hosts[first] != hosts[rank])
			first++;
		spread->host_of[rank] =
			first == rank ? spread->nhosts++ : spread->host_of[first];
	}
	for (int rank = 0; rank < spread->nranks; rank++) {
		spread->places[rank] = -1;
		if (spread->host_of[rank] != spread->host_of[spread->rank])
			continue;
		spread->named[spread->here] = rank;
		spread->places[rank] = spread->here++;
	}
}

static totum_status check_cards(const struct tt_spread *spread)
{
	for (int rank = 0; rank < spread->nranks; rank++)
		if (spread->cards[rank].status)
			return tt_fail((totum_status)spread->cards[rank].status,
				       "rank %d on host %.63s cannot be reached from other hosts; "
				       "its own error says why",
				       rank, spread->cards[rank].host);
	for (int rank = 1; rank < spread->nranks; rank++)
		if (spread->cards[rank].tuning != spread->cards[0].tuning)
			return tt_fail(TOTUM_EINVAL,
				       "TOTUM_TUNING says other things on rank %d (host %.63s) than "
				       "on rank 0; give all ranks files with the same facts",
				       rank, spread->cards[rank].host);
	return TOTUM_OK;
}

totum_status tt_spread_new(int rank, int nranks, const int *hosts, struct tt_card *cards,
			   struct tt_doors *doors, struct tt_spread **out)
{
	struct tt_spread *spread = calloc(1, sizeof *spread);
	int *arrays = malloc(3 * (size_t)nranks * sizeof *arrays);
	totum_status status = TOTUM_OK;

	if (!spread || !arrays) {
		free(spread);
		free(arrays);
		free(cards);
		tt_spread_unlisten(doors);
		return tt_fail_memory(3 * (size_t)nranks * sizeof *arrays, "the hosts of all ranks");
	}
	*spread = (struct tt_spread){.rank = rank,
				     .nranks = nranks,
				     .host_of = arrays,
				     .places = arrays + nranks,
				     .named = arrays + 2 * nranks,
				     .cards = cards,
				     .doors = *doors};
	*doors = (struct tt_doors){.network = spread->doors.network};
	for (int r = 0; r < nranks; r++)
		cards[r].host[TT_HOST_NAME - 1] = 0;
	number(spread, hosts);
	status = check_cards(spread);
	if (!status)
		status = tt_placement_make(nranks, spread->host_of, &spread->placement);
	if (status)
		tt_spread_free(spread);
	else
		*out = spread;
	return status;
}

void tt_spread_free(struct tt_spread *spread)
{
	if (!spread)
		return;
	tt_spread_unlisten(&spread->doors);
	tt_placement_free(&spread->placement);
	free(spread->host_of);
	free(spread->cards);
	free(spread);
}

totum_status tt_spread_open(struct tt_spread *spread, const struct tt_job *job, enum tt_way way,
			    const struct tt_transport **transport, struct tt_endpoint **out)
{
	struct tt_network_context context = {
		.network = spread->doors.network,
		.rank = spread->rank,
		.nranks = spread->nranks,
		.door = spread->doors.at[way],
		.blobs = spread->cards[0].blobs[way],
		.stride = sizeof *spread->cards,
		.secret = job->secret,
		.chaos = job->settings.chaos,
		.timeout_ns = never_ns,
	};
	totum_status status = tt_network_open(&context, transport, out);

	if (!status)
		spread->doors.at[way] = NULL;
	return status;
}
