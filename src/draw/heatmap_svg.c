/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heatmap_svg - the choice over size (across) and number of ranks (up): shades and letters tell the
 * algorithms apart.
 *
 * Regions of one choice are framed, so that the picture can be read without its shades.
 */
#include "draw/heatmap.h"

#include <inttypes.h>

#include "draw/chart.h"
#include "draw/svg.h"

enum {
	LEFT = 76,
	TOP = 60,
	CELL = 26,
	ROW = 22,
	LEGEND = 44,
	LEGEND_WIDTH = 330,
	FOOTER = 74,
	SHADES = 6
};

static const char *const shades[SHADES] = {"#ffffff", "#c8c8c8", "#8c8c8c",
					   "#ececec", "#aaaaaa", "#666666"};

static double column_x(int column)
{
	return LEFT + (double)column * CELL;
}

/* More ranks are higher up. */
static double row_y(const struct tt_heatmap *heatmap, int row)
{
	return TOP + (double)(heatmap->nrows - 1 - row) * ROW;
}

static void draw_cell(int name, double x, double y, FILE *out)
{
	char letter[TT_LETTERS];
	int shade = name % SHADES;

	tt_svg_rect(out, x, y, CELL, ROW,
		    (struct tt_svg_style){.fill = name < 0 ? "white" : shades[shade]});
	tt_svg_text(out, x + CELL / 2.0, y + ROW / 2.0 + 4,
		    (struct tt_svg_font){.size = 11,
					 .anchor = TT_SVG_MIDDLE,
					 .fill = name >= 0 && (shade == 2 || shade == 5) ? "white"
											 : "black"},
		    "%s", tt_heatmap_letter(name, letter));
}

/* A line wherever two neighbours differ. */
static void draw_borders(const struct tt_heatmap *heatmap, FILE *out)
{
	struct tt_svg_style line = {.stroke = "black", .width = 1.2};

	for (int row = 0; row < heatmap->nrows; row++)
		for (int i = 0; i < heatmap->nsizes; i++) {
			double x = column_x(i), y = row_y(heatmap, row);

			if (i && heatmap->cells[row][i] != heatmap->cells[row][i - 1])
				tt_svg_line(out, x, y, x, y + ROW, line);
			if (row && heatmap->cells[row][i] != heatmap->cells[row - 1][i])
				tt_svg_line(out, x, y + ROW, x + CELL, y + ROW, line);
		}
	tt_svg_rect(out, LEFT, TOP, (double)heatmap->nsizes * CELL, (double)heatmap->nrows * ROW,
		    line);
}

static void draw_axes(const struct tt_heatmap *heatmap, FILE *out)
{
	double bottom = TOP + (double)heatmap->nrows * ROW;
	struct tt_svg_font tick = {.size = 11, .anchor = TT_SVG_MIDDLE},
			   title = {.size = 12, .anchor = TT_SVG_MIDDLE};
	int step = heatmap->nsizes > 12 ? 2 : 1;
	char text[TT_UNITS_TEXT];

	for (int i = 0; i < heatmap->nsizes; i += step)
		tt_svg_text(out, column_x(i) + CELL / 2.0, bottom + 15, tick, "%s",
			    tt_chart_bytes((double)heatmap->sizes[i], text));
	tt_svg_text(out, LEFT + heatmap->nsizes * CELL / 2.0, bottom + 34, title, "total bytes M");
	tick.anchor = TT_SVG_RIGHT;
	for (int row = 0; row < heatmap->nrows; row++)
		tt_svg_text(out, LEFT - 6, row_y(heatmap, row) + ROW / 2.0 + 4, tick, "%" PRId64,
			    heatmap->ranks[row]);
	title.turn = -90;
	tt_svg_text(out, LEFT - 44, TOP + heatmap->nrows * ROW / 2.0, title, "ranks");
}

static void draw_legend(const struct tt_heatmap *heatmap, FILE *out)
{
	double x = column_x(heatmap->nsizes) + LEGEND;

	for (int i = 0; i < heatmap->nnames; i++) {
		double y = TOP + (double)i * (ROW + 4);

		draw_cell(i, x, y, out);
		tt_svg_rect(out, x, y, CELL, ROW,
			    (struct tt_svg_style){.stroke = "black", .width = 0.8});
		tt_svg_text(out, x + CELL + 8, y + ROW / 2.0 + 4, (struct tt_svg_font){.size = 12},
			    "%s", heatmap->names[i]);
	}
}

void tt_draw_heatmap_svg(const struct tt_heatmap *heatmap, const char *command, FILE *out)
{
	double width = column_x(heatmap->nsizes) + LEGEND + LEGEND_WIDTH;
	double legend = (double)heatmap->nnames * (ROW + 4), rows = (double)heatmap->nrows * ROW;
	double height = TOP + (legend > rows ? legend : rows) + FOOTER;
	char machine[TT_MACHINE_TEXT];

	tt_svg_begin(out, width, height, "the choice over size and ranks");
	tt_svg_text(out, LEFT, 24, (struct tt_svg_font){.size = 16, .bold = 1}, "The choice for %s",
		    tt_collective_name(heatmap->question.collective));
	tt_svg_text(out, LEFT, 42, (struct tt_svg_font){.size = 11, .fill = "#333"}, "%s%s%s",
		    tt_machine_text(&heatmap->question.machine, machine),
		    heatmap->question.measured ? "; " : "",
		    heatmap->question.measured ? heatmap->question.measured : "");
	for (int row = 0; row < heatmap->nrows; row++)
		for (int i = 0; i < heatmap->nsizes; i++)
			draw_cell(heatmap->cells[row][i], column_x(i), row_y(heatmap, row), out);
	draw_borders(heatmap, out);
	draw_axes(heatmap, out);
	draw_legend(heatmap, out);
	if (command)
		tt_svg_text(out, LEFT, height - 12,
			    (struct tt_svg_font){.size = 10, .fill = "#333"}, "%s", command);
	tt_svg_end(out);
}
