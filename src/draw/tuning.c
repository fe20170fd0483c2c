/* SPDX-License-Identifier: BSD-3-Clause */
/* tuning - links by pieces with their intervals, what planning makes of them, rates, decisions. */
#include "draw/tuning.h"

#include <inttypes.h>
#include <math.h>

#include "base/units.h"
#include "draw/grid.h"
#include "topology/topology.h"

enum { COLUMNS = 7, DIGITS = 3 };

static void write_seconds(double seconds, FILE *out)
{
	char text[TT_UNITS_TEXT];

	fputs(tt_short_seconds(seconds, DIGITS, text), out);
}

static void write_rate(double rate, FILE *out)
{
	char text[TT_UNITS_TEXT];

	fputs(isfinite(rate) ? tt_short_rate(rate, DIGITS, text) : "no limit", out);
}

static void write_interval(double low, double high, void (*write)(double, FILE *), FILE *out)
{
	write(low, out);
	fputs(" to ", out);
	write(high, out);
}

static void draw_piece(struct tt_grid *grid, enum tt_link_class class,
		       const struct tt_tuning_piece *piece, const struct tt_line *line)
{
	char text[TT_UNITS_TEXT];

	fputs(tt_link_class_name(class), tt_grid_cell(grid));
	fputs(tt_format_bytes(piece->from, text), tt_grid_cell(grid));
	write_seconds((double)piece->alpha / (double)TT_PICOSECONDS, tt_grid_cell(grid));
	FILE *alpha = tt_grid_cell(grid);

	if (line)
		write_interval(line->alpha_low, line->alpha_high, write_seconds, alpha);
	write_rate((double)piece->beta, tt_grid_cell(grid));
	FILE *beta = tt_grid_cell(grid);

	if (line)
		write_interval(line->beta_low, line->beta_high, write_rate, beta);
	FILE *error = tt_grid_cell(grid);

	if (line)
		fprintf(error, "%.0f%%", 100 * line->error);
}

static totum_status draw_pieces(const struct tt_tuning *tuning, const struct tt_fit *const fits[],
				FILE *out)
{
	static const char *const heads[COLUMNS] = {"link", "from",         "alpha", "95% interval",
						   "beta", "95% interval", "error"};
	struct tt_grid *grid;
	totum_status status = tt_grid_new(COLUMNS, &grid);

	if (status)
		return status;
	for (int i = 0; i < COLUMNS; i++)
		fputs(heads[i], tt_grid_cell(grid));
	for (int class = 0; class < TT_LINK_CLASSES; class ++) {
		const struct tt_tuning_link *link = &tuning->links[class];
		const struct tt_fit *fit = fits ? fits[class] : NULL;

		for (int i = 0; i < link->npieces; i++)
			draw_piece(grid, (enum tt_link_class) class, &link->pieces[i],
				   fit && i < fit->npieces ? &fit->pieces[i].line : NULL);
	}
	status = tt_grid_print(grid, TT_GRID_PLAIN, out);
	tt_grid_free(grid);
	return status;
}

static void draw_factors(enum tt_link_class class, const struct tt_tuning_link *link,
			 const struct tt_link_cost *cost, FILE *out)
{
	fprintf(out,
		"%s: both directions at once %.2f times one of them; all ranks of a host %.2f "
		"times; a rank sends to %" PRId64 " peer%s at once\n",
		tt_link_class_name(class), (double)link->exchange / 100,
		(double)link->together / 100, link->ports, link->ports == 1 ? "" : "s");
	if (link->npieces == 1)
		return;
	fprintf(out, "%s: for planning, one line: alpha ", tt_link_class_name(class));
	write_seconds(cost->alpha, out);
	fputs(", beta ", out);
	write_rate(cost->beta, out);
	fputc('\n', out);
}

static void draw_rates(const int64_t rates[TT_RATES], FILE *out)
{
	if (rates[TT_ADD_CACHED]) {
		fputs("adding: ", out);
		write_rate((double)rates[TT_ADD_CACHED], out);
		fputs(" in the cache, ", out);
		write_rate((double)rates[TT_ADD_MEMORY], out);
		fputs(" in memory, each rank while all do\n", out);
	}
	if (!rates[TT_COPY_CACHED])
		return;
	fputs("copying: ", out);
	write_rate((double)rates[TT_COPY_CACHED], out);
	fputs(" in the cache, ", out);
	write_rate((double)rates[TT_COPY_MEMORY], out);
	fputs(" in memory, ", out);
	write_rate((double)rates[TT_COPY_STREAM], out);
	fputs(" past the caches, each rank while all do\n", out);
}

static void draw_use(const struct tt_tuning_use *use, FILE *out)
{
	char low[TT_UNITS_TEXT], high[TT_UNITS_TEXT];

	fprintf(out,
		"decided: %s on %" PRId64 " ranks of %" PRId64 " host%s, %s to %s in all: %s\n",
		tt_collective_name(use->collective), use->nranks, use->nhosts,
		use->nhosts == 1 ? "" : "s", tt_format_bytes(use->low, low),
		tt_format_bytes(use->high, high), use->algorithm);
}

totum_status tt_draw_tuning(const struct tt_tuning *tuning, const struct tt_fit *const fits[],
			    FILE *out)
{
	const struct tt_tuning_link *links = tuning->links;
	struct tt_link_costs costs;
	totum_status status = TOTUM_OK;

	tt_tuning_costs(tuning, &costs);
	if (links[TT_INSIDE].npieces || links[TT_BETWEEN].npieces)
		status = draw_pieces(tuning, fits, out);
	else
		fputs("no links are known\n", out);
	if (status)
		return status;
	if (links[TT_INSIDE].npieces)
		draw_factors(TT_INSIDE, &links[TT_INSIDE], &costs.inside, out);
	if (links[TT_BETWEEN].npieces)
		draw_factors(TT_BETWEEN, &links[TT_BETWEEN], &costs.between, out);
	draw_rates(tuning->rates, out);
	for (int64_t i = 0; i < tuning->nuses; i++)
		draw_use(&tuning->uses[i], out);
	return TOTUM_OK;
}
