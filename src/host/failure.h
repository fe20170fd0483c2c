/* SPDX-License-Identifier: BSD-3-Clause */
/* failure.h - what those who wait for something other than a beat need to say what has failed. */
#ifndef TT_FAILURE_H
#define TT_FAILURE_H

#include "host/host.h"

enum { TT_ABSENT = 160 /* bytes for one rank's line in a list of those who are absent */ };

/* tt_host_failed for what is no call, like a message: `what` stands for the call's number. */
totum_status tt_host_failed_in(const struct tt_host *host, const char *what);
/*
 * The failure that two ranks of the communicator, this one and another, have made other calls; what
 * is added to their descriptions, like " after another number of calls", or "".
 */
totum_status tt_host_differ(struct tt_host *host, int rank, const struct tt_fingerprint *mine,
			    int peer, const struct tt_fingerprint *theirs, const char *what);
/*
 * "2 (in call 4, process 77 is stopped, waits for rank 0)": a rank, where it is, and whom it waits
 * for in turn.  Returns out.
 */
const char *tt_host_describe(const struct tt_host *host, int peer, char out[static TT_ABSENT]);

#endif
