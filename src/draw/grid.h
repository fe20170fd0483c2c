/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid.h - a table of text: cells written one after the other, printed in aligned columns.
 *
 * Every row has the same number of cells; the first row is the header.  Text is ASCII without line
 * ends.
 */
#ifndef TT_GRID_H
#define TT_GRID_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

enum tt_grid_style {
	TT_GRID_PLAIN,   /* columns two blanks apart */
	TT_GRID_RULED,   /* columns apart by " | " */
	TT_GRID_MARKDOWN /* a table of a Markdown page */
};

struct tt_grid;

/* columns >= 1; the caller frees it. */
totum_status tt_grid_new(int columns, struct tt_grid **out);
void tt_grid_free(struct tt_grid *grid); /* NULL is legal */
/* Columns are flush left unless told. */
void tt_grid_right(struct tt_grid *grid, int column);
/*
 * Begins the next cell, row by row: what is printed to the stream until the next call is its text.
 */
FILE *tt_grid_cell(struct tt_grid *grid);
/* The stream of the cell that was begun last, to write on. */
FILE *tt_grid_more(struct tt_grid *grid);
/* The columns of text that the widest row takes. */
size_t tt_grid_width(struct tt_grid *grid, enum tt_grid_style style);
/* Prints all rows; the last one must be complete. TOTUM_EMEMORY when a cell could not be kept. */
totum_status tt_grid_print(struct tt_grid *grid, enum tt_grid_style style, FILE *out);

#endif
