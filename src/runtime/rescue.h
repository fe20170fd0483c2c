/* SPDX-License-Identifier: BSD-3-Clause */
/* rescue.h - the survivors of a failed all-gather complete it from what has reached them. */
#ifndef TT_RESCUE_H
#define TT_RESCUE_H

#include "runtime/work.h"

/*
 * Collective over survivors, a communicator of ranks of broken, which has failed; both are entered.
 * call is the all-gather, prepared on broken, and stays the caller's.  back and here are those of
 * totum_allgather_rescue; here may be NULL.
 */
totum_status tt_rescue(totum_comm *broken, totum_comm *survivors, const struct tt_work *call,
		       int *back, unsigned char *here);

#endif
