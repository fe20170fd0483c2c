/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wires - a topology in letters.
 *
 *     grid                        tree                             anything else
 *     -- r0 -- r1 -- r2 --        core                             r0: 50GB/s r1 r4, 25GB/s r[2-3]
 *        |     |     |            |- 1250MB/s host0                r1: 50GB/s r0 r3, 25GB/s r2 r5
 *     -- r3 -- r4 -- r5 --        |  `- 10GB/s r[0-3]              ..
 *                                 `- 1250MB/s host1
 *     (ends that stick out           `- 10GB/s r[4-7]
 *     meet at the other side)
 */
#include <stdlib.h>
#include <string.h>

#include "draw/topology.h"
#include "topology/measure.h"
#include "topology/pattern.h"

/* More lines than this are no picture. */
enum { MOST_LINES = 200, MOST_DEPTH = 32 };

/* --- grids of one or two dimensions ---------------------------------------------------------- */

static void write_row(const struct tt_topology *topology, int64_t row, int64_t columns, int cell,
		      bool wraps, FILE *out)
{
	fputs(wraps ? "-- " : "   ", out);
	for (int64_t c = 0; c < columns; c++) {
		bool last = c + 1 == columns;

		fprintf(out, "%-*s", last && !wraps ? 0 : cell,
			topology->vertices[row * columns + c].name);
		fputs(last ? wraps ? " --" : "" : " -- ", out);
	}
	fputc('\n', out);
}

static void write_bars(int64_t columns, int cell, FILE *out)
{
	for (int64_t c = 0; c < columns; c++)
		fprintf(out, "%*s|", c ? cell + 3 : 3, "");
	fputc('\n', out);
}

/* Does the picture fit?  Draws it then. */
static bool draw_grid(const struct tt_topology *topology, int width, FILE *out)
{
	const struct tt_shape *shape = &topology->shape;
	bool wraps = shape->kind == TT_SHAPE_RING || shape->kind == TT_SHAPE_TORUS;

	if (!tt_shape_grid(shape) || shape->ndims > 2)
		return false;
	int64_t columns = shape->dims[shape->ndims - 1], rows = topology->nranks / columns;
	int cell = (int)strlen(topology->vertices[topology->nranks - 1].name);
	if (rows > MOST_LINES / 2 || (width && columns * (cell + 4) + 3 > width) || columns > 1000)
		return false;
	for (int64_t row = 0; row < rows; row++) {
		if (row ? rows > 1 : wraps && rows > 2)
			write_bars(columns, cell, out);
		write_row(topology, row, columns, cell, wraps && columns > 2, out);
	}
	if (wraps && rows > 2)
		write_bars(columns, cell, out);
	return true;
}

/* --- trees ----------------------------------------------------------------------------------- */

struct tree {
	const struct tt_topology *topology;
	FILE *out;
	int lines;
	char margin[3 * MOST_DEPTH + 4];
};

/* The vertex that is left when outer ones are taken away again and again, -1: there is a cycle. */
static int32_t find_centre(const struct tt_topology *topology)
{
	size_t n = (size_t)topology->nvertices;
	int32_t *degree = malloc(n * sizeof *degree), *queue = malloc(n * sizeof *queue);
	int64_t head = 0, tail = 0;
	int32_t centre = -1;

	for (int32_t v = 0; degree && queue && v < topology->nvertices; v++) {
		degree[v] = topology->first_out[v + 1] - topology->first_out[v];
		if (degree[v] <= 1)
			queue[tail++] = v;
	}
	while (degree && queue && head < tail) {
		int32_t v = queue[head++];

		centre = v;
		for (int32_t i = topology->first_out[v]; i < topology->first_out[v + 1]; i++)
			if (--degree[topology->links[i].to] == 1)
				queue[tail++] = topology->links[i].to;
	}
	if (tail < topology->nvertices)
		centre = -1;
	free(degree);
	free(queue);
	return centre;
}

/* Every link has its way back, and there are two for each vertex but one. */
static bool is_tree(const struct tt_topology *topology)
{
	if (topology->nlinks != 2 * (topology->nvertices - 1) || topology->nvertices < 2)
		return false;
	for (int64_t v = 0; v < topology->nvertices; v++)
		if (topology->first_out[v + 1] - topology->first_out[v] !=
		    topology->first_in[v + 1] - topology->first_in[v])
			return false;
	return true;
}

static bool is_leaf(const struct tt_topology *topology, int32_t v)
{
	return topology->first_out[v + 1] - topology->first_out[v] == 1;
}

static void draw_below(struct tree *tree, int32_t at, int32_t parent, size_t depth)
{
	const struct tt_topology *topology = tree->topology;
	const struct tt_vertex *vertices = topology->vertices;
	int32_t end = topology->first_out[at + 1];
	char rate[TT_UNITS_TEXT];

	for (int32_t i = topology->first_out[at], next; i < end; i = next) {
		const struct tt_link *link = &topology->links[i];

		next = i + 1;
		if (link->to == parent)
			continue;
		/* Leaves whose names go on are one line. */
		while (next < end && is_leaf(topology, link->to) &&
		       is_leaf(topology, topology->links[next].to) &&
		       topology->links[next].wire.capacity == link->wire.capacity &&
		       tt_pattern_follows(vertices[topology->links[next - 1].to].name,
					  vertices[topology->links[next].to].name))
			next++;
		bool last = next == end || (next + 1 == end && topology->links[next].to == parent);
		if (++tree->lines > MOST_LINES)
			return;
		fprintf(tree->out, "%.*s%s %s ", (int)(3 * depth), tree->margin, last ? "`-" : "|-",
			tt_write_capacity(link->wire.capacity, rate));
		tt_pattern_write(vertices[link->to].name, next - i, tree->out);
		fputc('\n', tree->out);
		if (next - i > 1 || depth + 1 >= MOST_DEPTH)
			continue;
		memcpy(tree->margin + 3 * depth, last ? "   " : "|  ", 3);
		draw_below(tree, link->to, at, depth + 1);
	}
}

static bool draw_tree(const struct tt_topology *topology, FILE *out)
{
	struct tree tree = {.topology = topology, .out = out};
	int32_t centre = is_tree(topology) ? find_centre(topology) : -1;

	if (centre < 0)
		return false;
	fprintf(out, "%s\n", topology->vertices[centre].name);
	draw_below(&tree, centre, -1, 0);
	if (tree.lines > MOST_LINES)
		fputs("..\n", out);
	return true;
}

/* --- lists ----------------------------------------------------------------------------------- */

static void write_neighbours(const struct tt_topology *topology, int32_t at, FILE *out)
{
	const struct tt_vertex *vertices = topology->vertices;
	int32_t end = topology->first_out[at + 1];
	int64_t capacity = 0;
	char rate[TT_UNITS_TEXT];

	for (int32_t i = topology->first_out[at], next; i < end; i = next) {
		const struct tt_link *links = topology->links;

		next = i + 1;
		while (next < end && links[next].wire.capacity == links[i].wire.capacity &&
		       tt_pattern_follows(vertices[links[next - 1].to].name,
					  vertices[links[next].to].name))
			next++;
		if (links[i].wire.capacity != capacity) {
			capacity = links[i].wire.capacity;
			fprintf(out, "%s%s", i > topology->first_out[at] ? ", " : "",
				tt_write_capacity(capacity, rate));
		}
		fputc(' ', out);
		tt_pattern_write(vertices[links[i].to].name, next - i, out);
	}
}

/* Are the two linked alike, and would one line say both? */
static bool twins(const struct tt_topology *topology, int32_t a, int32_t b)
{
	int32_t degree = topology->first_out[a + 1] - topology->first_out[a];

	if (!tt_pattern_follows(topology->vertices[a].name, topology->vertices[b].name) ||
	    topology->first_out[b + 1] - topology->first_out[b] != degree)
		return false;
	for (int32_t i = 0; i < degree; i++) {
		const struct tt_link *x = &topology->links[topology->first_out[a] + i];
		const struct tt_link *y = &topology->links[topology->first_out[b] + i];

		if (x->to != y->to || x->wire.capacity != y->wire.capacity)
			return false;
	}
	return true;
}

static void draw_list(const struct tt_topology *topology, FILE *out)
{
	int lines = 0;

	for (int32_t v = 0, next; v < topology->nvertices; v = next) {
		next = v + 1;
		while (next < topology->nvertices && twins(topology, next - 1, next))
			next++;
		if (lines++ == MOST_LINES) {
			fprintf(out, "and %lld more\n", (long long)topology->nvertices - v);
			return;
		}
		tt_pattern_write(topology->vertices[v].name, next - v, out);
		if (topology->first_out[v + 1] > topology->first_out[v])
			fputs(": ", out);
		write_neighbours(topology, v, out);
		fputc('\n', out);
	}
}

totum_status tt_draw_wires(const struct tt_topology *topology, int width, FILE *out)
{
	if (!draw_grid(topology, width, out) && !draw_tree(topology, out))
		draw_list(topology, out);
	return TOTUM_OK;
}
