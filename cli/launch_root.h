/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_root.h - where the ranks of several hosts meet: an address of rank 0's host that the
 * others have reached, and a port of it.
 *
 *	FIND    port (0: any), nonce             to the agent of rank 0
 *	OFFER   port, port of the probes, number of addresses, and these
 *	PROBE   port of the probes, nonce, an    to all other agents
 *	        address
 *	PROBED  1 where it was reached, else 0
 */
#ifndef LAUNCH_ROOT_H
#define LAUNCH_ROOT_H

#include "launch_wire.h"

enum { LAUNCH_ADDRESSES = 16, LAUNCH_ADDRESS = 64, LAUNCH_NONCE = 32 };

/*
 * A socket bound to a port of all addresses, old and new, which listens or just holds it; -1 with
 * errno.  *port 0 becomes one that is free.
 */
int launch_root_bind(int *port, bool listens);

/* On rank 0's host; descriptors are -1 where there are none. */
struct launch_root {
	int held;     /* bound to the port, until the job has ended */
	int listener; /* for probes */
	char nonce[LAUNCH_NONCE + 1];
};

/* Does what a FIND says and answers with an OFFER or a FAULT. */
void launch_root_find(struct launch_root *root, struct wire_frame *find, struct wire_bytes *out);
/* Tells the nonce to a probe that waits at the listener. */
void launch_root_greet(const struct launch_root *root);
/* Tries the address of a PROBE, for two seconds at most, and answers with PROBED. */
void launch_root_probe(struct wire_frame *probe, struct wire_bytes *out);

struct launch_offer {
	int port, probe_port, n;
	char addresses[LAUNCH_ADDRESSES][LAUNCH_ADDRESS];
};
void launch_root_read(struct wire_frame *frame, struct launch_offer *out);
/* "tcp://10.0.0.1:4711", "tcp://[fd00::1]:4711" */
void launch_root_text(const char *address, int port, char *out, size_t size);

#endif
