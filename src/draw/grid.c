/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid - a table of text.
 *
 * All cells lie in one memory stream, each ended by a zero byte: writing a cell is printing, and
 * nothing has a length limit.  Widths are found when the table is printed.
 */
#include "draw/grid.h"

#include <stdlib.h>
#include <string.h>

struct tt_grid {
	int columns;
	bool *right;
	size_t *width;
	FILE *text;
	char *buffer;
	size_t size, cells;
};

static const char *const separators[] = {
	[TT_GRID_PLAIN] = "  ",
	[TT_GRID_RULED] = " | ",
	[TT_GRID_MARKDOWN] = " | ",
};

totum_status tt_grid_new(int columns, struct tt_grid **out)
{
	struct tt_grid *grid = calloc(1, sizeof(*grid));

	if (!grid)
		return tt_fail_memory(sizeof(*grid), "a table");
	grid->columns = columns;
	grid->right = calloc((size_t)columns, sizeof(*grid->right));
	grid->width = calloc((size_t)columns, sizeof(*grid->width));
	grid->text = open_memstream(&grid->buffer, &grid->size);
	if (!grid->right || !grid->width || !grid->text) {
		tt_grid_free(grid);
		return tt_fail_memory((size_t)columns * sizeof(*grid->width), "a table");
	}
	*out = grid;
	return TOTUM_OK;
}

void tt_grid_free(struct tt_grid *grid)
{
	if (!grid)
		return;
	if (grid->text)
		fclose(grid->text);
	free(grid->buffer);
	free(grid->right);
	free(grid->width);
	free(grid);
}

void tt_grid_right(struct tt_grid *grid, int column)
{
	grid->right[column] = true;
}

FILE *tt_grid_cell(struct tt_grid *grid)
{
	if (grid->cells++)
		fputc(0, grid->text);
	return grid->text;
}

/* The texts lie in the buffer one behind the other. */
static void measure(struct tt_grid *grid)
{
	const char *cell = grid->buffer;

	memset(grid->width, 0, (size_t)grid->columns * sizeof(*grid->width));
	for (size_t i = 0; i < grid->cells; i++, cell += strlen(cell) + 1) {
		size_t *width = &grid->width[i % (size_t)grid->columns];

		if (strlen(cell) > *width)
			*width = strlen(cell);
	}
}

FILE *tt_grid_more(struct tt_grid *grid)
{
	return grid->text;
}

size_t tt_grid_width(struct tt_grid *grid, enum tt_grid_style style)
{
	size_t total = style == TT_GRID_MARKDOWN ? 4 : 0;

	if (fflush(grid->text) || ferror(grid->text))
		return 0; /* printing will say so */
	measure(grid);
	for (int i = 0; i < grid->columns; i++)
		total += grid->width[i] + (i ? strlen(separators[style]) : 0);
	return total;
}

/* Blanks are printed when something follows them, so that no line ends with blanks. */
struct pen {
	FILE *out;
	size_t blanks;
};

static void print_blanks(struct pen *pen, size_t blanks)
{
	pen->blanks += blanks;
}

static void print_text(struct pen *pen, const char *text)
{
	size_t lead = strspn(text, " ");

	print_blanks(pen, lead);
	if (!text[lead])
		return;
	fprintf(pen->out, "%*s%s", (int)pen->blanks, "", text + lead);
	pen->blanks = 0;
}

static void print_cell(const struct tt_grid *grid, const char *cell, int column, struct pen *pen)
{
	size_t blanks = grid->width[column] - strlen(cell);

	print_blanks(pen, grid->right[column] ? blanks : 0);
	print_text(pen, cell);
	print_blanks(pen, grid->right[column] ? 0 : blanks);
}

static void print_rule(const struct tt_grid *grid, FILE *out)
{
	for (int i = 0; i < grid->columns; i++) {
		fputs(i ? " | " : "| ", out);
		for (size_t j = 1; j < grid->width[i] || j < 3; j++)
			fputc('-', out);
		fputc(grid->right[i] ? ':' : '-', out);
	}
	fputs(" |\n", out);
}

totum_status tt_grid_print(struct tt_grid *grid, enum tt_grid_style style, FILE *out)
{
	bool markdown = style == TT_GRID_MARKDOWN;

	if (fflush(grid->text) || ferror(grid->text))
		return tt_fail_memory(grid->size, "a table's text");
	const char *cell = grid->buffer;
	struct pen pen = {out, 0};

	measure(grid);
	for (size_t i = 0; i < grid->cells; i++, cell += strlen(cell) + 1) {
		int column = (int)(i % (size_t)grid->columns);

		print_text(&pen, column ? separators[style] : markdown ? "| " : "");
		print_cell(grid, cell, column, &pen);
		if (column < grid->columns - 1)
			continue;
		print_text(&pen, markdown ? " |" : "");
		pen.blanks = 0;
		fputc('\n', out);
		if (markdown && i + 1 == (size_t)grid->columns)
			print_rule(grid, out);
	}
	return TOTUM_OK;
}
