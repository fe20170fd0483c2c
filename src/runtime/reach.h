/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reach.h - the transport of a communicator over several hosts: shared memory to the ranks of this
 * host, the network to all others.
 */
#ifndef TT_REACH_H
#define TT_REACH_H

#include "host/area.h"
#include "runtime/spread.h"

struct totum_comm;

extern const struct tt_transport tt_transport_reach;

/*
 * The communicator outlives the endpoint; its notices are open.  A failure of the network becomes
 * the communicator's, on this host; whoever returns it to the caller tells the others.
 */
struct tt_reach_context {
	struct totum_comm *comm;
	enum tt_lane lane; /* inside the host */
	enum tt_way way;   /* between hosts */
};

#endif
