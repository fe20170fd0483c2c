/* SPDX-License-Identifier: BSD-3-Clause */
/* lab_ranges - the entry points that look at ranges of sizes and ranks. */
#include <stdio.h>

#include "api/lab.h"
#include "draw/heatmap.h"
#include "draw/sweep.h"

static totum_status show_sweep(const struct tt_sweep *sweep, const totum_view *view, FILE *out)
{
	switch (view->format) {
	case TOTUM_JSON:
		tt_draw_sweep_json(sweep, view->command, out);
		return TOTUM_OK;
	case TOTUM_SVG:
		return tt_draw_sweep_svg(sweep, view->command, out);
	default:
		return tt_draw_sweep_text(sweep, out);
	}
}

totum_status totum_sweep_show(const char *problem, const char *sizes, const totum_view *view,
			      FILE *out)
{
	struct tt_sweep *sweep = NULL;
	struct tt_lab lab;
	uint64_t low, high;

	if (!problem || !sizes || !view || !out)
		return tt_fail(TOTUM_EINVAL,
			       "totum_sweep_show: problem, sizes, view and out must not be NULL");
	totum_status status = tt_lab_view("totum_sweep_show", view);

	if (!status)
		status = tt_sweep_sizes(sizes, &low, &high);
	if (status)
		return status;
	status = tt_lab_open_view(problem, view, &lab);
	if (!status)
		status = tt_sweep_new(&lab.question, low, high, &sweep);
	if (!status)
		status = show_sweep(sweep, view, out);
	tt_sweep_free(sweep);
	tt_lab_close(&lab);
	return status;
}

static totum_status show_heatmap(const struct tt_heatmap *heatmap, const totum_view *view,
				 FILE *out)
{
	switch (view->format) {
	case TOTUM_JSON:
		tt_draw_heatmap_json(heatmap, view->command, out);
		return TOTUM_OK;
	case TOTUM_SVG:
		tt_draw_heatmap_svg(heatmap, view->command, out);
		return TOTUM_OK;
	default:
		return tt_draw_heatmap_text(heatmap, out);
	}
}

/* A problem need not say how many ranks, since the map varies them. */
static totum_status open_any(const char *problem, const totum_view *view, int64_t nranks,
			     struct tt_lab *lab)
{
	char text[TT_PROBLEM_TEXT];
	int length = snprintf(text, sizeof text, "%s:n=%lld", problem, (long long)nranks);

	if (length < (int)sizeof text && !tt_lab_open_view(text, view, lab))
		return TOTUM_OK;
	return tt_lab_open_view(problem, view, lab);
}

totum_status totum_heatmap_show(const char *problem, const char *sizes, const char *ranks,
				const totum_view *view, FILE *out)
{
	struct tt_heatmap *heatmap = NULL;
	struct tt_lab lab;
	uint64_t low, high;
	int64_t fewest, most;

	if (!problem || !sizes || !ranks || !view || !out)
		return tt_fail(
			TOTUM_EINVAL,
			"totum_heatmap_show: problem, sizes, ranks, view and out must not be NULL");
	totum_status status = tt_lab_view("totum_heatmap_show", view);

	if (!status)
		status = tt_sweep_sizes(sizes, &low, &high);
	if (!status)
		status = tt_heatmap_ranks(ranks, &fewest, &most);
	if (status)
		return status;
	status = open_any(problem, view, most, &lab);
	if (!status)
		status = tt_heatmap_new(&lab.question, low, high, fewest, most, &heatmap);
	if (!status)
		status = show_heatmap(heatmap, view, out);
	tt_heatmap_free(heatmap);
	tt_lab_close(&lab);
	return status;
}
