/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep - which algorithm is the choice from which size on, as text and as JSON. */
#include "draw/sweep.h"

#include <inttypes.h>

#include "draw/chart.h"
#include "draw/choice.h"
#include "draw/grid.h"
#include "draw/json.h"
#include "proof/machine.h"

enum { DIGITS = 5 };

double tt_sweep_seconds(const struct tt_candidate *candidate, double bytes)
{
	return candidate->latency + candidate->surcharge + candidate->per_byte * bytes;
}

double tt_sweep_bound(const struct tt_candidates *candidates, double bytes)
{
	return candidates->bound_latency + candidates->bound_per_byte * bytes;
}

static double end_of(const struct tt_sweep *sweep, int64_t i)
{
	return i + 1 < sweep->count ? sweep->pieces[i + 1].from : (double)sweep->high;
}

static void write_ratio(const struct tt_candidate *candidate, double bytes, FILE *out)
{
	double bound = candidate->bound_latency + candidate->bound_per_byte * bytes;

	if (bound > 0)
		fprintf(out, "%.3f", tt_sweep_seconds(candidate, bytes) / bound);
}

static void write_piece(const struct tt_sweep *sweep, int64_t i, struct tt_grid *grid)
{
	const struct tt_candidate *candidate = &sweep->candidates->list[sweep->pieces[i].candidate];
	double from = sweep->pieces[i].from, to = end_of(sweep, i);
	char text[TT_UNITS_TEXT];

	fputs(tt_chart_bytes(from, text), tt_grid_cell(grid));
	fputs(tt_chart_bytes(to, text), tt_grid_cell(grid));
	fputs(candidate->name, tt_grid_cell(grid));
	fputs(tt_format_seconds(tt_sweep_seconds(candidate, from), DIGITS, text),
	      tt_grid_cell(grid));
	write_ratio(candidate, from, tt_grid_cell(grid));
	fputs(tt_format_seconds(tt_sweep_seconds(candidate, to), DIGITS, text), tt_grid_cell(grid));
	write_ratio(candidate, to, tt_grid_cell(grid));
}

totum_status tt_draw_sweep_text(const struct tt_sweep *sweep, FILE *out)
{
	static const char *const titles[] = {"from",       "to",        "choice",    "predicted",
					     "over bound", "predicted", "over bound"};
	enum { COLUMNS = sizeof titles / sizeof *titles, CHOICE = 2 };
	struct tt_grid *grid;
	totum_status status = tt_grid_new(COLUMNS, &grid);

	if (status)
		return status;
	for (int i = 0; i < COLUMNS; i++) {
		fputs(titles[i], tt_grid_cell(grid));
		if (i != CHOICE)
			tt_grid_right(grid, i);
	}
	for (int64_t i = 0; i < sweep->count; i++)
		write_piece(sweep, i, grid);
	tt_draw_machine(&sweep->candidates->question, out);
	status = tt_grid_print(grid, TT_GRID_PLAIN, out);
	tt_grid_free(grid);
	fputs("The times are at the smallest and at the largest size of a line.\n", out);
	return status;
}

static void write_line(const struct tt_candidate *candidate, struct tt_json *json)
{
	tt_json_object(json, NULL);
	tt_json_string(json, "algorithm", candidate->name);
	tt_json_real(json, "latency", candidate->latency + candidate->surcharge);
	tt_json_real(json, "per_byte", candidate->per_byte);
	tt_json_end(json, '}');
}

void tt_draw_sweep_json(const struct tt_sweep *sweep, const char *command, FILE *out)
{
	const struct tt_candidates *candidates = sweep->candidates;
	struct tt_json json = {.out = out};

	tt_json_object(&json, NULL);
	if (command)
		tt_json_string(&json, "command", command);
	tt_json_string(&json, "collective", tt_collective_name(candidates->question.collective));
	tt_json_int(&json, "nranks", candidates->question.nranks);
	tt_json_int(&json, "low", (int64_t)sweep->low);
	tt_json_int(&json, "high", (int64_t)sweep->high);
	tt_json_object(&json, "bound");
	tt_json_real(&json, "latency", candidates->bound_latency);
	tt_json_real(&json, "per_byte", candidates->bound_per_byte);
	tt_json_end(&json, '}');
	tt_json_array(&json, "choices");
	for (int64_t i = 0; i < sweep->count; i++) {
		tt_json_object(&json, NULL);
		tt_json_real(&json, "from", sweep->pieces[i].from);
		tt_json_string(&json, "algorithm",
			       candidates->list[sweep->pieces[i].candidate].name);
		tt_json_end(&json, '}');
	}
	tt_json_end(&json, ']');
	tt_json_array(&json, "lines");
	for (int64_t i = 0; i < candidates->count; i++)
		if (!*candidates->list[i].excluded)
			write_line(&candidates->list[i], &json);
	tt_json_end(&json, ']');
	tt_json_end(&json, '}');
}
