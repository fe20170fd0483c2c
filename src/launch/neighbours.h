/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * neighbours.h - which ranks of a job are on one host: by proof, never by a launcher's word.
 *
 * Ranks on one host are those that reach each other by a local socket, over which they can hand
 * each other descriptors and so share memory.  What they believe of themselves (machine, network
 * namespace, user) only says where to try.
 */
#ifndef TT_NEIGHBOURS_H
#define TT_NEIGHBOURS_H

#include "launch/exchange.h"

struct tt_neighbours {
	int *leaders;   /* [nranks]: the lowest rank on the same host; malloc, the caller's */
	char name[64];  /* the same on all ranks of this host, and on no other ranks anywhere */
	int index, n;   /* this rank among those of its host */
};

/* Collective over the job. */
totum_status tt_neighbours_find(const struct tt_identity *identity, struct tt_exchange *exchange,
				struct tt_neighbours *out);

#endif
