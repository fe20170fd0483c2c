/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rendezvous.h - how the ranks of a job on one host meet, once, at the start.
 *
 * Rank 0 listens on a local socket without a file whose name is a hash of the job's root; the
 * others connect, say who they are and what they were told, and get the descriptors of the job's
 * shared memory and roll.  The kernel vouches that both ends are of one user.  When all have mapped
 * and signed, rank 0 says go, and the sockets are closed.
 */
#ifndef TT_RENDEZVOUS_H
#define TT_RENDEZVOUS_H

#include "launch/identity.h"

struct tt_met {
	int segment, roll; /* descriptors */
};

/*
 * Collective over the job's ranks.  join is called on every rank between the exchange of
 * descriptors, which it takes over, and the go; when it fails on one rank, all ranks fail with its
 * sentence, and a caller whose join had succeeded undoes it.  Gives up after settings->timeout, at
 * most 120 s, naming the ranks that have not come.
 */
totum_status tt_rendezvous(const struct tt_identity *identity, const struct tt_settings *settings,
			   totum_status (*join)(void *context, const struct tt_met *met),
			   void *context);

#endif
