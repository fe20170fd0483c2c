/* SPDX-License-Identifier: BSD-3-Clause */
/* network - tcp or ucx, as far as they have been built. */
#include "transport/network.h"

#include <stdlib.h>
#include <string.h>

#include "transport/chaos.h"
#include "transport/tcp.h"
#include "transport/ucx.h"

_Static_assert((int)TT_TCP_BLOB <= (int)TT_NETWORK_BLOB, "the addresses of tcp fit a blob");
_Static_assert((int)TT_UCX_BLOB <= (int)TT_NETWORK_BLOB, "and so does that of ucx");

/* The transport itself, or, for tests, with chaos around it: of a kind that the seed chooses. */
static totum_status open_inner(const struct tt_network_context *context,
			       const struct tt_transport *inner, const void *inner_context,
			       const struct tt_transport **transport, struct tt_endpoint **out)
{
	struct tt_chaos_context chaos = {
		.inner = inner,
		.context = inner_context,
		.rank = context->rank,
		.nranks = context->nranks,
		.seed = (uint64_t)context->chaos,
		.longest = (size_t)512 << context->chaos % 8,
		.delay_us = 200,
		.stall_us = 500,
	};

	*transport = context->chaos ? &tt_transport_chaos : inner;
	return (*transport)->open(context->chaos ? (const void *)&chaos : inner_context, out);
}

/* --- tcp ------------------------------------------------------------------------------------- */

#ifdef TOTUM_TCP

static totum_status tcp_listen(const struct tt_settings *settings, struct tt_network_door **out,
			       unsigned char *blob)
{
	struct tt_tcp_options options = {
		.interfaces = settings->interfaces,
		.streams = settings->streams,
		.checksum = settings->checksum,
		.encrypt = settings->encrypt,
	};

	return tt_tcp_listen(&options, (struct tt_tcp_listener **)out, blob);
}

static void tcp_unlisten(struct tt_network_door *door)
{
	tt_tcp_unlisten((struct tt_tcp_listener *)door);
}

static totum_status tcp_open(const struct tt_network_context *context,
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
	totum_status status = open_inner(context, &tt_transport_tcp, &tcp, transport, out);
	free(blobs);
	return status;
}

#else

static totum_status no_tcp(void)
{
	return tt_fail(TOTUM_EUNSUPPORTED,
		       "this build of totum has no transport between hosts; build it with OpenSSL, "
		       "or start all ranks on one host");
}

static totum_status tcp_listen(const struct tt_settings *settings, struct tt_network_door **out,
			       unsigned char *blob)
{
	(void)settings;
	(void)out;
	(void)blob;
	return no_tcp();
}

static void tcp_unlisten(struct tt_network_door *door)
{
	(void)door;
}

static totum_status tcp_open(const struct tt_network_context *context,
			     const struct tt_transport **transport, struct tt_endpoint **out)
{
	(void)context;
	(void)transport;
	(void)out;
	return no_tcp();
}

#endif

/* --- ucx ------------------------------------------------------------------------------------- */

#ifdef TOTUM_UCX

static totum_status ucx_listen(struct tt_network_door **out, unsigned char *blob)
{
	size_t bytes;

	return tt_ucx_listen((struct tt_ucx_listener **)out, blob, &bytes);
}

static void ucx_unlisten(struct tt_network_door *door)
{
	tt_ucx_unlisten((struct tt_ucx_listener *)door);
}

static totum_status ucx_open(const struct tt_network_context *context,
			     const struct tt_transport **transport, struct tt_endpoint **out)
{
	struct tt_ucx_context ucx = {
		.rank = context->rank,
		.nranks = context->nranks,
		.listener = (struct tt_ucx_listener *)context->door,
		.blobs = context->blobs,
		.stride = context->stride,
		.secret = context->secret,
		.secret_bytes = strlen(context->secret),
		.timeout_ns = context->timeout_ns,
	};

	return open_inner(context, &tt_transport_ucx, &ucx, transport, out);
}

static bool has_device(void)
{
	return tt_ucx_has_device();
}

#else

static totum_status no_ucx(void)
{
	return tt_fail(TOTUM_EUNSUPPORTED,
		       "TOTUM_TRANSPORT=ucx, but this build of totum knows no UCX; build it where "
		       "UCX's headers are, or set TOTUM_TRANSPORT=tcp");
}

static totum_status ucx_listen(struct tt_network_door **out, unsigned char *blob)
{
	(void)out;
	(void)blob;
	return no_ucx();
}

static void ucx_unlisten(struct tt_network_door *door)
{
	(void)door;
}

static totum_status ucx_open(const struct tt_network_context *context,
			     const struct tt_transport **transport, struct tt_endpoint **out)
{
	(void)context;
	(void)transport;
	(void)out;
	return no_ucx();
}

static bool has_device(void)
{
	return false;
}

#endif

/* --- either ---------------------------------------------------------------------------------- */

bool tt_network_offers_ucx(const struct tt_settings *settings)
{
	return settings->transport == TT_TRANSPORT_UCX ||
	       (settings->transport == TT_TRANSPORT_AUTO && has_device());
}

totum_status tt_network_listen(tt_network network, const struct tt_settings *settings,
			       struct tt_network_door **out,
			       unsigned char blob[static TT_NETWORK_BLOB])
{
	*out = NULL;
	memset(blob, 0, TT_NETWORK_BLOB);
	return network == TT_TRANSPORT_UCX ? ucx_listen(out, blob)
					   : tcp_listen(settings, out, blob);
}

void tt_network_unlisten(tt_network network, struct tt_network_door *door)
{
	if (!door)
		return;
	if (network == TT_TRANSPORT_UCX)
		ucx_unlisten(door);
	else
		tcp_unlisten(door);
}

totum_status tt_network_open(const struct tt_network_context *context,
			     const struct tt_transport **transport, struct tt_endpoint **out)
{
	return context->network == TT_TRANSPORT_UCX ? ucx_open(context, transport, out)
						    : tcp_open(context, transport, out);
}
