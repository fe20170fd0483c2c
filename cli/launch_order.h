/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_order.h - the frames JOB and PLACE, by which a hub tells an agent what to start. */
#ifndef LAUNCH_ORDER_H
#define LAUNCH_ORDER_H

#include "launch_hosts.h"
#include "launch_parts.h"
#include "launch_wire.h"

#include <limits.h>

/* As an agent has it. */
struct launch_order {
	struct launch_job job;
	struct launch_options options; /* of the job */
	char host[256], directory[PATH_MAX];
	double silence; /* seconds after which the hub is taken for lost */
	bool shares;
};

/* Is it one of the variables that tell a rank who it is?  "VAR" or "VAR=VALUE". */
bool launch_order_own(const char *entry);

void launch_order_put(struct wire_bytes *out, const struct launch_job *job, const char *host);
/* False where the frame is none. */
bool launch_order_take(struct wire_frame *frame, struct launch_order *order);
/* Enters the directory and finds what is preloaded; false with a sentence. */
bool launch_order_prepare(struct launch_order *order, char *why, size_t size);

void launch_order_place(struct wire_bytes *out, const struct launch_job *job, int host);
bool launch_order_placed(struct wire_frame *frame, struct launch_order *order);

#endif
