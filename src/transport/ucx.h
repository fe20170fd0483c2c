/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx.h - the transport over UCX: InfiniBand, RoCE and whatever else UCX drives between hosts.
 *
 * UCX is loaded when the first listener is made, so that one build runs with and without it.  As
 * with tcp, every rank makes a listener and gives its address blob to all others, by whatever means
 * it has; the endpoint then opens from all blobs.  A pair of ranks is connected when it has
 * something to move, and believed when both have proved that they know the job's secret
 * (ucx_wire.h).
 *
 * UCX cannot be used by a process that has forked since it made its listener.
 */
#ifndef TT_UCX_H
#define TT_UCX_H

#include "transport/transport.h"

/* Longest blob; most have some hundreds of bytes. */
enum { TT_UCX_BLOB = 4096 };

struct tt_ucx_listener;

/*
 * Loads UCX and fills the blob, of which *bytes matter; the rest is zero.  TOTUM_EUNSUPPORTED when
 * there is no UCX that can be used, with a sentence that says why.
 */
totum_status tt_ucx_listen(struct tt_ucx_listener **out, unsigned char blob[static TT_UCX_BLOB],
			   size_t *bytes);
/* For a listener that no endpoint has taken; NULL is legal. */
void tt_ucx_unlisten(struct tt_ucx_listener *listener);

/*
 * Whether this host has a network device that UCX drives and tcp does not: one that is listed in
 * /sys/class/infiniband.  Loads nothing.  TOTUM_TRANSPORT=auto means ucx where this holds and a
 * listener could be made on all ranks; they have to tell each other.
 */
bool tt_ucx_has_device(void);

extern const struct tt_transport tt_transport_ucx;

struct tt_ucx_context {
	int rank, nranks;
	struct tt_ucx_listener *listener; /* the endpoint's, once open has succeeded */
	/* one after the other, each at the beginning of `stride` bytes; borrowed during open */
	const unsigned char *blobs;
	size_t stride;
	const void *secret;               /* at least a byte; borrowed during open */
	size_t secret_bytes;
	uint64_t timeout_ns;
};

#endif
