/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay.h - who has what after each round, in order of arrival: what the pictures of a schedule
 * show.
 *
 * A picture's replay, not a proof: it believes the schedule.  At most TT_REPLAY_RANKS ranks,
 * because sums are sets of ranks in 64 bits, and because nobody reads a wider table.
 */
#ifndef TT_REPLAY_H
#define TT_REPLAY_H

#include "schedule/ir.h"

enum { TT_REPLAY_RANKS = 64 };

struct tt_replay;

/*
 * The state before the first round. TOTUM_EUNSUPPORTED for more ranks or more pieces than a picture
 * has.
 */
totum_status tt_replay_new(const struct tt_schedule *schedule, struct tt_replay **out);
void tt_replay_free(struct tt_replay *replay); /* NULL is legal */
/* Carries out the next round. */
totum_status tt_replay_round(struct tt_replay *replay);

/* How many blocks a rank has to show, and the i-th of them in order of arrival. */
int64_t tt_replay_count(const struct tt_replay *replay, int64_t rank);
int64_t tt_replay_block(const struct tt_replay *replay, int64_t rank, int64_t i);
/*
 * Is there something to show of this piece?  Not when it is not here, or (where contributions are
 * added) when it is only the rank's own, or has been sent on.  *ranks gets the ranks whose
 * contributions it is the sum of, as bits; of collectives that add nothing just 1.  0 is rubbish,
 * which a wrong schedule sends.
 */
bool tt_replay_piece(const struct tt_replay *replay, int64_t rank, int64_t block, int64_t piece,
		     uint64_t *ranks);
/* What tt_replay_piece has for a piece that is complete. */
uint64_t tt_replay_complete(const struct tt_replay *replay);

#endif
