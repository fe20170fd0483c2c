/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transport.h - the contract of whatever carries bytes between ranks.
 *
 * A transport knows peers and bytes, never schedules, collectives or dtypes.  Transfers of one pair and direction
 * complete in the order in which they were started, and the receiver knows every length beforehand, so nothing is
 * framed for the executor's sake.  Nothing blocks but wait.
 */
#ifndef TT_TRANSPORT_H
#define TT_TRANSPORT_H

#include <stdbool.h>

#include "base/status.h"
#include "host/area.h"

struct tt_host;

/* A run of bytes in the caller's memory. */
struct tt_span {
	unsigned char *at;
	size_t bytes;
};

/*
 * One message under way.  The caller owns it and its spans and keeps both where they are until `done`, which the
 * transport sets once it needs neither any more (a send: the buffer may be overwritten).
 */
struct tt_transfer_state {
	const struct tt_span *spans;
	int nspans;
	int peer;
	bool idle; /* nobody waits for it: its peer may leave without failing the communicator */
	bool done;
	/* the transport's own: */
	int span;       /* the first span that is not finished */
	size_t in_span; /* bytes of it that have moved */
	struct tt_transfer_state *next;
};

struct tt_endpoint; /* a communicator's end of a transport; one thread at a time */

struct tt_transport {
	const char *name;
	/* peers 0..nranks-1 are those of the communicator; context is what its kind of transport opens from. */
	totum_status (*open)(void *context, struct tt_endpoint **out);
	void (*close)(struct tt_endpoint *endpoint);
	totum_status (*send)(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer);
	totum_status (*receive)(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer);
	/* Moves what can be moved now; *moved says whether anything did. */
	totum_status (*progress)(struct tt_endpoint *endpoint, bool *moved);
	/*
	 * Called when nothing moved: pauses, yields or sleeps, at most some milliseconds.  idle_since is the time (tt_clock_ns)
	 * of the last move; the failure of the communicator, the death of a peer that is waited for, and the deadline come
	 * back as an error.
	 */
	totum_status (*wait)(struct tt_endpoint *endpoint, uint64_t idle_since);
	/* Forgets all transfers, which stay as they are: the communicator has failed. */
	void (*cancel)(struct tt_endpoint *endpoint);
};

/* Byte rings in the shared memory of one host. */
extern const struct tt_transport tt_transport_memory;
struct tt_memory_context {
	struct tt_host *host;
	enum tt_lane lane;
};

#endif
