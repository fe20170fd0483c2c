/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loads_svg - the links of a topology in each round, wider and darker the more they carry.
 *
 * A link is an arrow, its two directions beside each other, with the blocks that it carries near
 * its middle.  Links that carry nothing are thin.  Rounds that are alike share a picture.
 */
#include "draw/loads.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/place.h"
#include "draw/svg.h"
#include "proof/machine.h"

enum {
	PANEL = 380,
	ACROSS = 3,
	MOST_PANELS = 12,
	TITLE = 26,
	TOP = 56,
	BOTTOM = 48,
	GAP = 20,
	RADIUS = 12,
	CURVE = 14,
	MOST_VERTICES = 128,
	MOST_LINKS = 2048,
	LEAST_WIDTH = 620
};

struct picture {
	const struct tt_loaded *loaded;
	struct tt_place *places; /* scaled, from the corner of a panel */
	double width, height;    /* of a panel */
	double most; /* the greatest load over capacity of any link and round, in blocks */
	FILE *out;
};

/* A point of a link's line: t runs from 0 to 1, aside is to the right of its direction. */
static struct tt_place point(struct tt_place a, struct tt_place b, double t, double aside,
			     double bend)
{
	double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
	double out = aside + bend * 4 * t * (1 - t);

	return (struct tt_place){a.x + dx * t - dy / length * out,
				 a.y + dy * t + dx / length * out};
}

/* Does the straight line pass over another vertex? */
static bool hidden(const struct picture *picture, const struct tt_link *link)
{
	struct tt_place a = picture->places[link->from], b = picture->places[link->to];
	double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);

	for (int32_t v = 0; v < picture->loaded->topology->nvertices; v++) {
		double x = picture->places[v].x - a.x, y = picture->places[v].y - a.y;
		double along = (x * dx + y * dy) / length, aside = (x * dy - y * dx) / length;

		if (v != link->from && v != link->to && fabs(aside) < RADIUS && along > 0 &&
		    along < length)
			return true;
	}
	return false;
}

static double blocks_of(const struct picture *picture, const struct tt_recorded_round *round,
			int64_t link)
{
	const struct tt_topology *topology = picture->loaded->topology;

	/*
	 * Over the capacity, so that a wide link with much on it looks like a narrow one with
	 * little.
	 */
	return (double)round->loads[link] / (double)round->scale * (double)topology->unit /
	       (double)topology->links[link].wire.capacity;
}

static void draw_link(const struct picture *picture, const struct tt_recorded_round *round,
		      int64_t index, double x, double y)
{
	const struct tt_link *link = &picture->loaded->topology->links[index];
	struct tt_place a = picture->places[link->from], b = picture->places[link->to];
	double blocks = blocks_of(picture, round, index),
	       share = picture->most > 0 ? blocks / picture->most : 0;
	double length = hypot(b.x - a.x, b.y - a.y),
	       cut = length > 3 * RADIUS ? (RADIUS + 2) / length : 0;
	double bend = hidden(picture, link) ? 26 + length * 0.06 : 0;
	struct tt_svg_style style = {.stroke = blocks > 0 ? share > 0.5 ? "black" : "#666" : "#ccc",
				     .width = blocks > 0 ? 1 + 5 * share : 0.7};
	char text[TT_FRACTION_TEXT];

	tt_svg_path_begin(picture->out, style);
	for (int i = 0; i < CURVE; i++) {
		struct tt_place at = point(a, b, cut + (1 - 2 * cut) * i / CURVE, 4, bend);

		tt_svg_path_point(picture->out, x + at.x, y + at.y);
	}
	tt_svg_path_end(picture->out);
	struct tt_place before = point(a, b, 1 - cut - 0.08, 4, bend),
			end = point(a, b, 1 - cut, 4, bend);

	tt_svg_arrow(picture->out, x + before.x, y + before.y, x + end.x, y + end.y, style);
	if (!(blocks > 0))
		return;
	struct tt_place at = point(a, b, 0.42, 14 + 3 * share, bend);

	tt_fraction_text(tt_fraction_of(round->loads[index], round->scale), text);
	tt_svg_text(picture->out, x + at.x, y + at.y + 4,
		    (struct tt_svg_font){.size = 11, .anchor = TT_SVG_MIDDLE}, "%s", text);
}

static void draw_vertex(const struct picture *picture, int32_t v, double x, double y)
{
	const struct tt_vertex *vertex = &picture->loaded->topology->vertices[v];
	double wide = tt_svg_text_width(10, strlen(vertex->name)) + 8;
	struct tt_svg_style style = {.fill = "white", .stroke = "black", .width = 1};

	x += picture->places[v].x;
	y += picture->places[v].y;
	if (vertex->rank >= 0 && wide <= 2 * RADIUS + 6)
		tt_svg_circle(picture->out, x, y, RADIUS, style);
	else
		tt_svg_rect(picture->out, x - wide / 2, y - RADIUS * 0.8, wide, RADIUS * 1.6,
			    style);
	tt_svg_text(picture->out, x, y + 4,
		    (struct tt_svg_font){.size = 10, .anchor = TT_SVG_MIDDLE}, "%s", vertex->name);
}

static void draw_panel(const struct picture *picture, const struct tt_recorded_round *round,
		       double x, double y)
{
	const struct tt_topology *topology = picture->loaded->topology;
	struct tt_svg_font font = {.size = 12, .bold = 1};
	char load[TT_FRACTION_TEXT];

	tt_fraction_text(round->load, load);
	if (round->count > 1)
		tt_svg_text(picture->out, x + 8, y + 16, font,
			    "rounds %" PRId64 "-%" PRId64 ": load %s each", round->first + 1,
			    round->first + round->count, load);
	else
		tt_svg_text(picture->out, x + 8, y + 16, font, "round %" PRId64 ": load %s",
			    round->first + 1, load);
	y += TITLE;
	for (int64_t i = 0; i < topology->nlinks; i++)
		draw_link(picture, round, i, x, y);
	for (int32_t v = 0; v < topology->nvertices; v++)
		draw_vertex(picture, v, x, y);
}

static void draw(const struct picture *picture)
{
	const struct tt_loaded *loaded = picture->loaded;
	int64_t panels =
		loaded->recording->nrounds < MOST_PANELS ? loaded->recording->nrounds : MOST_PANELS;
	int64_t across = panels < ACROSS ? panels : ACROSS,
		down = across ? (panels + across - 1) / across : 0;
	double width = fmax(LEAST_WIDTH, (double)across * (picture->width + GAP) + GAP);
	double height = TOP + (double)down * (picture->height + TITLE + GAP) + BOTTOM;
	struct tt_svg_font small = {.size = 11, .fill = "#333"};
	char volume[TT_FRACTION_TEXT], unit[TT_UNITS_TEXT];

	tt_svg_begin(picture->out, width, height, "what the rounds put on the links");
	tt_svg_text(picture->out, GAP, 24, (struct tt_svg_font){.size = 16, .bold = 1},
		    "%s by %s on %s", tt_collective_name(loaded->schedule->collective),
		    loaded->schedule->name, loaded->topology->name);
	tt_svg_text(
		picture->out, GAP, 42, small,
		"blocks on each link; load: the most on a link per %s; summed over the rounds: %s",
		tt_short_rate((double)loaded->topology->unit, 6, unit),
		tt_fraction_text(loaded->volume, volume));
	for (int64_t i = 0; i < panels; i++)
		draw_panel(picture, &loaded->recording->rounds[i],
			   GAP + (double)(i % across) * (picture->width + GAP),
			   TOP + (double)(i / across) * (picture->height + TITLE + GAP));
	if (panels < loaded->recording->nrounds)
		tt_svg_text(picture->out, GAP, height - 30, small,
			    "and %" PRId64 " more pictures, up to round %" PRId64,
			    loaded->recording->nrounds - panels, loaded->schedule->rounds);
	if (loaded->command)
		tt_svg_text(picture->out, GAP, height - 12,
			    (struct tt_svg_font){.size = 10, .fill = "#333"}, "%s",
			    loaded->command);
	tt_svg_end(picture->out);
}

static void find_most(struct picture *picture)
{
	const struct tt_recording *recording = picture->loaded->recording;

	for (int64_t i = 0; i < recording->nrounds; i++)
		for (int64_t link = 0; link < picture->loaded->topology->nlinks; link++)
			picture->most = fmax(picture->most,
					     blocks_of(picture, &recording->rounds[i], link));
}

totum_status tt_draw_loads_svg(const struct tt_loaded *loaded, FILE *out)
{
	const struct tt_topology *topology = loaded->topology;
	struct picture picture = {.loaded = loaded, .out = out};

	if (topology->nvertices > MOST_VERTICES || topology->nlinks > MOST_LINKS)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "%s has %lld vertices and %lld links, too many for a picture of "
			       "their loads (%d, %d)",
			       topology->name, (long long)topology->nvertices,
			       (long long)topology->nlinks, MOST_VERTICES, MOST_LINKS);
	picture.places = calloc((size_t)topology->nvertices, sizeof(*picture.places));
	if (!picture.places)
		return tt_fail_memory((size_t)topology->nvertices * sizeof(*picture.places),
				      "a picture");
	totum_status status = tt_place(topology, picture.places, &picture.width, &picture.height);
	double scale = picture.width > PANEL ? PANEL / picture.width : 1;

	for (int64_t v = 0; v < topology->nvertices; v++) {
		picture.places[v].x *= scale;
		picture.places[v].y *= scale;
	}
	picture.width *= scale;
	picture.height *= scale;
	find_most(&picture);
	if (!status)
		draw(&picture);
	free(picture.places);
	return status;
}
