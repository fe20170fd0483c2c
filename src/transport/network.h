/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * network.h - the transport between hosts, whichever it is: a door that is opened first, whose blob
 * everybody gets, and an endpoint that is made of the door and all blobs.
 */
#ifndef TT_NETWORK_H
#define TT_NETWORK_H

#include "base/settings.h"
#include "transport/transport.h"

enum { TT_NETWORK_BLOB = 4096 };

/* What all ranks of a job use: never TT_TRANSPORT_AUTO. */
typedef enum tt_transport_choice tt_network;

/* May this rank use UCX, if all others may too? By TOTUM_TRANSPORT, and what the host has. */
bool tt_network_offers_ucx(const struct tt_settings *settings);

struct tt_network_door;

/* Listens as the settings say, and fills the blob that tells the others where. */
totum_status tt_network_listen(tt_network network, const struct tt_settings *settings,
			       struct tt_network_door **out,
			       unsigned char blob[static TT_NETWORK_BLOB]);
/* For a door that no endpoint has taken; NULL is legal. */
void tt_network_unlisten(tt_network network, struct tt_network_door *door);

struct tt_network_context {
	tt_network network;
	int rank, nranks;
	struct tt_network_door *door; /* the endpoint's, once it is open */
	const unsigned char *blobs;   /* of rank r at r * stride; borrowed during open */
	size_t stride;
	const char *secret; /* of the job; borrowed during open */
	int64_t chaos;      /* a seed: wrap it in chaos.h; 0: do not */
	uint64_t timeout_ns;
};
totum_status tt_network_open(const struct tt_network_context *context,
			     const struct tt_transport **transport, struct tt_endpoint **out);

#endif
