/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rest.h - how a rank waits when it has more than one thing to wait for: calls, messages, and other
 * communicators.
 */
#ifndef TT_REST_H
#define TT_REST_H

#include "runtime/comm.h"

/* All zero when the wait begins. */
struct tt_waiting {
	uint64_t since; /* nothing has moved, tt_clock_ns */
	uint64_t mark;  /* of the communicator then: tt_work_mark */
	uint64_t began; /* the first rest */
};

/* Nothing moves, whose mark this is: the wait begins, or begins anew if it has moved meanwhile. */
void tt_waiting_begin(struct tt_waiting *waiting, uint64_t mark, bool moved);
/* The wait is over: counts it for totum_stats, and makes it all zero. */
void tt_waiting_end(struct tt_waiting *waiting, totum_comm *comm);

/*
 * Called when nothing of comm moves: goes on with the other communicators of the rank, and when
 * nothing moves there either pauses, yields or sleeps, some milliseconds at most.  Looks for no
 * failure.
 */
void tt_rest(totum_comm *comm, struct tt_waiting *waiting);

#endif
