/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.h - how blocks, pieces and sums are written.
 *
 *   A  B  ..     blocks 0, 1, .. of up to 26 ranks; numbers beyond
 *   Ea  Ec-f     piece 0 of block E; its pieces 2 to 5; of more than 26 pieces: E.2-5
 *   A{0-2+5}     block A, added up over ranks 0, 1, 2 and 5 so far; A alone is complete
 *   AC, 0>2      all-to-all: the block that rank 0 has for rank 2
 */
#ifndef TT_NAMES_H
#define TT_NAMES_H

#include <stdio.h>

#include "schedule/ir.h"

void tt_name_block(const struct tt_schedule *schedule, int64_t block, FILE *out);
/* Pieces [piece, piece + npieces) of the block; all of them: the block's name alone. */
void tt_name_pieces(const struct tt_schedule *schedule, int64_t block, int64_t piece,
		    int64_t npieces, FILE *out);
/* "{0-2+5}" for the ranks whose bits are set. */
void tt_name_sum(uint64_t ranks, FILE *out);
/*
 * The blocks of a transfer, "A,D,Ca"; a run of more than `most` of them is cut with "..".
 */
void tt_name_transfer(const struct tt_schedule *schedule, const struct tt_transfer *transfer,
		      int64_t most, FILE *out);

#endif
