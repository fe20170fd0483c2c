/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep - the lower envelope of the candidates' lines over a range of sizes. */
#include "planner/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static double judged(const struct tt_candidate *candidate, double bytes)
{
	return candidate->latency + candidate->surcharge + candidate->per_byte * bytes;
}

/* The best at this size; of equal ones the one that stays best when the size grows. */
static int64_t best_at(const struct tt_candidates *candidates, double bytes)
{
	int64_t best = -1;

	for (int64_t i = 0; i < candidates->count; i++) {
		const struct tt_candidate *candidate = &candidates->list[i];

		if (*candidate->excluded)
			continue;
		const struct tt_candidate *champion = best < 0 ? NULL : &candidates->list[best];

		if (!champion || judged(candidate, bytes) < judged(champion, bytes) ||
		    (judged(candidate, bytes) <= judged(champion, bytes) &&
		     candidate->per_byte < champion->per_byte))
			best = i;
	}
	return best;
}

/*
 * The first size above `from` at which a flatter line meets the champion's, and whose; -1: none up
 * to high.
 */
static int64_t next_crossing(const struct tt_candidates *candidates, int64_t champion, double high,
			     double *from)
{
	const struct tt_candidate *now = &candidates->list[champion];
	double nearest = high;
	int64_t next = -1;

	for (int64_t i = 0; i < candidates->count; i++) {
		const struct tt_candidate *candidate = &candidates->list[i];

		if (*candidate->excluded || !(candidate->per_byte < now->per_byte))
			continue;
		double meets = (judged(candidate, 0) - judged(now, 0)) /
			       (now->per_byte - candidate->per_byte);
		bool flatter = next >= 0 && meets <= nearest &&
			       candidate->per_byte < candidates->list[next].per_byte;

		if (meets < nearest || flatter) {
			nearest = meets;
			next = i;
		}
	}
	if (next >= 0 && nearest > *from)
		*from = nearest;
	return next;
}

static totum_status trace(struct tt_sweep *sweep)
{
	const struct tt_candidates *candidates = sweep->candidates;
	size_t room = (size_t)candidates->count + 1;
	double from = (double)sweep->low;

	sweep->pieces = calloc(room, sizeof(*sweep->pieces));
	if (!sweep->pieces)
		return tt_fail_memory(room * sizeof(*sweep->pieces), "a sweep");
	/* Each piece is flatter than the one before, so that the chain ends. */
	for (int64_t next = best_at(candidates, from); next >= 0;
	     next = next_crossing(candidates, next, (double)sweep->high, &from))
		sweep->pieces[sweep->count++] = (struct tt_sweep_piece){from, next};
	return TOTUM_OK;
}

totum_status tt_sweep_new(const struct tt_question *question, uint64_t low, uint64_t high,
			  struct tt_sweep **out)
{
	struct tt_question every = *question;
	struct tt_sweep *sweep = calloc(1, sizeof(*sweep));

	if (!sweep)
		return tt_fail_memory(sizeof(*sweep), "a sweep");
	every.all = true;
	every.bytes = low;
	sweep->low = low;
	sweep->high = high;
	totum_status status = tt_candidates_new(&every, &sweep->candidates);

	if (!status)
		status = trace(sweep);
	if (status)
		tt_sweep_free(sweep);
	else
		*out = sweep;
	return status;
}

void tt_sweep_free(struct tt_sweep *sweep)
{
	if (!sweep)
		return;
	tt_candidates_free(sweep->candidates);
	free(sweep->pieces);
	free(sweep);
}

int64_t tt_sweep_best(const struct tt_sweep *sweep, double bytes)
{
	int64_t i = 0;

	while (i + 1 < sweep->count && sweep->pieces[i + 1].from <= bytes)
		i++;
	return sweep->count ? sweep->pieces[i].candidate : -1;
}

totum_status tt_sweep_sizes(const char *text, uint64_t *low, uint64_t *high)
{
	size_t length = strcspn(text, ":");
	char first[48];
	totum_status status = TOTUM_EPARSE;

	if (length < sizeof first) {
		snprintf(first, sizeof first, "%.*s", (int)length, text);
		status = tt_parse_bytes(first, low);
	}
	if (!status)
		status = text[length] ? tt_parse_bytes(text + length + 1, high) : TOTUM_OK;
	if (!text[length])
		*high = *low;
	if (status || !*low || *low > *high)
		return tt_fail(TOTUM_EPARSE,
			       "'%.40s' is no range of sizes; write two, like 64:1G, the smaller "
			       "first and above 0",
			       text);
	return TOTUM_OK;
}
