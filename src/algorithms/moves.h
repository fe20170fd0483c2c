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
/*
 * A message under way: of the runs put one after the other, what continues the last record joins
 * it.  Start with the first four set; flush at the end.
 */
struct tt_message {
	struct tt_schedule *schedule;
	int64_t round, from, to;
	struct tt_record last; /* move.count 0: none */
};
void tt_message_put(struct tt_message *message, int64_t block, int64_t piece, int64_t npieces);
void tt_message_flush(struct tt_message *message);
/*
 * The least common multiple of a, b > 0, or more than `limit` when it is above: for numbers of
 * pieces, b <= TT_MAX_RANKS.
 */
int64_t tt_common_multiple(int64_t a, int64_t b, int64_t limit);
/* refuses: NULL, or why so many records are too many to list. */
const char *tt_too_many_records(int64_t records);

#endif
