/* SPDX-License-Identifier: BSD-3-Clause */
/* spread_choice - the choice between hosts. */
#include "runtime/spread_choice.h"

#include <stdio.h>

#include "runtime/scheduled_parts.h"

void tt_spread_choose(const totum_comm *comm, const struct tt_work *work, char out[static TT_ALGO])
{
	const char *name = "ring";

	switch (tt_scheduled_collective(work)) {
	case TT_GATHER:
	case TT_SCATTER:
	case TT_ALLTOALL:
		name = "direct";
		break;
	case TT_BROADCAST:
	case TT_REDUCE:
		name = "binomial";
		break;
	default:
		if (tt_scheduled_bytes_of(comm, work) < 64 << 10)
			name = "bruck";
		break;
	}
	snprintf(out, TT_ALGO, "%s", name);
}
