/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx_connect - from an address to a peer that is believed.
 *
 * Either side begins, by a HELLO; each answers with a PROOF, to the address that the other one's
 * blob has told.  A HELLO proves nothing and costs an answer; a PROOF holds the nonce of the one
 * it answers, which only who has that address can know: when it is wrong nonetheless, there sits
 * somebody without the secret.  What cannot be reached for half a second is dead, since its worker
 * was there before its blob.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "transport/ucx_parts.h"

static const uint64_t ms = 1000000;

enum {
	TIMERS_MS = 10,
	RECEIVER_MS = 20,
	RETRY_MS = 100,
	DEAD_MS = 500,
	GREET_MS = 500,
	PROBE_MS = 800
};

/* It ends by itself: a request that has been freed is no concern of the caller's any more. */
static void drop(const struct tt_endpoint *endpoint, ucp_ep_h ep)
{
	ucs_status_ptr_t request = tt_ucx_close(endpoint, ep, false);

	if (UCS_PTR_IS_PTR(request))
		endpoint->calls->request_free(request);
}

void tt_ucx_broke(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer, ucs_status_t status)
{
	uint64_t now = tt_clock_ns();

	if (peer->broken || peer->gone)
		return;
	snprintf(peer->why, sizeof peer->why, "UCX: %.80s", endpoint->calls->status_string(status));
	peer->broken = true;
	peer->gone = peer->open;
	if (!peer->failed_ns || now - peer->tried_ns > DEAD_MS * ms) /* not like the last time */
		peer->failed_ns = now;
}

static void on_error(void *context, ucp_ep_h ep, ucs_status_t status)
{
	struct tt_endpoint *endpoint = context;

	for (int rank = 0; rank < endpoint->nranks && !endpoint->closing; rank++)
		if (endpoint->peers[rank].ep == ep)
			tt_ucx_broke(endpoint, &endpoint->peers[rank], status);
}

static ucs_status_t create(struct tt_endpoint *endpoint, const struct tt_ucx_peer *peer,
			   ucp_ep_h *out)
{
	ucp_ep_params_t params = {
		.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
			      UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER,
		.address = (const ucp_address_t *)peer->card.address,
		.err_mode = UCP_ERR_HANDLING_MODE_PEER,
		.err_handler = {.cb = on_error, .arg = endpoint},
	};

	return endpoint->calls->ep_create(endpoint->worker, &params, out);
}

static bool make_connection(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer)
{
	uint64_t now = tt_clock_ns();

	if (peer->broken) {
		drop(endpoint, peer->ep);
		peer->ep = NULL;
		peer->broken = peer->greeted = false;
	}
	if (peer->ep)
		return true;
	if (peer->failed_ns && now - peer->tried_ns < RETRY_MS * ms)
		return false;
	peer->tried_ns = now;
	ucs_status_t status = create(endpoint, peer, &peer->ep);
	if (status == UCS_OK)
		return true;
	peer->ep = NULL;
	tt_ucx_broke(endpoint, peer, status);
	peer->broken = false;
	return false;
}

/*
 * Shared memory says nothing of a peer that died before it answered; but it cannot be reached a
 * second time.
 */
static void probe(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer, uint64_t now)
{
	ucp_ep_h ep;

	if (now < peer->probe_ns)
		return;
	peer->probe_ns = now + PROBE_MS * ms;
	ucs_status_t status = create(endpoint, peer, &ep);
	if (status == UCS_OK)
		drop(endpoint, ep);
	else
		tt_ucx_broke(endpoint, peer, status);
}

void tt_ucx_connect(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer, uint64_t now)
{
	struct tt_ucx_message hello = {.kind = TT_UCX_HELLO,
				       .nranks = endpoint->nranks,
				       .to = tt_ucx_rank(endpoint, peer)};

	if (peer->open || peer->gone || peer->dead || !make_connection(endpoint, peer))
		return;
	if (peer->greeted && now - peer->greeted_ns < GREET_MS * ms) {
		probe(endpoint, peer, now);
		return;
	}
	memcpy(hello.nonce, peer->nonce, TT_TCP_NONCE);
	if (tt_ucx_say(endpoint, peer, &hello)) {
		if (!peer->greeted)
			peer->probe_ns = now + PROBE_MS * ms;
		peer->greeted = true;
		peer->greeted_ns = now;
	}
}

static bool prove(const struct tt_endpoint *endpoint, struct tt_ucx_peer *peer,
		  const unsigned char *nonce, bool own, unsigned char proof[static TT_TCP_PROOF])
{
	int rank = tt_ucx_rank(endpoint, peer), low = rank < endpoint->rank;
	struct tt_ucx_pair pair = {.nranks = endpoint->nranks,
				   .secret = endpoint->secret,
				   .secret_bytes = endpoint->secret_bytes};

	pair.ranks[low] = endpoint->rank;
	pair.nonces[low] = peer->nonce;
	pair.ids[low] = endpoint->peers[endpoint->rank].card.id;
	pair.ranks[!low] = rank;
	pair.nonces[!low] = nonce;
	pair.ids[!low] = peer->card.id;
	return tt_ucx_prove(&pair, own ? !low : low, proof);
}

void tt_ucx_answer(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer)
{
	struct tt_ucx_message message = {.kind = TT_UCX_PROOF};

	if (!peer->answers || peer->gone || !make_connection(endpoint, peer))
		return;
	memcpy(message.nonce, peer->nonce, TT_TCP_NONCE);
	memcpy(message.echo, peer->answered, TT_TCP_NONCE);
	if (prove(endpoint, peer, peer->answered, true, message.proof) &&
	    tt_ucx_say(endpoint, peer, &message))
		peer->answers = false;
}

void tt_ucx_hear_hello(struct tt_endpoint *endpoint, const struct tt_ucx_message *message)
{
	struct tt_ucx_peer *peer = &endpoint->peers[message->from];

	memcpy(peer->answered, message->nonce, TT_TCP_NONCE);
	peer->answers = true;
	tt_ucx_answer(endpoint, peer);
}

void tt_ucx_hear_proof(struct tt_endpoint *endpoint, const struct tt_ucx_message *message)
{
	struct tt_ucx_peer *peer = &endpoint->peers[message->from];
	unsigned char proof[TT_TCP_PROOF];

	if (peer->open || !tt_ucx_same(message->echo, peer->nonce, TT_TCP_NONCE))
		return;
	if (!tt_ucx_same(message->nonce, peer->answered, TT_TCP_NONCE)) {
		memcpy(peer->answered, message->nonce, TT_TCP_NONCE);
		peer->answers = true;
	}
	tt_ucx_answer(endpoint, peer);
	if (!prove(endpoint, peer, message->nonce, false, proof) ||
	    !tt_ucx_same(proof, message->proof, TT_TCP_PROOF)) {
		snprintf(peer->why, sizeof peer->why,
			 "whoever is there does not know the secret of this job");
		tt_log("rank %d: who claims to be rank %d does not know the secret of this job",
		       endpoint->rank, message->from);
		peer->dead = true;
		return;
	}
	if (!prove(endpoint, peer, message->nonce, true, peer->mine))
		return;
	memcpy(peer->theirs, proof, TT_TCP_PROOF);
	peer->open = true;
	peer->failed_ns = 0;
	endpoint->moved = true;
	tt_log("rank %d: open with rank %d on %s by UCX", endpoint->rank, message->from,
	       peer->card.host);
	tt_ucx_try_peer(endpoint, peer);
}

/* A receiver connects too, a little later: else nobody notices a peer that died before. */
static bool wants(struct tt_ucx_peer *peer, uint64_t now)
{
	if (peer->sends.head)
		return true;
	if (!tt_transfers_wanted(&peer->receives))
		return false;
	if (!peer->want_ns)
		peer->want_ns = now;
	return now - peer->want_ns >= RECEIVER_MS * ms;
}

void tt_ucx_timers(struct tt_endpoint *endpoint, uint64_t now)
{
	if (now - endpoint->timers_ns < TIMERS_MS * ms)
		return;
	endpoint->timers_ns = now;
	for (int rank = 0; rank < endpoint->nranks; rank++) {
		struct tt_ucx_peer *peer = &endpoint->peers[rank];
		if (peer->open || peer->dead || rank == endpoint->rank)
			continue;
		peer->dead = peer->failed_ns && (peer->broken || !peer->ep) &&
			     now - peer->failed_ns > DEAD_MS * ms;
		tt_ucx_answer(endpoint, peer);
		if (wants(peer, now))
			tt_ucx_connect(endpoint, peer, now);
	}
}
