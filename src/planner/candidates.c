/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * candidates - every algorithm that serves a collective, with some values of its parameters,
 * priced.
 *
 * Of an algorithm with parameters the default is kept, and the FEW cheapest of the others: one for
 * each distinct price, and where there are many only those that are better than the default in
 * something. The choice is the one of least judged time; of equal ones the first by predicted time,
 * rounds, ports and name, so that all ranks choose alike.
 */
#include "planner/candidates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/score.h"
#include "planner/variants.h"

enum { FEW = 3 };

/* Prices the candidate, or notes why it is none. */
static totum_status complete(const struct tt_candidates *candidates, struct tt_candidate *candidate)
{
	const struct tt_question *question = &candidates->question;
	const char *why = tt_score_refusal(question, candidate);

	tt_algorithm_format(candidate->entry, candidate->values, candidate->name);
	if (why) {
		snprintf(candidate->excluded, sizeof candidate->excluded, "%s", why);
		return TOTUM_OK;
	}
	totum_status status = tt_score(candidates, candidate);

	if (status != TOTUM_EUNSUPPORTED)
		return status;
	snprintf(candidate->excluded, sizeof candidate->excluded, "%s", totum_errmsg());
	return TOTUM_OK;
}

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_seconds(const void *left, const void *right)
{
	const struct tt_candidate *a = left, *b = right;

	if (!*a->excluded != !*b->excluded)
		return *a->excluded ? 1 : -1;
	if (!*a->excluded && a->seconds != b->seconds)
		return a->seconds < b->seconds ? -1 : 1;
	int first = *a->excluded ? 0 : order(a->price.rounds, b->price.rounds);
	int second = *a->excluded ? 0 : order(a->price.ports, b->price.ports);

	return first ? first : second ? second : strcmp(a->name, b->name);
}

static bool same_price(const struct tt_candidate *a, const struct tt_candidate *b)
{
	return a->price.rounds == b->price.rounds && a->price.ports == b->price.ports &&
	       a->price.queued == b->price.queued && a->seconds == b->seconds &&
	       !tt_fraction_compare(a->price.volume, b->price.volume) &&
	       !tt_fraction_compare(a->price.added, b->price.added);
}

/* Is a no better than b in anything? */
static bool dominated(const struct tt_candidate *a, const struct tt_candidate *b)
{
	return a->price.rounds >= b->price.rounds && a->price.ports >= b->price.ports &&
	       a->price.queued >= b->price.queued &&
	       tt_fraction_compare(a->price.volume, b->price.volume) >= 0 &&
	       a->seconds >= b->seconds && a->own_seconds >= b->own_seconds;
}

/*
 * Adds to the list the variants of one algorithm that are worth a line.  variants[0] is the
 * default; the rest is sorted by price.  An algorithm that applies with no parameter value has one
 * line that says why.
 */
static void keep(const struct tt_question *question, struct tt_candidate *variants, int64_t count,
		 struct tt_candidates *candidates)
{
	int64_t first = candidates->count;

	qsort(variants + 1, (size_t)(count - 1), sizeof(*variants), by_seconds);
	if (*variants[0].excluded && count > 1 && !*variants[1].excluded)
		variants++, count--;
	for (int64_t i = 0; i < count; i++) {
		bool drop = i > 0 && *variants[i].excluded;

		if (i > 0 && !drop && !question->all)
			drop = candidates->count - first > FEW ||
			       (count > FEW + 1 && dominated(&variants[i], &variants[0]));
		for (int64_t j = first; j < candidates->count && !drop; j++)
			drop = same_price(&variants[i], &candidates->list[j]);
		if (!drop)
			candidates->list[candidates->count++] = variants[i];
	}
}

/* Does it make hosts up where it is known which ranks share one? */
static bool fictitious(const struct tt_question *question, const struct tt_candidate *candidate)
{
	return question->placement && candidate->entry->algorithm->placed.build &&
	       candidate->values[0];
}

static totum_status add_algorithm(const struct tt_question *question,
				  const struct tt_algorithm_entry *entry,
				  struct tt_candidates *candidates)
{
	int64_t values[TT_VARIANTS][TT_PARAMETERS];
	int64_t count = tt_variants(entry->algorithm, question->nranks, values);
	struct tt_candidate *variants = calloc((size_t)count, sizeof(*variants));

	if (!variants)
		return tt_fail_memory((size_t)count * sizeof(*variants), "candidates");
	totum_status status = TOTUM_OK;

	int64_t kept = 0;

	for (int64_t i = 0; i < count && !status; i++) {
		variants[kept].entry = entry;
		memcpy(variants[kept].values, values[i], sizeof values[i]);
		if (!fictitious(question, &variants[kept]))
			status = complete(candidates, &variants[kept++]);
	}
	if (!status)
		keep(question, variants, kept, candidates);
	free(variants);
	return status;
}

static int64_t find_best(const struct tt_candidates *candidates)
{
	int64_t best = -1;

	for (int64_t i = 0; i < candidates->count; i++)
		if (!*candidates->list[i].excluded &&
		    (best < 0 || candidates->list[i].judged < candidates->list[best].judged))
			best = i;
	return best;
}

static int64_t find_name(const struct tt_candidates *candidates, const char *name)
{
	int64_t i = 0;

	while (i < candidates->count && strcmp(candidates->list[i].name, name))
		i++;
	return i < candidates->count ? i : -1;
}

/*
 * The algorithm that was asked for is a candidate, whatever its price; name: as it is in the list.
 */
static totum_status add_asked(struct tt_candidates *candidates, char name[static TT_ALGORITHM_TEXT])
{
	const struct tt_question *question = &candidates->question;
	struct tt_candidate asked = {0};
	totum_status status = tt_algorithm_parse(question->collective, question->algorithm,
						 question->nranks, &asked.entry, asked.values);

	if (!status)
		status = complete(candidates, &asked);
	strcpy(name, asked.name);
	if (!status && find_name(candidates, name) < 0)
		candidates->list[candidates->count++] = asked;
	return status;
}

static totum_status fill(struct tt_candidates *candidates)
{
	const struct tt_question *question = &candidates->question;

	for (int i = 0; i < tt_nalgorithms; i++) {
		if (!tt_algorithm_serves(&tt_algorithms[i], question->collective))
			continue;
		totum_status status = add_algorithm(question, &tt_algorithms[i], candidates);

		if (status)
			return status;
	}
	char asked[TT_ALGORITHM_TEXT] = "";
	totum_status status = question->algorithm && *question->algorithm
				      ? add_asked(candidates, asked)
				      : TOTUM_OK;

	if (status)
		return status;
	qsort(candidates->list, (size_t)candidates->count, sizeof(*candidates->list), by_seconds);
	candidates->chosen = *asked ? find_name(candidates, asked) : find_best(candidates);
	if (candidates->chosen >= 0 && *candidates->list[candidates->chosen].excluded)
		candidates->chosen = -1;
	return TOTUM_OK;
}

totum_status tt_candidates_new(const struct tt_question *question, struct tt_candidates **out)
{
	struct tt_candidates *candidates = calloc(1, sizeof(*candidates));
	size_t capacity = (size_t)tt_nalgorithms * TT_VARIANTS + 1;

	if (!candidates)
		return tt_fail_memory(sizeof(*candidates), "candidates");
	candidates->question = *question;
	candidates->list = calloc(capacity, sizeof(*candidates->list));
	totum_status status =
		candidates->list
			? tt_score_bound(candidates)
			: tt_fail_memory(capacity * sizeof(*candidates->list), "candidates");

	if (!status)
		status = fill(candidates);
	if (status)
		tt_candidates_free(candidates);
	else
		*out = candidates;
	return status;
}

void tt_candidates_free(struct tt_candidates *candidates)
{
	if (!candidates)
		return;
	tt_bound_free(candidates->cut);
	free(candidates->list);
	free(candidates);
}
