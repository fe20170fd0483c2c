/* SPDX-License-Identifier: BSD-3-Clause */
/* progress.h - a thread that goes on with comm's requests while its rank does something else. */
#ifndef TT_PROGRESS_H
#define TT_PROGRESS_H

#include "runtime/comm.h"

/* comm is entered and has no such thread yet; from now on enter and exit take the thread's lock. */
totum_status tt_progress_start(totum_comm *comm);
/* Ends the thread; comm is entered and left without a lock to give back. */
void tt_progress_stop(totum_comm *comm);

void tt_progress_lock(struct tt_progress *progress);
void tt_progress_unlock(struct tt_progress *progress);

#endif
