/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topology_svg - a topology as a picture.
 *
 * Ranks are circles, switches boxes.  A line is a cable, an arrow a link of one direction;
 * the wider the line, the greater the capacity.  The links that set the bound are dashed
 * and black, the others grey.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/place.h"
#include "draw/svg.h"
#include "draw/topology.h"
#include "topology/measure.h"

enum {
	RADIUS = 15,
	CAPACITIES = 5,
	CURVE = 12,
	LINE = 18,
	MOST_VERTICES = 1024,
	MOST_LINKS = 20000,
	LEAST_WIDTH = 560
};

struct picture {
	const struct tt_pictured *pictured;
	struct tt_place *places;
	int64_t capacities[CAPACITIES]; /* distinct, the least first; others share the last width */
	int ncapacities;
	FILE *out;
};

static void collect_capacities(struct picture *picture)
{
	const struct tt_topology *topology = picture->pictured->topology;

	for (int64_t i = 0; i < topology->nlinks; i++) {
		int64_t capacity = topology->links[i].wire.capacity;
		int at = 0;

		while (at < picture->ncapacities && picture->capacities[at] < capacity)
			at++;
		if ((at < picture->ncapacities && picture->capacities[at] == capacity) ||
		    picture->ncapacities == CAPACITIES)
			continue;
		memmove(picture->capacities + at + 1, picture->capacities + at,
			(size_t)(picture->ncapacities - at) * sizeof *picture->capacities);
		picture->capacities[at] = capacity;
		picture->ncapacities++;
	}
}

static double width_of(const struct picture *picture, int64_t capacity)
{
	int at = 0;

	while (at + 1 < picture->ncapacities && picture->capacities[at] < capacity)
		at++;
	return 1.2 + 1.3 * at;
}

static struct tt_svg_style style_of(const struct picture *picture, int64_t capacity,
				    bool bottleneck)
{
	return (struct tt_svg_style){.fill = "none",
				     .stroke = bottleneck ? "black" : "#999",
				     .width = width_of(picture, capacity) + (bottleneck ? 0.6 : 0),
				     .dash = bottleneck ? "7 4" : NULL};
}

/* Does the straight line pass over another vertex? */
static bool hidden(const struct picture *picture, const struct tt_link *link)
{
	const struct tt_topology *topology = picture->pictured->topology;
	struct tt_place a = picture->places[link->from], b = picture->places[link->to];
	double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);

	for (int32_t v = 0; v < topology->nvertices; v++) {
		double along =
			((picture->places[v].x - a.x) * dx + (picture->places[v].y - a.y) * dy) /
			length;
		double aside =
			((picture->places[v].x - a.x) * dy - (picture->places[v].y - a.y) * dx) /
			length;

		if (v != link->from && v != link->to && fabs(aside) < RADIUS && along > 0 &&
		    along < length)
			return true;
	}
	return false;
}

static void draw_bent(const struct picture *picture, const struct tt_link *link,
		      struct tt_svg_style style)
{
	struct tt_place a = picture->places[link->from], b = picture->places[link->to];
	double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
	double bend = fmin(26 + length * 0.06, 70);
	/* Up or to the left, whichever way the link is given. */
	double side = dx > 0 || (dx == 0 && dy < 0) ? 1 : -1;

	tt_svg_path_begin(picture->out, style);
	for (int i = 0; i <= CURVE; i++) {
		double t = (double)i / CURVE, out = side * bend * 4 * t * (1 - t);

		tt_svg_path_point(picture->out, a.x + dx * t + dy / length * out,
				  a.y + dy * t - dx / length * out);
	}
	tt_svg_path_end(picture->out);
}

static bool crosses(const struct picture *picture, const struct tt_link *link)
{
	const uint8_t *witness = picture->pictured->limits.bound->witness;

	return link && witness && witness[link->from] && !witness[link->to];
}

static void draw_link(const struct picture *picture, const struct tt_link *link, bool bottlenecks)
{
	const struct tt_link *back = tt_topology_back(picture->pictured->topology, link);
	bool cable = back && back->wire.capacity == link->wire.capacity;
	bool bottleneck = crosses(picture, link) || (cable && crosses(picture, back));
	struct tt_place a = picture->places[link->from], b = picture->places[link->to];
	struct tt_svg_style style = style_of(picture, link->wire.capacity, bottleneck);

	if ((cable && link->to < link->from) || bottleneck != bottlenecks)
		return;
	if (cable && hidden(picture, link)) {
		draw_bent(picture, link, style);
	} else if (cable) {
		tt_svg_line(picture->out, a.x, a.y, b.x, b.y, style);
	} else {
		double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy),
		       cut = RADIUS / length;
		double aside = back ? 4 : 0; /* two directions that differ lie beside each other */

		tt_svg_arrow(picture->out, a.x + dx * cut - dy / length * aside,
			     a.y + dy * cut + dx / length * aside,
			     b.x - dx * cut - dy / length * aside,
			     b.y - dy * cut + dx / length * aside, style);
	}
}

static void draw_vertex(const struct picture *picture, int64_t v)
{
	const struct tt_vertex *vertex = &picture->pictured->topology->vertices[v];
	struct tt_svg_style style = {.fill = "white", .stroke = "black", .width = 1.2};
	double x = picture->places[v].x, y = picture->places[v].y;
	double wide = tt_svg_text_width(11, strlen(vertex->name)) + 10;

	if (vertex->rank >= 0 && wide <= 2 * RADIUS + 4)
		tt_svg_circle(picture->out, x, y, RADIUS, style);
	else
		tt_svg_rect(picture->out, x - wide / 2, y - RADIUS * 0.75, wide, RADIUS * 1.5,
			    style);
	tt_svg_text(picture->out, x, y + 4,
		    (struct tt_svg_font){.size = 11, .anchor = TT_SVG_MIDDLE}, "%s", vertex->name);
}

static void draw_legend(const struct picture *picture, double y)
{
	const struct tt_pictured *pictured = picture->pictured;
	char rate[TT_UNITS_TEXT];
	double x = 16;

	for (int i = 0; i < picture->ncapacities; i++, x += 120) {
		tt_svg_line(picture->out, x, y - 4, x + 30, y - 4,
			    style_of(picture, picture->capacities[i], false));
		tt_svg_text(picture->out, x + 36, y, (struct tt_svg_font){.size = 12}, "%s",
			    tt_write_capacity(picture->capacities[i], rate));
	}
	tt_svg_line(picture->out, 16, y - 4 + LINE, 46, y - 4 + LINE,
		    style_of(picture, picture->capacities[0], true));
	tt_svg_text(picture->out, 52, y + LINE, (struct tt_svg_font){.size = 12}, "%s",
		    pictured->limits.bound->sentence);
	if (pictured->command)
		tt_svg_text(picture->out, 16, y + 2 * LINE,
			    (struct tt_svg_font){.size = 11, .fill = "#555"}, "%s",
			    pictured->command);
}

static void draw(struct picture *picture, double width, double height)
{
	const struct tt_pictured *pictured = picture->pictured;
	const struct tt_topology *topology = pictured->topology;
	char fraction[TT_FRACTION_TEXT], rate[TT_UNITS_TEXT], title[256];
	double text = tt_svg_text_width(12, strlen(pictured->limits.bound->sentence)) + 70;
	double total = fmax(fmax(width, text), LEAST_WIDTH);

	snprintf(title, sizeof title, "%s: %lld ranks, %s lambda %s blocks per %s", topology->name,
		 (long long)topology->nranks, tt_collective_name(pictured->collective),
		 tt_fraction_text(pictured->limits.bound->lambda_unit, fraction),
		 tt_write_capacity(pictured->limits.bound->unit, rate));
	for (int64_t v = 0; v < topology->nvertices; v++) {
		picture->places[v].x += (total - width) / 2;
		picture->places[v].y += 2 * LINE + 10;
	}
	tt_svg_begin(picture->out, total, height + 6 * LINE + 16, title);
	tt_svg_text(picture->out, 16, 26, (struct tt_svg_font){.size = 14, .bold = 1}, "%s", title);
	for (int bottlenecks = 0; bottlenecks < 2; bottlenecks++)
		for (int64_t i = 0; i < topology->nlinks; i++)
			draw_link(picture, &topology->links[i], bottlenecks);
	for (int64_t v = 0; v < topology->nvertices; v++)
		draw_vertex(picture, v);
	draw_legend(picture, height + 3.5 * LINE);
	tt_svg_end(picture->out);
}

totum_status tt_draw_topology_svg(const struct tt_pictured *pictured, FILE *out)
{
	const struct tt_topology *topology = pictured->topology;
	struct picture picture = {.pictured = pictured, .out = out};
	double width, height;

	if (!topology || topology->nvertices > MOST_VERTICES || topology->nlinks > MOST_LINKS)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "%lld ranks with their links are too many for a picture; use fewer, "
			       "or DOT for Graphviz",
			       (long long)(topology ? topology->nranks : pictured->shape->nranks));
	picture.places = malloc((size_t)topology->nvertices * sizeof *picture.places);
	if (!picture.places)
		return tt_fail_memory((size_t)topology->nvertices * sizeof *picture.places,
				      "a picture");
	totum_status status = tt_place(topology, picture.places, &width, &height);
	if (!status) {
		collect_capacities(&picture);
		draw(&picture, width, height);
	}
	free(picture.places);
	return status;
}
