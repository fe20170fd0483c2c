/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx_leave - the end of an endpoint.
 *
 * Bytes of a send that is done may still be on their way, and a connection that is closed while
 * the peer says something would take them back.  So a rank that leaves says BYE and goes when all
 * peers with such bytes have heard it: at once when they are at work.  Those that are not, have at
 * most a window of bytes under way, which the network holds for them: they are given LINGER_MS and
 * no more.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "transport/ucx_parts.h"

static const uint64_t ms = 1000000;

enum { LINGER_MS = 200, CANCEL_MS = 20, CLOSE_MS = 100, LAST_TURNS = 32 };

static bool talks(const struct tt_ucx_peer *peer)
{
	return peer->open && !peer->gone && !peer->broken && peer->ep;
}

/* False when nothing more is to be done for the peer. */
static bool linger(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer, bool *said)
{
	if (!talks(peer))
		return false;
	if (!*said)
		*said = tt_ucx_say(endpoint, peer, &(struct tt_ucx_message){.kind = TT_UCX_BYE});
	if (peer->asks &&
	    tt_ucx_say(endpoint, peer, &(struct tt_ucx_message){.kind = TT_UCX_HEARD}))
		peer->asks = false;
	if (!*said || peer->asks || peer->controls)
		return true;
	return !peer->left && !peer->heard && peer->eager > peer->eager_placed;
}

static void say_bye(struct tt_endpoint *endpoint, bool done)
{
	uint64_t until = tt_clock_ns() + (done ? LINGER_MS : CANCEL_MS) * ms;
	bool *said = calloc((size_t)endpoint->nranks, sizeof *said), waits = said != NULL;

	while (waits && tt_clock_ns() < until) {
		waits = false;
		for (int rank = 0; rank < endpoint->nranks; rank++)
			waits |= linger(endpoint, &endpoint->peers[rank], &said[rank]);
		while (endpoint->calls->worker_progress(endpoint->worker))
			;
	}
	free(said);
}

ucs_status_ptr_t tt_ucx_close(const struct tt_endpoint *endpoint, ucp_ep_h ep, bool gently)
{
	ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
				     .flags = gently ? 0 : UCP_EP_CLOSE_FLAG_FORCE};

	return endpoint->calls->ep_close(ep, &param);
}

/* Takes the requests that have ended out of the list; returns how many are left. */
static int still_closing(const struct tt_endpoint *endpoint, ucs_status_ptr_t *requests, int n)
{
	int left = 0;

	for (int i = 0; i < n; i++)
		if (endpoint->calls->request_check_status(requests[i]) == UCS_INPROGRESS)
			requests[left++] = requests[i];
		else
			endpoint->calls->request_free(requests[i]);
	return left;
}

static void close_connections(struct tt_endpoint *endpoint, bool done)
{
	ucs_status_ptr_t *requests = calloc((size_t)endpoint->nranks, sizeof *requests);
	uint64_t until = tt_clock_ns() + CLOSE_MS * ms;
	int n = 0;

	for (int rank = 0; rank < endpoint->nranks && requests; rank++) {
		struct tt_ucx_peer *peer = &endpoint->peers[rank];
		if (!peer->ep)
			continue;
		requests[n] =
			tt_ucx_close(endpoint, peer->ep, done && talks(peer) && !peer->directs);
		n += UCS_PTR_IS_PTR(requests[n]);
		peer->ep = NULL;
	}
	while ((n = still_closing(endpoint, requests, n)) && tt_clock_ns() < until)
		endpoint->calls->worker_progress(endpoint->worker);
	while (n) /* UCX wants them back before its worker goes */
		endpoint->calls->request_free(requests[--n]);
	/* what closed connections have left behind; UCX 1.22 frees that twice with its worker */
	for (int i = 0; i < LAST_TURNS; i++)
		endpoint->calls->worker_progress(endpoint->worker);
	free(requests);
}

void tt_ucx_leave(struct tt_endpoint *endpoint, bool done)
{
	endpoint->closing = true;
	endpoint->failed = TOTUM_OK;
	say_bye(endpoint, done);
	close_connections(endpoint, done);
	tt_ucx_unlisten(endpoint->listener);
	endpoint->listener = NULL;
	tt_ucx_ops_free(endpoint);
	for (int rank = 0; rank < endpoint->nranks; rank++) {
		struct tt_ucx_peer *peer = &endpoint->peers[rank];
		while (peer->stage) {
			struct tt_ucx_chunk *chunk = peer->stage;
			peer->stage = chunk->next;
			free(chunk);
		}
	}
}
