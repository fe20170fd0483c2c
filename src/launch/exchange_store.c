/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exchange_store - ranks that have a store in common, as torch's: rank 0 puts an id there, and the
 * others read it.
 */
#include <stdio.h>
#include <string.h>

#include "launch/exchange_parts.h"

enum { WAIT_MS = 100 };

static const char key[] = "totum.id";

static totum_status tell(void *context, const char id[static TT_ID])
{
	const struct totum_store *store = context;
	int code = store->set(store->context, key, id, TT_ID);

	return code ? tt_fail(TOTUM_ESYSTEM,
			      "the store does not take the key \"%s\": its function "
			      "set returned %d",
			      key, code)
		    : TOTUM_OK;
}

static bool read(void *context, char id[static TT_ID])
{
	const struct totum_store *store = context;
	size_t bytes = TT_ID;

	if (store->wait(store->context, key, WAIT_MS))
		return false;
	return !store->get(store->context, key, id, &bytes) && bytes == TT_ID;
}

totum_status tt_exchange_store(struct tt_identity *identity, const struct tt_settings *settings,
			       const struct totum_store *store, struct tt_exchange **out)
{
	struct totum_store copy = *store;
	struct tt_news news = {.tell = tell, .read = read, .context = &copy, .where = "the store"};

	return tt_exchange_told(identity, settings, &news, out);
}
