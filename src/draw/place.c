/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * place - vertices in a picture: by coordinates, by rows, or on a circle.
 *
 * Rows: ranks are row 0, in order.  Switches with the fewest ranks come next, then those with more,
 * then those that only know switches; each stands above the middle of what it is linked with below.
 */
#include "draw/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* On the left and above there is room for lines that go round others. */
enum { STEP = 84, MARGIN = 40, BENT = 76, LEVEL = 110 };

static const double pi = 3.14159265358979323846;

static void place_circle(const struct tt_topology *topology, struct tt_place *places)
{
	double n = (double)topology->nvertices;
	double radius = n > 1 ? fmax(STEP, n * STEP / (2 * pi)) : 0;

	for (int64_t v = 0; v < topology->nvertices; v++) {
		double angle = 2 * pi * (double)v / n - pi / 2;

		places[v] = (struct tt_place){radius * cos(angle), radius * sin(angle)};
	}
}

/* The last dimension to the right, the one before it down, others obliquely behind. */
static void place_grid(const struct tt_topology *topology, struct tt_place *places)
{
	const struct tt_shape *shape = &topology->shape;

	for (int64_t v = 0; v < topology->nvertices; v++) {
		int64_t rest = v;
		double aside = 0, scale = 1;

		places[v] = (struct tt_place){0, 0};
		for (int i = 0; i < shape->ndims; i++) {
			double at = (double)(rest % shape->dims[shape->ndims - 1 - i]);

			rest /= shape->dims[shape->ndims - 1 - i];
			if (i == 0)
				places[v].x = at * STEP * 1.6;
			else if (i == 1)
				places[v].y = at * STEP * 1.3;
			else if (i == 2)
				aside += at * 0.55;
			else
				places[v].x += (scale *= 1.1) * at * STEP * 2.1 *
					       (double)shape->dims[shape->ndims - 1] * (i - 2);
		}
		places[v].x += aside * STEP;
		places[v].y -= aside * STEP * 0.7;
	}
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Where a vertex of a row would like to be: above the middle of what it is linked with below. */
struct wish {
	int32_t vertex;
	double x;
};

struct rows {
	const struct tt_topology *topology;
	struct tt_place *places;
	int32_t *row; /* of each vertex, -1: not yet */
	int32_t top;
	struct wish *wishes; /* room for all vertices */
};

/* How many ranks a switch is linked with. */
static int64_t ranks_of(const struct tt_topology *topology, int32_t v)
{
	int64_t ranks = 0;

	for (int32_t i = topology->first_out[v]; i < topology->first_out[v + 1]; i++)
		ranks += topology->vertices[topology->links[i].to].rank >= 0;
	return ranks;
}

/* Puts the switches with the same number of ranks in one row, the least first. */
static void rise_from_ranks(struct rows *rows)
{
	const struct tt_topology *topology = rows->topology;

	for (int64_t floor = 0;;) {
		int64_t next = INT64_MAX;

		for (int32_t v = 0; v < topology->nvertices; v++) {
			int64_t ranks = rows->row[v] < 0 ? ranks_of(topology, v) : 0;

			if (ranks > floor && ranks < next)
				next = ranks;
		}
		if (next == INT64_MAX)
			return;
		rows->top++;
		for (int32_t v = 0; v < topology->nvertices; v++)
			if (rows->row[v] < 0 && ranks_of(topology, v) == next)
				rows->row[v] = rows->top;
		floor = next;
	}
}

/* Puts what is linked with the top row above it, until nothing is left that can be reached. */
static void rise_from_switches(struct rows *rows)
{
	const struct tt_topology *topology = rows->topology;

	for (bool found = true; found; rows->top += found) {
		found = false;
		for (int64_t i = 0; i < topology->nlinks; i++) {
			const struct tt_link *link = &topology->links[i];

			if (rows->row[link->from] >= 0 && rows->row[link->from] <= rows->top &&
			    rows->row[link->to] < 0) {
				rows->row[link->to] = rows->top + 1;
				found = true;
			}
		}
	}
	for (int64_t v = 0; v < topology->nvertices; v++)
		if (rows->row[v] < 0)
			rows->row[v] = rows->top;
}

static int compare_wishes(const void *a, const void *b)
{
	const struct wish *x = a, *y = b;

	if (x->x != y->x)
		return x->x < y->x ? -1 : 1;
	return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

static double wish_of(const struct rows *rows, int32_t v, int32_t row)
{
	const struct tt_topology *topology = rows->topology;
	double sum = 0;
	int64_t count = 0;

	for (int32_t i = topology->first_out[v]; i < topology->first_out[v + 1]; i++)
		if (rows->row[topology->links[i].to] < row) {
			sum += rows->places[topology->links[i].to].x;
			count++;
		}
	return count ? sum / (double)count : 0;
}

/* In the order of their wishes, apart from each other, the row as a whole where it was wished. */
static void place_row(struct rows *rows, int32_t row)
{
	double last = -INFINITY, pushed = 0;
	int64_t n = 0;

	for (int32_t v = 0; v < rows->topology->nvertices; v++)
		if (rows->row[v] == row)
			rows->wishes[n++] = (struct wish){v, wish_of(rows, v, row)};
	qsort(rows->wishes, (size_t)n, sizeof *rows->wishes, compare_wishes);
	for (int64_t i = 0; i < n; i++) {
		double x = fmax(rows->wishes[i].x, last + STEP);

		pushed += x - rows->wishes[i].x;
		rows->places[rows->wishes[i].vertex].x = last = x;
	}
	for (int64_t i = 0; i < n; i++)
		rows->places[rows->wishes[i].vertex].x -= pushed / (double)n;
}

static totum_status place_rows(const struct tt_topology *topology, struct tt_place *places)
{
	struct rows rows = {.topology = topology, .places = places};
	size_t bytes = (size_t)topology->nvertices * sizeof *rows.row;

	rows.row = malloc(bytes);
	rows.wishes = malloc((size_t)topology->nvertices * sizeof *rows.wishes);
	if (!rows.row || !rows.wishes) {
		free(rows.row);
		free(rows.wishes);
		return tt_fail_memory(bytes, "a picture");
	}
	memset(rows.row, -1, bytes);
	for (int64_t r = 0; r < topology->nranks; r++) {
		rows.row[topology->rank_vertex[r]] = 0;
		places[topology->rank_vertex[r]].x = (double)r * STEP * 0.6;
	}
	rise_from_ranks(&rows);
	rise_from_switches(&rows);
	for (int32_t row = 1; row <= rows.top; row++)
		place_row(&rows, row);
	for (int64_t v = 0; v < topology->nvertices; v++)
		places[v].y = -LEVEL * (double)rows.row[v];
	free(rows.row);
	free(rows.wishes);
	return TOTUM_OK;
}

static void fit(const struct tt_topology *topology, struct tt_place *places, double *width,
		double *height)
{
	double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;

	for (int64_t v = 0; v < topology->nvertices; v++) {
		left = fmin(left, places[v].x);
		right = fmax(right, places[v].x);
		top = fmin(top, places[v].y);
		bottom = fmax(bottom, places[v].y);
	}
	for (int64_t v = 0; v < topology->nvertices; v++) {
		places[v].x += BENT - left;
		places[v].y += BENT - top;
	}
	*width = right - left + BENT + MARGIN;
	*height = bottom - top + BENT + MARGIN;
}

totum_status tt_place(const struct tt_topology *topology, struct tt_place *places, double *width,
		      double *height)
{
	totum_status status = TOTUM_OK;

	if (tt_shape_grid(&topology->shape) && topology->shape.kind != TT_SHAPE_RING)
		place_grid(topology, places);
	else if (topology->nvertices > topology->nranks)
		status = place_rows(topology, places);
	else
		place_circle(topology, places);
	if (!status)
		fit(topology, places, width, height);
	return status;
}
