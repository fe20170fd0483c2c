/* SPDX-License-Identifier: BSD-3-Clause */
/* spread_choice.h - which algorithm carries a work between hosts when none has been forced. */
#ifndef TT_SPREAD_CHOICE_H
#define TT_SPREAD_CHOICE_H

#include "runtime/work.h"

/* A function of what all ranks know alike: the hosts, the call, the job's costs of links. */
totum_status tt_spread_choose(const totum_comm *comm, const struct tt_work *work,
			      char out[static TT_ALGO]);

#endif
