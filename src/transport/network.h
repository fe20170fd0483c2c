/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * network.h - the transport between hosts, whichever it is: a door that is opened first, whose blob
 * everybody gets, and an endpoint that is made of the door and all blobs.
 */
#ifndef TT_NETWORK_H
#define TT_NETWORK_H

#include "base/settings.h"
#include "transport/transport.h"

enum { TT_NETWORK_BLOB = 512 };

struct tt_network_door;

/* Listens as the settings say, and fills the blob that tells the others where. */
totum_status tt_network_listen(const struct tt_settings *settings, struct tt_network_door **out,
			       unsigned char blob[static TT_NETWORK_BLOB]);
/* For a door that no endpoint has taken; NULL is legal. */
void tt_network_unlisten(struct tt_network_door *door);

struct tt_network_context {
	int rank, nranks;
	struct tt_network_door *door; /* the endpoint's, once it is open */
	const unsigned char *blobs;   /* of rank r at r * stride; borrowed during open */
	size_t stride;
	const char *secret; /* of the job; borrowed during open */
	uint64_t timeout_ns;
};
totum_status tt_network_open(const struct tt_network_context *context,
			     const struct tt_transport **transport, struct tt_endpoint **out);

#endif
