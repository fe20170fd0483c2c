/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate_share - progressive filling.
 *
 * All flows grow together until a link is full; those on it keep what they have, the others
 * grow on with what is left.  The link that fills first is the one with the least capacity a
 * flow still waiting on it.
 */
#include "proof/simulate_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares that differ by less are the same share, computed in another order. */
static const double same = 1e-12;

totum_status tt_share_new(struct tt_share *share, int64_t nlinks, const double *capacity)
{
	size_t n = (size_t)nlinks + 1;

	*share = (struct tt_share){.nlinks = nlinks,
				   .capacity = capacity,
				   .rest = malloc(n * sizeof *share->rest),
				   .waiting = calloc(n, sizeof *share->waiting),
				   .used = malloc(n * sizeof *share->used),
				   .begin = malloc(n * sizeof *share->begin)};
	if (share->rest && share->waiting && share->used && share->begin)
		return TOTUM_OK;
	tt_share_free(share);
	return tt_fail_memory(n * 24, "fair shares");
}

void tt_share_free(struct tt_share *share)
{
	free(share->rest);
	free(share->waiting);
	free(share->used);
	free(share->begin);
	free(share->crossing);
	*share = (struct tt_share){0};
}

/* Lists the flows by link; returns how many links are used, -1 without memory. */
static int64_t list_by_link(struct tt_share *share, const int32_t *active, int64_t nflows)
{
	int64_t nused = 0, total = 0;

	for (int64_t i = 0; i < nflows; i++)
		for (int32_t h = 0; h < share->hops[active[i]]; h++) {
			int32_t link = share->links[share->first[active[i]] + h];

			if (!share->waiting[link]++)
				share->used[nused++] = link;
			total++;
		}
	if (total > share->crossing_room) {
		free(share->crossing);
		share->crossing_room = 2 * total;
		share->crossing = malloc((size_t)share->crossing_room * sizeof *share->crossing);
		if (!share->crossing) {
			share->crossing_room = 0;
			return -1;
		}
	}
	int64_t at = 0;
	for (int64_t i = 0; i < nused; i++) {
		share->begin[share->used[i]] = at;
		at += share->waiting[share->used[i]];
		share->rest[share->used[i]] = share->capacity[share->used[i]];
		share->waiting[share->used[i]] = 0;
	}
	for (int64_t i = 0; i < nflows; i++)
		for (int32_t h = 0; h < share->hops[active[i]]; h++) {
			int32_t link = share->links[share->first[active[i]] + h];

			share->crossing[share->begin[link] + share->waiting[link]++] = active[i];
		}
	return nused;
}

/* The flow gets its rate, and its links have less to give. */
static void freeze(struct tt_share *share, int32_t flow, double rate, double *rates)
{
	rates[flow] = rate;
	for (int32_t h = 0; h < share->hops[flow]; h++) {
		int32_t link = share->links[share->first[flow] + h];

		share->rest[link] -= rate;
		share->waiting[link]--;
	}
}

/* Freezes all flows on links whose share is (nearly) the least; false when none waits any more. */
static int fill(struct tt_share *share, int64_t nused, const int64_t *count, double *rate)
{
	double least = INFINITY;

	for (int64_t i = 0; i < nused; i++) {
		int32_t link = share->used[i];

		if (share->waiting[link] && share->rest[link] / share->waiting[link] < least)
			least = share->rest[link] / share->waiting[link];
	}
	if (isinf(least))
		return 0;
	least = least > 0 ? least : 0;
	for (int64_t i = 0; i < nused; i++) {
		int32_t link = share->used[i];

		if (!share->waiting[link] ||
		    share->rest[link] > least * share->waiting[link] * (1 + same))
			continue;
		for (int64_t j = 0; j < count[i]; j++) {
			int32_t flow = share->crossing[share->begin[link] + j];

			if (rate[flow] < 0)
				freeze(share, flow, least, rate);
		}
	}
	return 1;
}

totum_status tt_share_fairly(struct tt_share *share, const int32_t *active, int64_t nflows,
			     double *rate)
{
	int64_t nused = list_by_link(share, active, nflows);
	int64_t *count = nused < 0 ? NULL : malloc((size_t)(nused + 1) * sizeof *count);

	if (!count)
		return tt_fail_memory((size_t)nflows * sizeof *count, "fair shares");
	for (int64_t i = 0; i < nused; i++)
		count[i] = share->waiting[share->used[i]];
	for (int64_t i = 0; i < nflows; i++)
		rate[active[i]] = share->hops[active[i]] ? -1 : INFINITY;
	while (fill(share, nused, count, rate))
		;
	for (int64_t i = 0; i < nused; i++)
		share->waiting[share->used[i]] = 0;
	free(count);
	return TOTUM_OK;
}
