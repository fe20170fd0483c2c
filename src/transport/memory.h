/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.h - the transport of the ranks of one host: byte rings in their shared memory. */
#ifndef TT_MEMORY_H
#define TT_MEMORY_H

#include "host/area.h"
#include "transport/transport.h"

struct tt_host;

extern const struct tt_transport tt_transport_memory;

/* The host and the places outlive the endpoint. */
struct tt_memory_context {
	struct tt_host *host;
	enum tt_lane lane;
	/* of each rank of a communicator among those on this host; NULL: they are all here */
	const int *places;
};

#endif
