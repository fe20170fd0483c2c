/* SPDX-License-Identifier: BSD-3-Clause */
/* heatmap - one sweep for each number of ranks, read off at each size. */
#include "planner/heatmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

/* Up to so many numbers of ranks are all shown. */
enum { ALL_RANKS = 24 };

static totum_status choose_sizes(struct tt_heatmap *heatmap, uint64_t low, uint64_t high)
{
	for (uint64_t size = low; size <= high; size *= 2) {
		if (heatmap->nsizes == TT_HEATMAP_SIZES)
			return tt_fail(TOTUM_EINVAL,
				       "a heatmap has at most %d sizes, which double; give a "
				       "smaller range",
				       TT_HEATMAP_SIZES);
		heatmap->sizes[heatmap->nsizes++] = size;
		if (size > UINT64_MAX / 2)
			break;
	}
	return TOTUM_OK;
}

static void choose_ranks(struct tt_heatmap *heatmap, int64_t fewest, int64_t most)
{
	bool all = most - fewest < ALL_RANKS;

	for (int64_t n = fewest; n <= most && heatmap->nrows < TT_HEATMAP_RANKS; n++) {
		int64_t odd = n >> __builtin_ctzll((unsigned long long)n);

		if (all || odd == 1 || odd == 3)
			heatmap->ranks[heatmap->nrows++] = n;
	}
}

static totum_status find_name(struct tt_heatmap *heatmap, const char *name, int *out)
{
	for (int i = 0; i < heatmap->nnames; i++)
		if (!strcmp(heatmap->names[i], name)) {
			*out = i;
			return TOTUM_OK;
		}
	size_t bytes = (size_t)(heatmap->nnames + 1) * sizeof(*heatmap->names);
	char(*names)[TT_ALGORITHM_TEXT] = realloc(heatmap->names, bytes);

	if (!names)
		return tt_fail_memory(bytes, "the names of a heatmap");
	heatmap->names = names;
	strcpy(names[heatmap->nnames], name);
	*out = heatmap->nnames++;
	return TOTUM_OK;
}

static totum_status fill_row(struct tt_heatmap *heatmap, int row)
{
	struct tt_question question = heatmap->question;
	struct tt_sweep *sweep;

	question.nranks = heatmap->ranks[row];
	totum_status status = tt_sweep_new(&question, heatmap->sizes[0],
					   heatmap->sizes[heatmap->nsizes - 1], &sweep);

	if (status)
		return status;
	for (int i = 0; i < heatmap->nsizes && !status; i++) {
		int64_t best = tt_sweep_best(sweep, (double)heatmap->sizes[i]);

		heatmap->cells[row][i] = -1;
		if (best >= 0)
			status = find_name(heatmap, sweep->candidates->list[best].name,
					   &heatmap->cells[row][i]);
	}
	tt_sweep_free(sweep);
	return status;
}

totum_status tt_heatmap_new(const struct tt_question *question, uint64_t low, uint64_t high,
			    int64_t fewest, int64_t most, struct tt_heatmap **out)
{
	if (question->topology || question->shape)
		return tt_fail(TOTUM_EINVAL, "a heatmap varies the number of ranks, and a topology "
					     "has its own; leave it out");
	struct tt_heatmap *heatmap = calloc(1, sizeof(*heatmap));

	if (!heatmap)
		return tt_fail_memory(sizeof(*heatmap), "a heatmap");
	heatmap->question = *question;
	totum_status status = choose_sizes(heatmap, low, high);

	choose_ranks(heatmap, fewest, most);
	for (int row = 0; row < heatmap->nrows && !status; row++)
		status = fill_row(heatmap, row);
	if (status)
		tt_heatmap_free(heatmap);
	else
		*out = heatmap;
	return status;
}

void tt_heatmap_free(struct tt_heatmap *heatmap)
{
	if (!heatmap)
		return;
	free(heatmap->names);
	free(heatmap);
}

totum_status tt_heatmap_ranks(const char *text, int64_t *fewest, int64_t *most)
{
	size_t length = strcspn(text, ":");
	char first[24];
	totum_status status = TOTUM_EPARSE;

	if (text[length] && length < sizeof first) {
		snprintf(first, sizeof first, "%.*s", (int)length, text);
		status = tt_parse_int(first, 1, TT_HEATMAP_MOST, fewest);
	}
	if (!status)
		status = tt_parse_int(text + length + 1, 1, TT_HEATMAP_MOST, most);
	if (status || *fewest > *most)
		return tt_fail(TOTUM_EPARSE,
			       "'%.40s' is no range of ranks; write two, like 2:64, the smaller "
			       "first, up to %d",
			       text, TT_HEATMAP_MOST);
	return TOTUM_OK;
}
