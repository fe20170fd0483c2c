/* SPDX-License-Identifier: BSD-3-Clause */
/* svg - writing pictures as SVG, see svg.h. */
#include "draw/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/*
 * Two decimals are finer than any screen; whole numbers stay short.  Integers, so that no locale
 * gets in.
 */
static void number(FILE *out, const char *name, double value)
{
	long hundredths = lround(value * 100);
	long rest = labs(hundredths) % 100;

	fprintf(out, " %s=\"%s%ld", name, hundredths < 0 ? "-" : "", labs(hundredths) / 100);
	if (rest)
		fprintf(out, rest % 10 ? ".%02ld" : ".%ld", rest % 10 ? rest : rest / 10);
	fputc('"', out);
}

static void escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '&')
			fputs("&amp;", out);
		else if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == '"')
			fputs("&quot;", out);
		else
			fputc(c < 0x20 ? ' ' : c, out); /* XML has no control characters */
	}
}

static void style_of(FILE *out, struct tt_svg_style style)
{
	fprintf(out, " fill=\"%s\" stroke=\"%s\"", style.fill ? style.fill : "none",
		style.stroke ? style.stroke : "none");
	if (style.width > 0)
		number(out, "stroke-width", style.width);
	if (style.dash)
		fprintf(out, " stroke-dasharray=\"%s\"", style.dash);
}

void tt_svg_begin(FILE *out, double width, double height, const char *title)
{
	fputs("<svg xmlns=\"http://www.w3.org/2000/svg\"", out);
	number(out, "width", width);
	number(out, "height", height);
	fprintf(out, " viewBox=\"0 0 %ld %ld\" font-family=\"sans-serif\">\n<title>",
		lround(ceil(width)), lround(ceil(height)));
	escaped(out, title);
	fputs("</title>\n", out);
	tt_svg_rect(out, 0, 0, width, height, (struct tt_svg_style){.fill = "white"});
}

void tt_svg_end(FILE *out)
{
	fputs("</svg>\n", out);
}

void tt_svg_line(FILE *out, double x1, double y1, double x2, double y2, struct tt_svg_style style)
{
	fputs("<line", out);
	number(out, "x1", x1);
	number(out, "y1", y1);
	number(out, "x2", x2);
	number(out, "y2", y2);
	style_of(out, style);
	fputs("/>\n", out);
}

void tt_svg_arrow(FILE *out, double x1, double y1, double x2, double y2, struct tt_svg_style style)
{
	const double head_length = 3.5 + 1.5 * style.width;
	double length = hypot(x2 - x1, y2 - y1);
	double ux = length > 0 ? (x2 - x1) / length : 0, uy = length > 0 ? (y2 - y1) / length : 1;
	struct tt_svg_style head = {.fill = style.stroke};

	tt_svg_line(out, x1, y1, x2 - ux * head_length, y2 - uy * head_length, style);
	tt_svg_path_begin(out, head);
	tt_svg_path_point(out, x2, y2);
	for (int side = -1; side <= 1; side += 2)
		tt_svg_path_point(out, x2 - (ux + side * uy / 2) * head_length,
				  y2 - (uy - side * ux / 2) * head_length);
	tt_svg_path_end(out);
}

void tt_svg_rect(FILE *out, double x, double y, double width, double height,
		 struct tt_svg_style style)
{
	fputs("<rect", out);
	number(out, "x", x);
	number(out, "y", y);
	number(out, "width", width);
	number(out, "height", height);
	style_of(out, style);
	fputs("/>\n", out);
}

void tt_svg_circle(FILE *out, double x, double y, double radius, struct tt_svg_style style)
{
	fputs("<circle", out);
	number(out, "cx", x);
	number(out, "cy", y);
	number(out, "r", radius);
	style_of(out, style);
	fputs("/>\n", out);
}

void tt_svg_path_begin(FILE *out, struct tt_svg_style style)
{
	fputs("<polyline", out);
	style_of(out, style);
	fputs(" points=\"", out);
}

void tt_svg_path_point(FILE *out, double x, double y)
{
	long across = lround(x * 10), down = lround(y * 10);

	fprintf(out, "%s%ld.%ld,%s%ld.%ld ", across < 0 ? "-" : "", labs(across) / 10,
		labs(across) % 10, down < 0 ? "-" : "", labs(down) / 10, labs(down) % 10);
}

void tt_svg_path_end(FILE *out)
{
	fputs("\"/>\n", out);
}

static void polygon(FILE *out, const double (*corners)[2], int count, double x, double y,
		    double radius, struct tt_svg_style style)
{
	tt_svg_path_begin(out, style);
	for (int i = 0; i <= count; i++)
		tt_svg_path_point(out, x + corners[i % count][0] * radius,
				  y + corners[i % count][1] * radius);
	tt_svg_path_end(out);
}

void tt_svg_mark(FILE *out, int k, double x, double y, double radius)
{
	static const double square[][2] = {{-.8, -.8}, {.8, -.8}, {.8, .8}, {-.8, .8}};
	static const double triangle[][2] = {{0, -1.1}, {1, .8}, {-1, .8}};
	static const double diamond[][2] = {{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}};
	struct tt_svg_style style = {
		.fill = k / 4 % 2 ? "white" : "black", .stroke = "black", .width = 1};

	switch (k % 4) {
	case 0:
		tt_svg_circle(out, x, y, radius * .9, style);
		return;
	case 1:
		polygon(out, square, 4, x, y, radius, style);
		return;
	case 2:
		polygon(out, triangle, 3, x, y, radius, style);
		return;
	default:
		polygon(out, diamond, 4, x, y, radius, style);
		return;
	}
}

void tt_svg_text(FILE *out, double x, double y, struct tt_svg_font font, const char *format, ...)
{
	static const char *const anchors[] = {"start", "middle", "end"};
	char *text = NULL;
	va_list args;

	va_start(args, format);
	int length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return;
	fputs("<text", out);
	number(out, "x", x);
	number(out, "y", y);
	number(out, "font-size", font.size);
	fprintf(out, " text-anchor=\"%s\" fill=\"%s\"", anchors[font.anchor],
		font.fill ? font.fill : "black");
	if (font.bold)
		fputs(" font-weight=\"bold\"", out);
	if (font.turn != 0)
		fprintf(out, " transform=\"rotate(%ld %ld %ld)\"", lround(font.turn), lround(x),
			lround(y));
	fputc('>', out);
	escaped(out, text);
	fputs("</text>\n", out);
	free(text);
}

double tt_svg_text_width(double size, size_t characters)
{
	return size * 0.58 * (double)characters;
}
