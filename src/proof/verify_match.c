/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify_match.c - pairs the sends and receives of the programs of all ranks.  O(steps log steps).
 */
#include "proof/verify_match.h"

#include <stdlib.h>

static int by_channel(const void *left, const void *right)
{
	const struct tt_message_end *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return (a->step > b->step) - (a->step < b->step);
}

totum_status tt_match_make(const struct tt_program *const programs[], int64_t nranks,
			   struct tt_match *out)
{
	struct tt_match match = {0};
	int64_t total = 0;

	for (int64_t rank = 0; rank < nranks; rank++)
		total += programs[rank]->nsteps;
	match.sends = calloc((size_t)total + 1, sizeof(*match.sends));
	match.receives = calloc((size_t)total + 1, sizeof(*match.receives));
	if (!match.sends || !match.receives) {
		tt_match_free(&match);
		return tt_fail_memory(2 * (size_t)total * sizeof(*match.sends), "a proof");
	}
	for (int64_t rank = 0; rank < nranks; rank++)
		for (int64_t i = 0; i < programs[rank]->nsteps; i++) {
			const struct tt_step *step = &programs[rank]->steps[i];
			bool sending = step->kind == TT_STEP_SEND;
			struct tt_message_end end = {.from = sending ? rank : step->peer,
						     .to = sending ? step->peer : rank,
						     .step = i};

			if (sending)
				match.sends[match.nsends++] = end;
			else
				match.receives[match.nreceives++] = end;
		}
	qsort(match.sends, (size_t)match.nsends, sizeof(*match.sends), by_channel);
	qsort(match.receives, (size_t)match.nreceives, sizeof(*match.receives), by_channel);
	*out = match;
	return TOTUM_OK;
}

void tt_match_free(struct tt_match *match)
{
	free(match->sends);
	free(match->receives);
	*match = (struct tt_match){0};
}
