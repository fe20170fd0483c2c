/* SPDX-License-Identifier: BSD-3-Clause */
/* chart.h - logarithmic axes, and texts for the sizes and times along them. */
#ifndef TT_CHART_H
#define TT_CHART_H

#include <stdio.h>

#include "base/units.h"

enum tt_axis_unit { TT_AXIS_BYTES, TT_AXIS_SECONDS };

/* From `low` at pixel `from` to `high` at pixel `to`; 0 < low < high. */
struct tt_axis {
	enum tt_axis_unit unit;
	double low, high, from, to;
};

/* The pixel of a value, kept within the axis. */
double tt_axis_at(const struct tt_axis *axis, double value);
/*
 * Ticks with texts and grid lines across the plot, whose other side reaches from pixel a to pixel
 * b.
 */
void tt_axis_draw_across(const struct tt_axis *axis, double a, double b, const char *title,
			 FILE *out);
void tt_axis_draw_up(const struct tt_axis *axis, double a, double b, const char *title, FILE *out);

/* Three digits with a binary unit: "64", "22.3K", "1M". */
const char *tt_chart_bytes(double bytes, char out[static TT_UNITS_TEXT]);

#endif
