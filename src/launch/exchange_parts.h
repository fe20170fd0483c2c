/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exchange_parts.h - the ways to exchange, one a file; exchange.c chooses by the beginning of the
 * root.
 */
#ifndef TT_EXCHANGE_PARTS_H
#define TT_EXCHANGE_PARTS_H

#include "launch/exchange.h"
#include "launch/unique_id.h"

/* How rank 0 tells the others an id (unique_id.h), by which they then meet. */
struct tt_news {
	/* Rank 0, once. */
	totum_status (*tell)(void *context, const char id[static TT_ID]);
	/*
	 * The others, again and again: false: there is none yet.  Waits for it for a moment at
	 * most. What is read may be of an earlier run.
	 */
	bool (*read)(void *context, char id[static TT_ID]);
	void *context;
	const char *where; /* for people */
};

/* Each is as tt_exchange_open for roots of its own. */
totum_status tt_exchange_tcp(struct tt_identity *identity, const struct tt_settings *settings,
			     struct tt_exchange **out);
totum_status tt_exchange_pmi(struct tt_identity *identity, const struct tt_settings *settings,
			     struct tt_exchange **out);
totum_status tt_exchange_pmix(struct tt_identity *identity, const struct tt_settings *settings,
			      struct tt_exchange **out);
totum_status tt_exchange_file(struct tt_identity *identity, const struct tt_settings *settings,
			      struct tt_exchange **out);
/* The same for ranks that are told an id, which is in root and secret afterwards. */
totum_status tt_exchange_told(struct tt_identity *identity, const struct tt_settings *settings,
			      const struct tt_news *news, struct tt_exchange **out);
/* The same for ranks that have an id in root and secret; its doors stay the caller's. */
totum_status tt_exchange_of_id(struct tt_identity *identity, const struct tt_settings *settings,
			       const struct tt_doors *doors, struct tt_exchange **out);

#endif
