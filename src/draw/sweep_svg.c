/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sweep_svg - time against size: a curve for each choice and for the best of the others, the bound
 * below them, and a bar that names the choice at each size.
 *
 * Algorithms with the same price share a curve.  Names stand at the right end of the curves, moved
 * apart.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/chart.h"
#include "draw/choice.h"
#include "draw/svg.h"
#include "draw/sweep.h"

enum {
	WIDTH = 1040,
	HEIGHT = 600,
	LEFT = 84,
	RIGHT = 730,
	TOP = 72,
	BOTTOM = 470,
	BAR = 516,
	BAR_HEIGHT = 22,
	CURVES = 8,
	POINTS = 60,
	LABEL_STEP = 16
};

struct curve {
	const struct tt_candidate *candidate; /* NULL: the bound */
	int64_t alike;                        /* candidates with the same price */
	double label;                         /* pixel */
	double rank;                          /* for the order: mean of log(time / best) */
};

struct picture {
	const struct tt_sweep *sweep;
	struct tt_axis across, up;
	struct curve curves[CURVES + 1];
	int count;
	FILE *out;
};

static double size_at(const struct tt_sweep *sweep, int i)
{
	return (double)sweep->low *
	       pow((double)sweep->high / (double)sweep->low, (double)i / POINTS);
}

static bool same_line(const struct tt_candidate *a, const struct tt_candidate *b)
{
	return a->latency + a->surcharge == b->latency + b->surcharge && a->per_byte == b->per_byte;
}

/* How far a candidate is above the choice, over the whole range. */
static double distance(const struct tt_sweep *sweep, const struct tt_candidate *candidate)
{
	double sum = 0;

	for (int i = 0; i <= POINTS; i++) {
		double bytes = size_at(sweep, i);
		const struct tt_candidate *best =
			&sweep->candidates->list[tt_sweep_best(sweep, bytes)];

		if (tt_sweep_seconds(best, bytes) > 0)
			sum += log(tt_sweep_seconds(candidate, bytes) /
				   tt_sweep_seconds(best, bytes));
	}
	return sum / (POINTS + 1);
}

static void insert(struct picture *picture, const struct tt_candidate *candidate, double rank)
{
	int at = 0;

	for (int i = 0; i < picture->count; i++)
		if (same_line(picture->curves[i].candidate, candidate)) {
			picture->curves[i].alike++;
			return;
		}
	while (at < picture->count && picture->curves[at].rank <= rank)
		at++;
	if (at == CURVES)
		return;
	int moved = (picture->count < CURVES ? picture->count : CURVES - 1) - at;

	memmove(&picture->curves[at + 1], &picture->curves[at],
		(size_t)moved * sizeof(*picture->curves));
	picture->curves[at] = (struct curve){.candidate = candidate, .rank = rank};
	picture->count += picture->count < CURVES;
}

/* The choices, then of every algorithm what is nearest to them. */
static void choose_curves(struct picture *picture)
{
	const struct tt_candidates *candidates = picture->sweep->candidates;

	for (int64_t i = 0; i < picture->sweep->count; i++)
		insert(picture, &candidates->list[picture->sweep->pieces[i].candidate], -1);
	for (int64_t i = 0; i < candidates->count; i++) {
		const struct tt_candidate *candidate = &candidates->list[i], *nearest = NULL;
		bool first = !*candidate->excluded;

		for (int64_t j = 0; j < i && first; j++)
			first = *candidates->list[j].excluded ||
				candidates->list[j].entry != candidate->entry;
		for (int64_t j = i; j < candidates->count && first; j++)
			if (!*candidates->list[j].excluded &&
			    candidates->list[j].entry == candidate->entry &&
			    (!nearest || distance(picture->sweep, &candidates->list[j]) <
						 distance(picture->sweep, nearest)))
				nearest = &candidates->list[j];
		if (nearest)
			insert(picture, nearest, distance(picture->sweep, nearest));
	}
	for (int i = 0; i < picture->count;
	     i++) /* the candidate itself was counted when it came by again */
		if (picture->curves[i].rank < 0 && picture->curves[i].alike)
			picture->curves[i].alike--;
	picture->curves[picture->count++] = (struct curve){.candidate = NULL};
}

static double curve_at(const struct picture *picture, const struct curve *curve, double bytes)
{
	return curve->candidate ? tt_sweep_seconds(curve->candidate, bytes)
				: tt_sweep_bound(picture->sweep->candidates, bytes);
}

static void choose_axes(struct picture *picture)
{
	const struct tt_sweep *sweep = picture->sweep;
	double low = INFINITY, high = 0;

	for (int i = 0; i < picture->count; i++)
		for (int j = 0; j <= POINTS; j += POINTS) {
			double seconds = curve_at(picture, &picture->curves[i], size_at(sweep, j));

			low = seconds > 0 && seconds < low ? seconds : low;
			high = seconds > high ? seconds : high;
		}
	if (!(low < high)) {
		low = high > 0 ? high / 2 : 1e-9;
		high = low * 4;
	}
	picture->across = (struct tt_axis){TT_AXIS_BYTES, (double)sweep->low, (double)sweep->high,
					   LEFT, RIGHT};
	picture->up = (struct tt_axis){TT_AXIS_SECONDS, low / 1.3, high * 1.3, BOTTOM, TOP};
}

static int by_label(const void *left, const void *right)
{
	const struct curve *const *a = left, *const *b = right;

	return ((*a)->label > (*b)->label) - ((*a)->label < (*b)->label);
}

/*
 * Names begin at the ends of their curves; from top to bottom each is moved down until it is free.
 */
static void place_labels(struct picture *picture)
{
	struct curve *order[CURVES + 1];
	double free_from = TOP;

	for (int i = 0; i < picture->count; i++) {
		order[i] = &picture->curves[i];
		order[i]->label = tt_axis_at(
			&picture->up, curve_at(picture, order[i], (double)picture->sweep->high));
	}
	qsort(order, (size_t)picture->count, sizeof(*order), by_label);
	for (int i = 0; i < picture->count; i++) {
		if (order[i]->label < free_from)
			order[i]->label = free_from;
		free_from = order[i]->label + LABEL_STEP;
	}
}

static void draw_curve(const struct picture *picture, int i)
{
	static const char *const dashes[] = {NULL, "8 3", "3 3", "10 3 2 3"};
	const struct curve *curve = &picture->curves[i];
	struct tt_svg_style style = {.stroke = "black", .width = 1.4, .dash = dashes[i % 4]};

	if (!curve->candidate)
		style = (struct tt_svg_style){.stroke = "#999", .width = 4};
	tt_svg_path_begin(picture->out, style);
	for (int j = 0; j <= POINTS; j++) {
		double bytes = size_at(picture->sweep, j);

		tt_svg_path_point(picture->out, tt_axis_at(&picture->across, bytes),
				  tt_axis_at(&picture->up, curve_at(picture, curve, bytes)));
	}
	tt_svg_path_end(picture->out);
	for (int j = 4 + 3 * i % 10; j < POINTS && curve->candidate; j += 15) {
		double bytes = size_at(picture->sweep, j);

		tt_svg_mark(picture->out, i, tt_axis_at(&picture->across, bytes),
			    tt_axis_at(&picture->up, curve_at(picture, curve, bytes)), 4);
	}
}

static void draw_label(const struct picture *picture, int i)
{
	const struct curve *curve = &picture->curves[i];
	double y = tt_axis_at(&picture->up, curve_at(picture, curve, (double)picture->sweep->high));
	struct tt_svg_font font = {.size = 12, .bold = curve->candidate && curve->rank < 0};

	tt_svg_line(picture->out, RIGHT, y, RIGHT + 22, curve->label,
		    (struct tt_svg_style){.stroke = "#777", .width = 0.7});
	if (!curve->candidate) {
		tt_svg_line(picture->out, RIGHT + 24, curve->label, RIGHT + 36, curve->label,
			    (struct tt_svg_style){.stroke = "#999", .width = 4});
		tt_svg_text(picture->out, RIGHT + 42, curve->label + 4, font,
			    picture->sweep->candidates->cut ? "bound"
							    : "bound (a message a link and round)");
		return;
	}
	tt_svg_mark(picture->out, i, RIGHT + 30, curve->label, 4);
	if (curve->alike)
		tt_svg_text(picture->out, RIGHT + 42, curve->label + 4, font,
			    "%s and %" PRId64 " alike", curve->candidate->name, curve->alike);
	else
		tt_svg_text(picture->out, RIGHT + 42, curve->label + 4, font, "%s",
			    curve->candidate->name);
}

/* Which choice holds where, and the sizes at which it changes. */
static void draw_bar(const struct picture *picture)
{
	const struct tt_sweep *sweep = picture->sweep;
	struct tt_svg_style frame = {.fill = "white", .stroke = "black", .width = 1};
	char text[TT_UNITS_TEXT];

	for (int64_t i = 0; i < sweep->count; i++) {
		double end = i + 1 < sweep->count ? sweep->pieces[i + 1].from : (double)sweep->high;
		double from = tt_axis_at(&picture->across, sweep->pieces[i].from),
		       to = tt_axis_at(&picture->across, end);
		const char *name = sweep->candidates->list[sweep->pieces[i].candidate].name;

		frame.fill = i % 2 ? "#e4e4e4" : "white";
		tt_svg_rect(picture->out, from, BAR, to - from, BAR_HEIGHT, frame);
		if (tt_svg_text_width(11, strlen(name)) < to - from)
			tt_svg_text(picture->out, (from + to) / 2, BAR + 15,
				    (struct tt_svg_font){.size = 11, .anchor = TT_SVG_MIDDLE}, "%s",
				    name);
		if (!i)
			continue;
		tt_svg_line(picture->out, from, TOP, from, BAR,
			    (struct tt_svg_style){.stroke = "black", .width = 0.8, .dash = "2 3"});
		tt_svg_text(picture->out, from, i % 2 ? TOP - 4 : TOP - 16,
			    (struct tt_svg_font){.size = 11, .anchor = TT_SVG_MIDDLE}, "%s",
			    tt_chart_bytes(sweep->pieces[i].from, text));
	}
	tt_svg_text(picture->out, RIGHT + 12, BAR + 15, (struct tt_svg_font){.size = 11},
		    "the choice");
}

static void draw_texts(const struct picture *picture, const char *command)
{
	const struct tt_question *question = &picture->sweep->candidates->question;
	char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	tt_svg_text(picture->out, LEFT, 22, (struct tt_svg_font){.size = 16, .bold = 1},
		    "Time against size");
	if (line) {
		tt_draw_machine(question, line);
		fclose(line);
		tt_svg_text(picture->out, LEFT, 40,
			    (struct tt_svg_font){.size = 11, .fill = "#333"}, "%s", text);
		free(text);
	}
	if (command)
		tt_svg_text(picture->out, LEFT, HEIGHT - 16,
			    (struct tt_svg_font){.size = 10, .fill = "#333"}, "%s", command);
}

totum_status tt_draw_sweep_svg(const struct tt_sweep *sweep, const char *command, FILE *out)
{
	struct picture picture = {.sweep = sweep, .out = out};

	if (!sweep->count)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "no algorithm applies, so there is nothing to draw");
	if (sweep->low == sweep->high)
		return tt_fail(TOTUM_EINVAL, "a picture needs a range of sizes, like 64:1G");
	choose_curves(&picture);
	choose_axes(&picture);
	place_labels(&picture);
	tt_svg_begin(out, WIDTH, HEIGHT, "time against size");
	tt_axis_draw_across(&picture.across, TOP, BOTTOM, "total bytes M", out);
	tt_axis_draw_up(&picture.up, LEFT, RIGHT, "predicted time", out);
	tt_svg_rect(out, LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP,
		    (struct tt_svg_style){.stroke = "black", .width = 1});
	for (int i = picture.count - 1; i >= 0; i--)
		draw_curve(&picture, i);
	for (int i = 0; i < picture.count; i++)
		draw_label(&picture, i);
	draw_bar(&picture);
	draw_texts(&picture, command);
	tt_svg_end(out);
	return TOTUM_OK;
}
