/* SPDX-License-Identifier: BSD-3-Clause */
/* chart - logarithmic axes: bytes in powers of two, seconds in powers of ten. */
#include "draw/chart.h"

#include <math.h>

#include "draw/svg.h"
#include "proof/machine.h"

enum { FONT = 11, MOST_TICKS = 16 };

static const struct tt_svg_style grid = {.stroke = "#ccc", .width = 0.6};

double tt_axis_at(const struct tt_axis *axis, double value)
{
	double kept = value < axis->low ? axis->low : value > axis->high ? axis->high : value;

	return axis->from +
	       (axis->to - axis->from) * log(kept / axis->low) / log(axis->high / axis->low);
}

const char *tt_chart_bytes(double bytes, char out[static TT_UNITS_TEXT])
{
	static const char *const units[] = {"", "K", "M", "G", "T", "P"};
	int unit = 0;

	while (bytes >= 1024 && unit < 5) {
		bytes /= 1024;
		unit++;
	}
	/*
	 * Whole numbers, so that a locale's decimal point stays out: `scaled` is the number times
	 * `parts`.
	 */
	int parts = bytes >= 99.95 ? 1 : bytes >= 9.995 ? 10 : 100;
	int scaled =
		(int)lround(bytes * parts); /* below 16384: 64 bits end there in units of 2^50 */

	while (parts > 1 && scaled % 10 == 0) {
		scaled /= 10;
		parts /= 10;
	}
	if (parts == 1)
		snprintf(out, TT_UNITS_TEXT, "%d%s", scaled, units[unit]);
	else
		snprintf(out, TT_UNITS_TEXT, "%d.%0*d%s", scaled / parts, parts == 10 ? 1 : 2,
			 scaled % parts, units[unit]);
	return out;
}

static const char *tick_text(const struct tt_axis *axis, double value,
			     char out[static TT_UNITS_TEXT])
{
	return axis->unit == TT_AXIS_BYTES ? tt_chart_bytes(value, out)
					   : tt_short_seconds(value, 3, out);
}

/* The exponents of the base's powers on the axis, and how many of them lie between two ticks. */
static void tick_range(const struct tt_axis *axis, double *base, int *first, int *last, int *step)
{
	*base = axis->unit == TT_AXIS_BYTES ? 2 : 10;
	*first = (int)ceil(log(axis->low) / log(*base) - 1e-9);
	*last = (int)floor(log(axis->high) / log(*base) + 1e-9);
	*step = 1 + (*last - *first) / MOST_TICKS;
}

void tt_axis_draw_across(const struct tt_axis *axis, double a, double b, const char *title,
			 FILE *out)
{
	char text[TT_UNITS_TEXT];
	int first, last, step;
	double base;

	tick_range(axis, &base, &first, &last, &step);
	for (int i = first; i <= last; i += step) {
		double x = tt_axis_at(axis, pow(base, i));

		tt_svg_line(out, x, a, x, b, grid);
		tt_svg_text(out, x, b + FONT + 4,
			    (struct tt_svg_font){.size = FONT, .anchor = TT_SVG_MIDDLE}, "%s",
			    tick_text(axis, pow(base, i), text));
	}
	tt_svg_text(out, (axis->from + axis->to) / 2, b + 2.6 * FONT + 6,
		    (struct tt_svg_font){.size = FONT + 1, .anchor = TT_SVG_MIDDLE}, "%s", title);
}

void tt_axis_draw_up(const struct tt_axis *axis, double a, double b, const char *title, FILE *out)
{
	char text[TT_UNITS_TEXT];
	int first, last, step;
	double base;

	tick_range(axis, &base, &first, &last, &step);
	for (int i = first; i <= last; i += step) {
		double y = tt_axis_at(axis, pow(base, i));

		tt_svg_line(out, a, y, b, y, grid);
		tt_svg_text(out, a - 6, y + 4,
			    (struct tt_svg_font){.size = FONT, .anchor = TT_SVG_RIGHT}, "%s",
			    tick_text(axis, pow(base, i), text));
	}
	tt_svg_text(out, a - 50, (axis->from + axis->to) / 2,
		    (struct tt_svg_font){.size = FONT + 1, .anchor = TT_SVG_MIDDLE, .turn = -90},
		    "%s", title);
}
