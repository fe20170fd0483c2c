/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * draw.h - schedules for the eye: the step table, the list of moves, the records in words.
 *
 * Everything is written to a stream of the caller's; a failing stream is the caller's to notice.
 */
#ifndef TT_DRAW_H
#define TT_DRAW_H

#include <stdio.h>

#include "schedule/ir.h"

/* More moves than this are not listed one by one. */
enum { TT_DRAW_MOVES = 1000000 };

/*
 * One row a round, one column a rank, the blocks that it has then in order of arrival (replay.h);
 * width: columns of text to stay within, 0 for no limit.  What does not fit is written shorter:
 * first runs of blocks as "A-D", then only what arrives in each round; TOTUM_EUNSUPPORTED, with
 * nothing written, when no form fits or the ranks are too many for a picture.
 */
totum_status tt_draw_steps(const struct tt_schedule *schedule, size_t width, FILE *out);
/*
 * The same schedule in words, one line for each record or bunch of moves: for any number of ranks.
 */
totum_status tt_draw_records(const struct tt_schedule *schedule, FILE *out);
/* TOTUM_EUNSUPPORTED with a sentence when there are more than TT_DRAW_MOVES moves. */
totum_status tt_draw_listable(const struct tt_schedule *schedule);
/* Every move of every round, "0>1:A", when they are listable. */
totum_status tt_draw_moves(const struct tt_schedule *schedule, size_t width, FILE *out);

#endif
