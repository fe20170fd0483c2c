/* SPDX-License-Identifier: BSD-3-Clause */
/* moves.h - schedules without symmetry: sets of blocks and parts of a buffer as explicit moves. */
#ifndef TT_MOVES_H
#define TT_MOVES_H

#include "schedule/ir.h"

/* Moves blocks[0..count-1], in this order, as few runs of equal stride; pieces as given. */
void tt_move_blocks(struct tt_schedule *schedule, int64_t round, int64_t from, int64_t to,
		    const int64_t *blocks, int64_t count, int32_t piece, int32_t npieces);
/*
 * The buffer of nranks blocks cut in `parts` exactly equal parts: into how many pieces that cuts a
 * block, and the move of one part, which may begin and end within a block.  schedule->pieces must
 * be tt_part_pieces.
 */
int tt_part_pieces(int64_t nranks, int64_t parts);
void tt_move_part(struct tt_schedule *schedule, int64_t round, int64_t from, int64_t to,
		  int64_t part, int64_t parts);
/* refuses: NULL, or why so many records are too many to list. */
const char *tt_too_many_records(int64_t records);

#endif
