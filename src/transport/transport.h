/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transport.h - the contract of whatever carries bytes between ranks.
 *
 * A transport knows peers and bytes, never schedules, collectives or dtypes.  What one rank sends
 * to another is a stream of bytes: it arrives whole and in the order in which the sends were
 * started, and the receiver knows every length beforehand.  Where the sender cuts the stream into
 * transfers is his own affair, and so it is the receiver's: one send may be taken by two receives,
 * in spans of other lengths.  Nothing is framed for the executor's sake.
 *
 * tests/transport/ holds every transport to this; a new one inherits the whole suite
 * by a file of a few lines.
 */
#ifndef TT_TRANSPORT_H
#define TT_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* A run of bytes in the caller's memory. */
struct tt_span {
	unsigned char *at;
	size_t bytes;
};

/*
 * One send or receive under way.  The caller owns it and its spans and keeps both where they are
 * until `done`, which progress sets once it needs neither any more (a send: the buffer may be
 * overwritten).  Those of one peer and one direction are done in the order in which they were
 * started.  No spans, and spans of no bytes, are legal: such a transfer is done when those before
 * it are, whatever the peer does.
 */
struct tt_transfer_state {
	const struct tt_span *spans;
	int nspans;
	int peer;  /* never the rank itself */
	bool idle; /* nobody waits for it: its peer may leave without failing the communicator */
	bool done;
	/* the transport's own: */
	int span;        /* the first span that is not finished */
	size_t in_span;  /* bytes of it that have moved */
	uint64_t begins; /* its place in the pair's stream */
	uint64_t left;   /* bytes that have not moved */
	struct tt_transfer_state *next;
};

struct tt_endpoint; /* a communicator's end of a transport; one thread at a time */

struct tt_transport {
	const char *name;
	/* Peers are 0..nranks-1 of the communicator; context is what this kind opens from. */
	totum_status (*open)(const void *context, struct tt_endpoint **out);
	/*
	 * Never waits.  What was sent, and is done, still reaches a peer that asks for it later.
	 * Transfers that are not done are forgotten.
	 */
	void (*close)(struct tt_endpoint *endpoint);
	/* Start a transfer; neither waits for anything. */
	totum_status (*send)(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer);
	totum_status (*receive)(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer);
	/* Moves what can be moved now; *moved says whether anything did, or became done. */
	totum_status (*progress)(struct tt_endpoint *endpoint, bool *moved);
	/*
	 * Called when nothing moved: pauses, yields or sleeps, at most some milliseconds.
	 * idle_since is the time (tt_clock_ns) of the last move.  Comes back as an error when the
	 * communicator has failed, when a peer that is waited for is gone and has left nothing to
	 * receive (TOTUM_ELOST, within 2 seconds), or when the deadline has passed since idle_since
	 * (TOTUM_ETIMEOUT); the sentence names the ranks that are waited for.
	 */
	totum_status (*wait)(struct tt_endpoint *endpoint, uint64_t idle_since);
	/* The look for failures that wait takes, alone: never waits. */
	totum_status (*check)(struct tt_endpoint *endpoint, uint64_t idle_since);
	/* Is there a transfer with the peer that is not done, and not idle? */
	bool (*waits)(const struct tt_endpoint *endpoint, int peer);
	/*
	 * Forgets all transfers, which stay as they are.  The communicator has failed: only close
	 * is called after this.
	 */
	void (*cancel)(struct tt_endpoint *endpoint);
};

#endif
