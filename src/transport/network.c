/* SPDX-License-Identifier: BSD-3-Clause */
/* network - tcp, where it has been built. */
#include "transport/network.h"

#include <stdlib.h>
#include <string.h>

#include "transport/tcp.h"

#ifdef TOTUM_TCP

_Static_assert((int)TT_TCP_BLOB <= (int)TT_NETWORK_BLOB, "the addresses of tcp fit a blob");

totum_status tt_network_listen(const struct tt_settings *settings, struct tt_network_door **out,
			       unsigned char blob[static TT_NETWORK_BLOB])
{
	struct tt_tcp_options options = {
		.interfaces = settings->interfaces,
		.streams = settings->streams,
		.checksum = settings->checksum,
		.encrypt = settings->encrypt,
	};

	memset(blob, 0, TT_NETWORK_BLOB);
	return tt_tcp_listen(&options, (struct tt_tcp_listener **)out, blob);
}

void tt_network_unlisten(struct tt_network_door *door)
{
	tt_tcp_unlisten((struct tt_tcp_listener *)door);
}

totum_status tt_network_open(const struct tt_network_context *context,
			     const struct tt_transport **transport, struct tt_endpoint **out)
{
	size_t n = (size_t)context->nranks;
	unsigned char *blobs = malloc(n * TT_TCP_BLOB);

	if (!blobs)
		return tt_fail_memory(n * TT_TCP_BLOB, "the addresses of all ranks");
	for (size_t rank = 0; rank < n; rank++)
		memcpy(blobs + rank * TT_TCP_BLOB, context->blobs + rank * context->stride,
		       TT_TCP_BLOB);
	struct tt_tcp_context tcp = {
		.rank = context->rank,
		.nranks = context->nranks,
		.listener = (struct tt_tcp_listener *)context->door,
		.blobs = blobs,
		.secret = context->secret,
		.secret_bytes = strlen(context->secret),
		.timeout_ns = context->timeout_ns,
	};
	*transport = &tt_transport_tcp;
	totum_status status = tt_transport_tcp.open(&tcp, out);
	free(blobs);
	return status;
}

#else

static totum_status not_built(void)
{
	return tt_fail(TOTUM_EUNSUPPORTED,
		       "this build of totum has no transport between hosts; build it with OpenSSL, "
		       "or start all ranks on one host");
}

totum_status tt_network_listen(const struct tt_settings *settings, struct tt_network_door **out,
			       unsigned char blob[static TT_NETWORK_BLOB])
{
	(void)settings;
	(void)blob;
	*out = NULL;
	return not_built();
}

void tt_network_unlisten(struct tt_network_door *door)
{
	(void)door;
}

totum_status tt_network_open(const struct tt_network_context *context,
			     const struct tt_transport **transport, struct tt_endpoint **out)
{
	(void)context;
	(void)transport;
	(void)out;
	return not_built();
}

#endif
