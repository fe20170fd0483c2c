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
};

/*
 * Called when nothing of comm moves: goes on with the other communicators of the rank, and when
 * nothing moves there either pauses, yields or sleeps, some milliseconds at most.  Looks for no
 * failure.
 */
void tt_rest(totum_comm *comm, struct tt_waiting *waiting);

#endif
