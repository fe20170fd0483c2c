/* SPDX-License-Identifier: BSD-3-Clause */
/* lab_show - the entry points that draw. */
#include "api/lab.h"
#include "draw/choice.h"
#include "draw/facts.h"
#include "draw/loads.h"

enum { SENTENCE = 400 };

totum_status tt_lab_view(const char *call, const totum_view *view)
{
	if (view->format < TOTUM_TEXT || view->format > TOTUM_SVG)
		return tt_fail(TOTUM_EINVAL,
			       "%s: format %d is none of TOTUM_TEXT, TOTUM_JSON, TOTUM_SVG", call,
			       (int)view->format);
	if (view->width < 0)
		return tt_fail(TOTUM_EINVAL, "%s: a width of %d columns; give 0 for no limit", call,
			       view->width);
	return TOTUM_OK;
}

/* A wrong schedule is shown too, with what is wrong. */
static totum_status prove(const totum_schedule *schedule, struct tt_shown *shown,
			  char violation[static SENTENCE])
{
	totum_status status = totum_schedule_verify(schedule, NULL);

	if (status != TOTUM_EINVAL)
		return status;
	snprintf(violation, SENTENCE, "%s", totum_errmsg());
	shown->violation = violation;
	return TOTUM_OK;
}

static totum_status draw_on_topology(const totum_schedule *schedule, const totum_view *view,
				     FILE *out)
{
	struct tt_topology *topology;
	totum_status status = tt_topology_open(view->topology, &topology);

	if (status)
		return status;
	struct tt_recording recording = {.keep_loads = true, .nlinks = topology->nlinks};
	struct tt_simulate_options options = {.block_bytes = 1};
	struct tt_simulation simulation;

	tt_record(&recording, &options);
	status = tt_simulate_load(schedule->schedule, topology, &options, &simulation);
	if (!status)
		status = tt_record_finish(&recording);
	struct tt_loaded loaded = {.schedule = schedule->schedule,
				   .topology = topology,
				   .recording = &recording,
				   .volume = simulation.volume,
				   .command = view->command};

	if (!status)
		status = view->format == TOTUM_SVG ? tt_draw_loads_svg(&loaded, out)
						   : tt_draw_loads_text(&loaded, out);
	tt_record_free(&recording);
	tt_topology_free(topology);
	return status;
}

static totum_status draw(const struct tt_shown *shown, totum_format format, FILE *out)
{
	switch (format) {
	case TOTUM_JSON:
		return tt_draw_schedule_json(shown, out);
	case TOTUM_SVG:
		return tt_draw_schedule_svg(shown, out);
	default:
		return tt_draw_schedule_text(shown, out);
	}
}

totum_status totum_schedule_show(const totum_schedule *schedule, const totum_view *view, FILE *out)
{
	if (!schedule || !view || !out)
		return tt_fail(TOTUM_EINVAL,
			       "totum_schedule_show: schedule, view and out must not be NULL");
	char violation[SENTENCE];
	totum_status status = tt_lab_view("totum_schedule_show", view);
	struct tt_shown shown = {.schedule = schedule->schedule,
				 .command = view->command,
				 .width = (size_t)view->width,
				 .moves = view->moves};

	if (!status)
		status = tt_price_own(shown.schedule, &shown.price);
	if (!status)
		status = prove(schedule, &shown, violation);
	if (status)
		return status;
	bool loads = view->topology && view->format != TOTUM_JSON;

	if (!loads || view->format == TOTUM_TEXT)
		status = draw(&shown, view->format, out);
	return status || !loads ? status : draw_on_topology(schedule, view, out);
}

totum_status totum_candidates_show(const char *problem, const totum_view *view, FILE *out)
{
	struct tt_candidates *candidates = NULL;
	struct tt_lab lab;

	if (!problem || !view || !out)
		return tt_fail(TOTUM_EINVAL,
			       "totum_candidates_show: problem, view and out must not be NULL");
	totum_status status = tt_lab_view("totum_candidates_show", view);

	if (!status && view->format == TOTUM_SVG)
		status = tt_fail(
			TOTUM_EUNSUPPORTED,
			"there is no picture of a table of candidates; draw a sweep or a heatmap");
	if (status)
		return status;
	status = tt_lab_open_view(problem, view, &lab);
	lab.question.all = view->all;
	if (!status)
		status = tt_candidates_new(&lab.question, &candidates);
	if (!status && view->format == TOTUM_JSON)
		tt_draw_choice_json(candidates, view->command, out);
	else if (!status)
		status = tt_draw_choice(candidates, view->explain, out);
	tt_candidates_free(candidates);
	tt_lab_close(&lab);
	return status;
}
