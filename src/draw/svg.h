/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * svg.h - writing pictures as SVG: few shapes, no style sheet, no script, no font of its own.
 *
 * Lengths are pixels from the upper left corner.  Pictures are black, white and grey, so that they
 * say the same on paper: lines differ by dashes and marks, areas by shade and letters.  Numbers do
 * not depend on the locale.
 */
#ifndef TT_SVG_H
#define TT_SVG_H

#include <stdio.h>

enum tt_svg_anchor { TT_SVG_LEFT, TT_SVG_MIDDLE, TT_SVG_RIGHT };

/* "none" for no fill or no stroke; width 0: 1 pixel; dash NULL: a full line. */
struct tt_svg_style {
	const char *fill, *stroke;
	double width;
	const char *dash; /* "6 3": as SVG has it */
};

struct tt_svg_font {
	double size;
	enum tt_svg_anchor anchor;
	const char *fill; /* NULL: black */
	int bold;
	double turn; /* degrees around the anchor, clockwise */
};

/* White ground, and a title for those who cannot see it. */
void tt_svg_begin(FILE *out, double width, double height, const char *title);
void tt_svg_end(FILE *out);
void tt_svg_line(FILE *out, double x1, double y1, double x2, double y2, struct tt_svg_style style);
/* A line that ends in an arrow head. */
void tt_svg_arrow(FILE *out, double x1, double y1, double x2, double y2, struct tt_svg_style style);
void tt_svg_rect(FILE *out, double x, double y, double width, double height,
		 struct tt_svg_style style);
void tt_svg_circle(FILE *out, double x, double y, double radius, struct tt_svg_style style);
/* A polyline: begin, points, end. */
void tt_svg_path_begin(FILE *out, struct tt_svg_style style);
void tt_svg_path_point(FILE *out, double x, double y);
void tt_svg_path_end(FILE *out);
/*
 * The k-th of several marks that are easily told apart: circle, square, triangle .., full and
 * hollow.
 */
enum { TT_SVG_MARKS = 8 };
void tt_svg_mark(FILE *out, int k, double x, double y, double radius);
/* The base line's place; the text is escaped. */
void tt_svg_text(FILE *out, double x, double y, struct tt_svg_font font, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* About how wide a text of that many characters is. */
double tt_svg_text_width(double size, size_t characters);

#endif
