/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells.c - finds where the records of a schedule cut a block.  O(records + pieces).
 */
#include "schedule/cells.h"

#include <stdlib.h>

totum_status tt_cells_make(const struct tt_schedule *schedule, struct tt_cells *out)
{
	size_t entries = (size_t)schedule->pieces + 1;
	int32_t *of_piece = calloc(entries, sizeof(*of_piece));
	int32_t *start = calloc(entries, sizeof(*start));

	if (!of_piece || !start) {
		free(of_piece);
		free(start);
		return tt_fail_memory(2 * entries * sizeof(*start), "the pieces of a block");
	}
	of_piece[schedule->pieces] = 1;
	for (int64_t i = 0; i < schedule->nrecords; i++) {
		const struct tt_record *record = &schedule->records[i];

		of_piece[record->piece] = 1;
		of_piece[record->piece + record->npieces] = 1;
	}
	/* Each mark opens a cell, and so does piece 0; the marks become numbers in the same pass.
	 */
	of_piece[0] = 0;
	for (int32_t piece = 1; piece <= schedule->pieces; piece++) {
		if (of_piece[piece])
			start[of_piece[piece - 1] + 1] = piece;
		of_piece[piece] += of_piece[piece - 1];
	}
	*out = (struct tt_cells){
		.count = of_piece[schedule->pieces], .of_piece = of_piece, .start = start};
	return TOTUM_OK;
}

void tt_cells_free(struct tt_cells *cells)
{
	free(cells->of_piece);
	free(cells->start);
	*cells = (struct tt_cells){0};
}
