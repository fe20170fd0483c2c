/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * others.h - the communicators of a rank that have requests or messages under way.
 *
 * A rank that waits in one of its communicators goes on with what is under way on the others, as it
 * may be just what the ranks that it waits for are waiting for.  A communicator that nobody is in
 * is entered for this, for a moment; who wants it in that moment waits.  One that has a progress
 * thread needs no help.
 */
#ifndef TT_OTHERS_H
#define TT_OTHERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "totum.h"

/* Of all communicators of a rank in a job. */
struct tt_others {
	pthread_mutex_t lock;      /* of the list */
	totum_comm *first, **last; /* a queue: each in turn is helped */
	_Atomic uint32_t count;    /* of the list: relaxed, a rank looks for what it began itself */
	FILE *trace;               /* the rank's, under the job's lock; NULL: none */
};

void tt_others_open(struct tt_others *others);
void tt_others_close(struct tt_others *others);

/* comm is entered: takes it into the list, or out of it, as it has something under way or not. */
void tt_others_update(totum_comm *comm);
/* comm is entered, and about to be closed. */
void tt_others_forget(totum_comm *comm);
/* Have communicators other than comm, which is entered, something under way? */
bool tt_others_wait(const totum_comm *comm);
/* Goes on with all of them as far as that needs no waiting; true when something has moved. */
bool tt_others_go(totum_comm *comm);

#endif
