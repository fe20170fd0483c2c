/* SPDX-License-Identifier: BSD-3-Clause */
/* heatmap - the choice over size and number of ranks, as text and as JSON. */
#include "draw/heatmap.h"

#include <inttypes.h>

#include "draw/chart.h"
#include "draw/grid.h"
#include "draw/json.h"

const char *tt_heatmap_letter(int name, char out[static TT_LETTERS])
{
	if (name < 0)
		snprintf(out, TT_LETTERS, "-");
	else if (name < 26)
		snprintf(out, TT_LETTERS, "%c", 'A' + name);
	else
		snprintf(out, TT_LETTERS, "%c%c", 'A' + (name / 26 - 1) % 26, 'A' + name % 26);
	return out;
}

totum_status tt_draw_heatmap_text(const struct tt_heatmap *heatmap, FILE *out)
{
	char text[TT_UNITS_TEXT], letter[TT_LETTERS], machine[TT_MACHINE_TEXT];
	struct tt_grid *grid;
	totum_status status = tt_grid_new(heatmap->nsizes + 1, &grid);

	if (status)
		return status;
	fprintf(out, "the choice for %s; %s%s%s\n",
		tt_collective_name(heatmap->question.collective),
		tt_machine_text(&heatmap->question.machine, machine),
		heatmap->question.measured ? "; " : "",
		heatmap->question.measured ? heatmap->question.measured : "");
	fputs("ranks", tt_grid_cell(grid));
	tt_grid_right(grid, 0);
	for (int i = 0; i < heatmap->nsizes; i++)
		fputs(tt_chart_bytes((double)heatmap->sizes[i], text), tt_grid_cell(grid));
	for (int row = 0; row < heatmap->nrows; row++) {
		fprintf(tt_grid_cell(grid), "%" PRId64, heatmap->ranks[row]);
		for (int i = 0; i < heatmap->nsizes; i++)
			fputs(tt_heatmap_letter(heatmap->cells[row][i], letter),
			      tt_grid_cell(grid));
	}
	status = tt_grid_print(grid, TT_GRID_PLAIN, out);
	tt_grid_free(grid);
	for (int i = 0; i < heatmap->nnames; i++)
		fprintf(out, "%s  %s\n", tt_heatmap_letter(i, letter), heatmap->names[i]);
	return status;
}

void tt_draw_heatmap_json(const struct tt_heatmap *heatmap, const char *command, FILE *out)
{
	struct tt_json json = {.out = out};

	tt_json_object(&json, NULL);
	if (command)
		tt_json_string(&json, "command", command);
	tt_json_string(&json, "collective", tt_collective_name(heatmap->question.collective));
	tt_json_row(&json, "sizes");
	for (int i = 0; i < heatmap->nsizes; i++)
		tt_json_int(&json, NULL, (int64_t)heatmap->sizes[i]);
	tt_json_end(&json, ']');
	tt_json_row(&json, "algorithms");
	for (int i = 0; i < heatmap->nnames; i++)
		tt_json_string(&json, NULL, heatmap->names[i]);
	tt_json_end(&json, ']');
	tt_json_array(&json, "rows");
	for (int row = 0; row < heatmap->nrows; row++) {
		tt_json_object(&json, NULL);
		tt_json_int(&json, "nranks", heatmap->ranks[row]);
		tt_json_row(&json, "choices");
		for (int i = 0; i < heatmap->nsizes; i++)
			tt_json_int(&json, NULL, heatmap->cells[row][i]);
		tt_json_end(&json, ']');
		tt_json_end(&json, '}');
	}
	tt_json_end(&json, ']');
	tt_json_end(&json, '}');
}
