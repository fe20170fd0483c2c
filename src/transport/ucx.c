/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx - the transport over UCX: the endpoint and its turn of work.
 *
 * Everything goes as active messages of UCP.  See ucx_wire.h for what they say, ucx_connect.c for
 * how peers come to believe each other, ucx_move.c for how bytes find their place.
 */
#include "transport/ucx.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "transport/ucx_parts.h"

static const uint64_t spin_ns = 20000;

enum { SLEEP_MS = 5, TURNS = 16 };

/* --- opening and closing --------------------------------------------------------------------- */

static void forget(struct tt_endpoint *endpoint)
{
	for (int rank = 0; rank < endpoint->nranks; rank++) {
		struct tt_ucx_peer *peer = &endpoint->peers[rank];
		peer->sends = (struct tt_transfers){.tail = &peer->sends.head};
		peer->receives = (struct tt_transfers){.tail = &peer->receives.head};
		peer->cut = (struct tt_place){0};
		peer->cut_at = 0;
	}
}

/* Cards with addresses of their own, since connections are made later. */
static totum_status read_cards(struct tt_endpoint *endpoint, const struct tt_ucx_context *from)
{
	size_t bytes = 0, at = 0;

	for (int rank = 0; rank < endpoint->nranks; rank++) {
		struct tt_ucx_card *card = &endpoint->peers[rank].card;
		totum_status status = tt_ucx_card_read(from->blobs + (size_t)rank * from->stride,
						       from->stride, card);
		if (status)
			return tt_fail_in(status, "rank %d", rank);
		bytes += card->bytes;
	}
	if (memcmp(endpoint->peers[endpoint->rank].card.id, from->listener->id, TT_TCP_ID) != 0)
		return tt_fail(TOTUM_EINVAL,
			       "the address of rank %d is not that of its listener: "
			       "exchange them by rank",
			       endpoint->rank);
	endpoint->addresses = malloc(bytes);
	if (!endpoint->addresses)
		return tt_fail_memory(bytes, "the addresses of an endpoint");
	for (int rank = 0; rank < endpoint->nranks; rank++) {
		struct tt_ucx_card *card = &endpoint->peers[rank].card;
		memcpy(endpoint->addresses + at, card->address, card->bytes);
		card->address = endpoint->addresses + at;
		at += card->bytes;
	}
	return TOTUM_OK;
}

static totum_status make_nonces(struct tt_endpoint *endpoint)
{
	for (int rank = 0; rank < endpoint->nranks; rank++)
		if (getrandom(endpoint->peers[rank].nonce, TT_TCP_NONCE, 0) != TT_TCP_NONCE)
			return tt_fail(TOTUM_ESYSTEM, "the system gives no random bytes: %s",
				       strerror(errno));
	return TOTUM_OK;
}

static totum_status fill(struct tt_endpoint *endpoint, const struct tt_ucx_context *from)
{
	size_t bytes = (size_t)from->nranks * sizeof *endpoint->peers;

	endpoint->peers = calloc((size_t)from->nranks, sizeof *endpoint->peers);
	endpoint->secret = malloc(from->secret_bytes);
	if (!endpoint->peers || !endpoint->secret)
		return tt_fail_memory(bytes, "the peers of an endpoint");
	memcpy(endpoint->secret, from->secret, from->secret_bytes);
	endpoint->secret_bytes = from->secret_bytes;
	endpoint->rank = from->rank;
	endpoint->nranks = from->nranks;
	endpoint->calls = from->listener->calls;
	endpoint->worker = from->listener->worker;
	endpoint->timeout_ns = from->timeout_ns;
	forget(endpoint);
	totum_status status = read_cards(endpoint, from);
	return status ? status : make_nonces(endpoint);
}

static totum_status listen_to_peers(struct tt_endpoint *endpoint)
{
	ucp_am_handler_param_t param = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
						      UCP_AM_HANDLER_PARAM_FIELD_CB |
						      UCP_AM_HANDLER_PARAM_FIELD_ARG,
					.id = TT_UCX_AM,
					.cb = tt_ucx_heard,
					.arg = endpoint};
	ucs_status_t status = endpoint->calls->worker_set_am_recv_handler(endpoint->worker, &param);

	if (status != UCS_OK)
		return tt_fail(TOTUM_EUNSUPPORTED, "UCX %s has no active messages: %s",
			       endpoint->calls->version(), endpoint->calls->status_string(status));
	return TOTUM_OK;
}

static void destroy(struct tt_endpoint *endpoint)
{
	if (endpoint->secret)
		explicit_bzero(endpoint->secret, endpoint->secret_bytes);
	free(endpoint->secret);
	free(endpoint->addresses);
	free(endpoint->peers);
	free(endpoint);
}

static totum_status ucx_open(const void *context, struct tt_endpoint **out)
{
	const struct tt_ucx_context *from = context;

	if (!from->secret_bytes || from->secret_bytes > 1 << 20)
		return tt_fail(TOTUM_EINVAL,
			       "ranks on several hosts need a secret of the job, "
			       "so that strangers cannot take part; start them with one");
	struct tt_endpoint *endpoint = calloc(1, sizeof *endpoint);
	if (!endpoint)
		return tt_fail_memory(sizeof *endpoint, "a transport's endpoint");
	totum_status status = fill(endpoint, from);
	if (!status)
		status = listen_to_peers(endpoint);
	if (status) {
		destroy(endpoint);
		return status;
	}
	endpoint->listener = from->listener;
	*out = endpoint;
	return TOTUM_OK;
}

static void ucx_close(struct tt_endpoint *endpoint)
{
	if (endpoint->listener)
		tt_ucx_leave(endpoint, true);
	destroy(endpoint);
}

static void ucx_cancel(struct tt_endpoint *endpoint)
{
	if (endpoint->listener)
		tt_ucx_leave(endpoint, false);
	forget(endpoint);
}

/* --- transfers ------------------------------------------------------------------------------- */

static totum_status ucx_send(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer)
{
	struct tt_ucx_peer *peer = &endpoint->peers[transfer->peer];

	tt_transfers_add(&peer->sends, transfer);
	tt_ucx_try_peer(endpoint, peer);
	return TOTUM_OK;
}

static totum_status ucx_receive(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer)
{
	struct tt_ucx_peer *peer = &endpoint->peers[transfer->peer];

	tt_transfers_add(&peer->receives, transfer);
	tt_ucx_try_peer(endpoint, peer);
	return TOTUM_OK;
}

static void serve_peers(struct tt_endpoint *endpoint)
{
	struct tt_ucx_peer *peer = endpoint->try_peers;

	endpoint->try_peers = NULL;
	while (peer) {
		struct tt_ucx_peer *next = peer->next_try;
		peer->queued = false;
		tt_ucx_serve(endpoint, peer);
		peer = next;
	}
}

static totum_status ucx_progress(struct tt_endpoint *endpoint, bool *moved)
{
	*moved = false;
	if (endpoint->failed)
		return endpoint->failed;
	serve_peers(endpoint);
	for (int i = 0; i < TURNS && endpoint->calls->worker_progress(endpoint->worker); i++)
		;
	serve_peers(endpoint);
	tt_ucx_timers(endpoint, tt_clock_ns());
	*moved = endpoint->moved;
	endpoint->moved = false;
	return endpoint->failed;
}

/* UCX refuses to arm its descriptor when something has come already. */
static void sleep_on_events(struct tt_endpoint *endpoint)
{
	struct pollfd poll_for = {.fd = endpoint->listener->events, .events = POLLIN};

	if (endpoint->calls->worker_arm(endpoint->worker) == UCS_OK)
		poll(&poll_for, 1, SLEEP_MS);
}

static totum_status ucx_check(struct tt_endpoint *endpoint, uint64_t idle_since)
{
	/* what has come may be for a receive that has just been started */
	return endpoint->try_peers ? endpoint->failed
				   : tt_ucx_check(endpoint, idle_since, tt_clock_ns());
}

static totum_status ucx_wait(struct tt_endpoint *endpoint, uint64_t idle_since)
{
	uint64_t now = tt_clock_ns();
	totum_status status = ucx_check(endpoint, idle_since);

	if (!status && (now < idle_since || now - idle_since > spin_ns) && !endpoint->try_peers)
		sleep_on_events(endpoint);
	return status;
}

static bool ucx_waits(const struct tt_endpoint *endpoint, int peer)
{
	return tt_ucx_waits(&endpoint->peers[peer]);
}

const struct tt_transport tt_transport_ucx = {
	.name = "ucx",
	.open = ucx_open,
	.close = ucx_close,
	.send = ucx_send,
	.receive = ucx_receive,
	.progress = ucx_progress,
	.wait = ucx_wait,
	.check = ucx_check,
	.waits = ucx_waits,
	.cancel = ucx_cancel,
};
