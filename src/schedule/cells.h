/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cells.h - the pieces of a block, joined where no record ever parts them.
 *
 * Who tracks what has happened to a part of a block needs one state per cell, not one per piece: a
 * schedule in 1024 pieces whose records all move whole blocks has one cell.
 */
#ifndef TT_CELLS_H
#define TT_CELLS_H

#include "schedule/ir.h"

struct tt_cells {
	int64_t count;
	int32_t *of_piece; /* [pieces + 1]: the cell of each piece; of `pieces` it is count */
	int32_t *start;    /* [count + 1]: the first piece of each cell; of `count` it is pieces */
};

totum_status tt_cells_make(const struct tt_schedule *schedule, struct tt_cells *out);
void tt_cells_free(struct tt_cells *cells);

#endif
