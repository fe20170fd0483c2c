/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp.h - the transport between hosts.
 *
 * Before an endpoint is opened every rank makes a listener and gives its address blob to all
 * others, by whatever means it has; the endpoint then opens from all blobs.  A connection is made
 * when the first byte is to move, and believed when both ends have proved that they know the
 * job's secret (tcp_wire.h).
 */
#ifndef TT_TCP_H
#define TT_TCP_H

#include "transport/transport.h"

enum { TT_TCP_BLOB = 408, TT_TCP_STREAMS = 16 };

struct tt_tcp_listener;

struct tt_tcp_options {
	/* which of the host's, in the grammar of TOTUM_INTERFACES; "" or NULL: all but loopback */
	const char *interfaces;
	int streams;   /* connections of a pair of ranks, 1..TT_TCP_STREAMS; alike on all ranks */
	bool checksum; /* a CRC32C with every frame; alike on all ranks */
	bool encrypt;  /* TLS 1.3; alike on all ranks */
};

/*
 * Listens on the addresses chosen and fills the blob.  TOTUM_EINVAL with a sentence that names
 * TOTUM_INTERFACES when it is not well formed or fits no interface.
 */
totum_status tt_tcp_listen(const struct tt_tcp_options *options, struct tt_tcp_listener **out,
			   unsigned char blob[static TT_TCP_BLOB]);
/* For a listener that no endpoint has taken; NULL is legal. */
void tt_tcp_unlisten(struct tt_tcp_listener *listener);

extern const struct tt_transport tt_transport_tcp;

struct tt_tcp_context {
	int rank, nranks;
	struct tt_tcp_listener *listener; /* the endpoint's, once open has succeeded */
	const unsigned char *blobs;       /* nranks * TT_TCP_BLOB bytes; borrowed during open */
	const void *secret;               /* at least a byte; borrowed during open */
	size_t secret_bytes;
	uint64_t timeout_ns;
};

#endif
