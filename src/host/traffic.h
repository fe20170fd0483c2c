/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.h - the payload of a direct task, counted from its sizes. */
#ifndef TT_TRAFFIC_H
#define TT_TRAFFIC_H

#include "host/task.h"

struct tt_traffic {
	/* bytes that peers take from this rank, and that this rank takes from peers */
	uint64_t sent, received;
};

/* Of a whole run of the task on this rank; a window's gather moves nothing between ranks. */
struct tt_traffic tt_task_traffic(const struct tt_host *host, const struct tt_task *task);

#endif
