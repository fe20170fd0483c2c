/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exchange.h - all that a job on several hosts needs of its launcher: every rank gives some bytes
 * and gets those of all.
 *
 * Used a few times, at the start, to tell each other addresses; then closed.
 */
#ifndef TT_EXCHANGE_H
#define TT_EXCHANGE_H

#include "launch/identity.h"

struct tt_exchange {
	/*
	 * Collective over the job: bytes, the same on all ranks and at most TT_EXCHANGE_BYTES, of
	 * each rank, in the order of ranks, to all.  Gives up at a deadline set when it was opened,
	 * naming the ranks that have not come; TOTUM_ELOST when one has died.
	 */
	totum_status (*allgather)(struct tt_exchange *exchange, const void *mine, size_t bytes,
				  void *all);
	/* Never waits for others; what was given still reaches them. */
	void (*close)(struct tt_exchange *exchange);
};

enum { TT_EXCHANGE_BYTES = 16 << 10 };

/* Pure.  TOTUM_EINVAL when it is no root that a user may give; the sentence lists the forms. */
totum_status tt_exchange_check_root(const char *root);
/* May the job's ranks be on several hosts, so that it needs an exchange? */
bool tt_exchange_reaches_out(const struct tt_identity *identity);
/*
 * Collective over the job's ranks; by identity->root.  Where the launcher gave no secret and the
 * way of exchange is the launcher's own, rank 0 makes one and all ranks get it into
 * identity->secret.
 */
totum_status tt_exchange_open(struct tt_identity *identity, const struct tt_settings *settings,
			      struct tt_exchange **out);
/* The same for ranks that have a store, or an id, in common; for identity->exchange. */
totum_status tt_exchange_store(struct tt_identity *identity, const struct tt_settings *settings,
			       const struct totum_store *store, struct tt_exchange **out);
totum_status tt_exchange_id(struct tt_identity *identity, const struct tt_settings *settings,
			    const totum_unique_id *id, struct tt_exchange **out);
/* Makes an id whose doors stay open in this process, until it is a rank of its communicator. */
totum_status tt_exchange_make_id(const struct tt_settings *settings, totum_unique_id *id);

#endif
