/* SPDX-License-Identifier: BSD-3-Clause */
/* loads - what each round puts on the links, as text. */
#include "draw/loads.h"

#include <inttypes.h>

#include "draw/grid.h"
#include "proof/machine.h"

static void write_round(const struct tt_loaded *loaded, const struct tt_recorded_round *round,
			struct tt_grid *grid)
{
	const struct tt_topology *topology = loaded->topology;
	char text[TT_FRACTION_TEXT];
	FILE *cell = tt_grid_cell(grid);

	fprintf(cell, "%" PRId64, round->first + 1);
	if (round->count > 1)
		fprintf(cell, "-%" PRId64, round->first + round->count);
	fprintf(tt_grid_cell(grid), "%" PRId64, round->messages);
	fputs(tt_fraction_text(round->load, text), tt_grid_cell(grid));
	cell = tt_grid_cell(grid);
	if (round->busiest >= 0)
		fprintf(cell, "%s>%s",
			topology->vertices[topology->links[round->busiest].from].name,
			topology->vertices[topology->links[round->busiest].to].name);
}

totum_status tt_draw_loads_text(const struct tt_loaded *loaded, FILE *out)
{
	static const char *const titles[] = {"rounds", "messages", "load", "on the busiest link"};
	enum { COLUMNS = sizeof titles / sizeof *titles };
	struct tt_grid *grid;
	char volume[TT_FRACTION_TEXT], unit[TT_UNITS_TEXT];
	totum_status status = tt_grid_new(COLUMNS, &grid);

	if (status)
		return status;
	for (int i = 0; i < COLUMNS; i++)
		fputs(titles[i], tt_grid_cell(grid));
	tt_grid_right(grid, 1);
	tt_grid_right(grid, 2);
	for (int64_t i = 0; i < loaded->recording->nrounds; i++)
		write_round(loaded, &loaded->recording->rounds[i], grid);
	fprintf(out, "\non %s, in blocks per %s:\n", loaded->topology->name,
		tt_short_rate((double)loaded->topology->unit, 6, unit));
	status = tt_grid_print(grid, TT_GRID_PLAIN, out);
	tt_grid_free(grid);
	fprintf(out, "volume %s\n", tt_fraction_text(loaded->volume, volume));
	return status;
}
