/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx_move - frames: little ones with their message, large ones straight into place.
 *
 * An eager frame may come before its receive: then it is staged, and the window of TT_UCX_WINDOW
 * bytes holds the sender back until bytes have found their place.  A direct frame is sent only for
 * bytes whose receive has been started, as the receiver has told; UCX then moves them from the
 * sender's memory to the receiver's as well as the network can.  So a large message is staged by
 * a window at most, and when its receive came first not at all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "transport/ucx_parts.h"

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void bad_frame(struct tt_endpoint *endpoint, const struct tt_ucx_peer *peer, const char *why)
{
	endpoint->failed =
		tt_fail(TOTUM_ESYSTEM,
			"what rank %d gets from rank %d on host %s by UCX is damaged: "
			"%s; look at this link, its drivers and its hosts' memory",
			endpoint->rank, tt_ucx_rank(endpoint, peer), peer->card.host, why);
}

static void finish(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer)
{
	struct tt_transfer_state *transfer;

	while ((transfer = peer->sends.head) && tt_transfers_pop(&peer->sends)) {
		tt_place_leave(&peer->cut, transfer);
		transfer->done = true;
		endpoint->moved = true;
	}
	while ((transfer = peer->receives.head) && tt_transfers_pop(&peer->receives)) {
		transfer->done = true;
		endpoint->moved = true;
	}
}

/* --- out ------------------------------------------------------------------------------------- */

/* At most `bytes` from the place where the stream is cut; returns the number of parts. */
static int gather(struct tt_ucx_op *op, const struct tt_ucx_peer *peer, uint64_t bytes)
{
	struct iovec parts[TT_UCX_IOVS];
	int n = tt_place_vector(peer->cut, bytes, parts, TT_UCX_IOVS);

	for (int i = 0; i < n; i++) {
		op->few[i] = (ucp_dt_iov_t){parts[i].iov_base, parts[i].iov_len};
		op->bytes += parts[i].iov_len;
	}
	return n;
}

/* How long the next frame may be, 0: none now. */
static uint64_t cut_frame(const struct tt_ucx_peer *peer, bool *direct)
{
	uint64_t left = peer->sends.end - peer->cut_at,
		 asked = peer->posted > peer->cut_at ? peer->posted - peer->cut_at : 0,
		 run = left ? tt_place_run(&peer->cut, left).bytes : 0;

	*direct = run >= TT_UCX_DIRECT && asked >= TT_UCX_DIRECT;
	if (*direct)
		return peer->directs < TT_UCX_DIRECTS ? least(least(run, asked), TT_UCX_LONGEST)
						      : 0;
	return least(least(left, TT_UCX_EAGER), TT_UCX_WINDOW - (peer->eager - peer->eager_placed));
}

static bool send_frame(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer)
{
	bool direct;

	if (peer->cut_at == peer->sends.end)
		return false;
	if (!peer->cut.transfer)
		peer->cut = tt_transfers_find(&peer->sends, peer->cut_at);
	tt_place_settle(&peer->cut);
	uint64_t bytes = cut_frame(peer, &direct);
	struct tt_ucx_op *op = bytes ? tt_ucx_op_new(endpoint, peer) : NULL;
	if (!op)
		return false;
	struct tt_ucx_message message = {
		.kind = TT_UCX_FRAME, .from = endpoint->rank, .at = peer->cut_at};
	memcpy(message.proof, peer->mine, TT_UCX_TOKEN);
	op->what = TT_UCX_SEND;
	op->direct = direct;
	op->at = peer->cut_at;
	int n = gather(op, peer, bytes);
	tt_place_skip(&peer->cut, op->bytes);
	peer->cut_at += op->bytes;
	if (!direct)
		peer->eager += op->bytes;
	endpoint->moved = true;
	tt_ucx_op_send(op, &message, n);
	return true;
}

void tt_ucx_moved(struct tt_ucx_op *op)
{
	struct tt_ucx_peer *peer = op->peer;

	if (op->endpoint->closing || op->what == TT_UCX_CONTROL)
		return;
	op->endpoint->moved = true;
	if (!tt_transfers_credit(op->what == TT_UCX_SEND ? &peer->sends : &peer->receives, op->at,
				 op->bytes))
		bad_frame(op->endpoint, peer, "a part of a frame comes twice");
}

/* --- in -------------------------------------------------------------------------------------- */

static bool stage(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer, uint64_t at,
		  const unsigned char *data, size_t bytes)
{
	struct tt_ucx_chunk **link = &peer->stage;

	if (peer->staged + bytes > TT_UCX_WINDOW) {
		bad_frame(endpoint, peer, "more comes than is allowed");
		return false;
	}
	struct tt_ucx_chunk *chunk = malloc(sizeof *chunk + bytes);
	if (!chunk) {
		endpoint->failed = tt_fail_memory(bytes, "what comes from a rank");
		return false;
	}
	chunk->at = at;
	chunk->bytes = bytes;
	chunk->taken = 0;
	memcpy(chunk->data, data, bytes);
	while (*link && (*link)->at < at)
		link = &(*link)->next;
	chunk->next = *link;
	*link = chunk;
	peer->staged += bytes;
	return true;
}

/* Eager bytes whose receive has been started. */
static bool place(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer, uint64_t at,
		  const unsigned char *data, size_t bytes)
{
	tt_place_put(tt_transfers_find(&peer->receives, at), data, bytes);
	if (!tt_transfers_credit(&peer->receives, at, bytes)) {
		bad_frame(endpoint, peer, "a part of a frame comes twice");
		return false;
	}
	peer->placed += bytes;
	endpoint->moved = true;
	return true;
}

/* What is staged and has a place by now. */
static void unstage(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer)
{
	while (peer->stage && peer->stage->at < peer->receives.end) {
		struct tt_ucx_chunk *chunk = peer->stage;
		size_t bytes = (size_t)least(chunk->bytes, peer->receives.end - chunk->at);
		if (!place(endpoint, peer, chunk->at, chunk->data + chunk->taken, bytes))
			return;
		peer->staged -= bytes;
		chunk->at += bytes;
		chunk->taken += bytes;
		chunk->bytes -= bytes;
		if (!chunk->bytes) {
			peer->stage = chunk->next;
			free(chunk);
		}
	}
}

static bool is_past(const struct tt_ucx_peer *peer, uint64_t at)
{
	return at < (peer->receives.head ? peer->receives.head->begins : peer->receives.end);
}

static void take_eager(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer, uint64_t at,
		       const unsigned char *data, size_t bytes)
{
	uint64_t posted = peer->receives.end;
	size_t now = at < posted ? (size_t)least(bytes, posted - at) : 0;

	if (is_past(peer, at) || at > UINT64_MAX - bytes) {
		bad_frame(endpoint, peer, "a frame is out of place");
		return;
	}
	peer->arrived += bytes;
	if (now && !place(endpoint, peer, at, data, now))
		return;
	if (now < bytes)
		stage(endpoint, peer, at + now, data + now, bytes - now);
}

/* The runs of memory that take `bytes` from a place: at least one. */
static int scatter(struct tt_ucx_op *op, struct tt_place at, uint64_t bytes)
{
	struct tt_place to = at;
	size_t n = 0;

	for (uint64_t left = bytes; left; n++) {
		tt_place_settle(&to);
		size_t run = tt_place_run(&to, left).bytes;
		to.in_span += run;
		left -= run;
	}
	if (n > TT_UCX_IOVS)
		op->parts = malloc(n * sizeof *op->parts);
	if (!op->parts) {
		op->parts = op->few;
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		tt_place_settle(&at);
		struct tt_span run = tt_place_run(&at, bytes);
		op->parts[i] = (ucp_dt_iov_t){run.at, run.bytes};
		at.in_span += run.bytes;
		bytes -= run.bytes;
	}
	return (int)n;
}

static ucs_status_t take_direct(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer, uint64_t at,
				void *data, size_t bytes)
{
	if (!bytes || bytes > TT_UCX_LONGEST || is_past(peer, at) || at > peer->receives.end ||
	    peer->receives.end - at < bytes) {
		bad_frame(endpoint, peer, "a frame is out of place");
		return UCS_ERR_CANCELED;
	}
	struct tt_ucx_op *op = tt_ucx_op_new(endpoint, peer);
	if (!op)
		return UCS_ERR_NO_MEMORY;
	op->what = TT_UCX_RECEIVE;
	op->at = at;
	op->bytes = bytes;
	peer->arrived += bytes;
	int n = scatter(op, tt_transfers_find(&peer->receives, at), bytes);
	if (!n)
		endpoint->failed = tt_fail_memory(bytes, "the parts of a frame");
	else
		tt_ucx_op_receive(op, data, n);
	return n ? UCS_INPROGRESS : UCS_ERR_NO_MEMORY;
}

static ucs_status_t take_frame(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer, uint64_t at,
			       void *data, size_t bytes, bool direct)
{
	if (endpoint->closing)
		return direct ? UCS_ERR_CANCELED : UCS_OK;
	if (direct)
		return take_direct(endpoint, peer, at, data, bytes);
	take_eager(endpoint, peer, at, data, bytes);
	return UCS_OK;
}

static void take_credit(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer,
			const struct tt_ucx_message *message)
{
	if (message->placed > peer->eager || message->placed < peer->eager_placed ||
	    message->posted < peer->posted) {
		bad_frame(endpoint, peer, "it has received what was not sent");
		return;
	}
	peer->posted = message->posted;
	peer->eager_placed = message->placed;
}

static ucs_status_t hear(struct tt_endpoint *endpoint, const struct tt_ucx_message *message,
			 void *data, size_t bytes, bool direct)
{
	struct tt_ucx_peer *peer = &endpoint->peers[message->from];

	if (message->kind > TT_UCX_PROOF &&
	    (!peer->open || !tt_ucx_same(message->proof, peer->theirs, TT_UCX_TOKEN))) {
		tt_log("rank %d: sent away a stranger: it claims to be rank %d and has no proof",
		       endpoint->rank, message->from);
		return UCS_OK;
	}
	tt_ucx_try_peer(endpoint, peer);
	switch (message->kind) {
	case TT_UCX_HELLO:
		tt_ucx_hear_hello(endpoint, message);
		break;
	case TT_UCX_PROOF:
		tt_ucx_hear_proof(endpoint, message);
		break;
	case TT_UCX_FRAME:
		return take_frame(endpoint, peer, message->at, data, bytes, direct);
	case TT_UCX_CREDIT:
		take_credit(endpoint, peer, message);
		break;
	case TT_UCX_BYE:
		peer->left = peer->asks = true;
		break;
	case TT_UCX_HEARD:
		peer->heard = true;
		break;
	}
	return UCS_OK;
}

ucs_status_t tt_ucx_heard(void *context, const void *header, size_t header_bytes, void *data,
			  size_t bytes, const ucp_am_recv_param_t *param)
{
	struct tt_endpoint *endpoint = context;
	struct tt_ucx_message message;
	bool direct = param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV;
	const char *wrong = tt_ucx_message_read(header, header_bytes, endpoint->rank,
						endpoint->nranks, &message);

	if (endpoint->failed)
		return direct ? UCS_ERR_CANCELED : UCS_OK;
	if (!wrong && bytes && message.kind != TT_UCX_FRAME)
		wrong = "says too much";
	if (!wrong)
		return hear(endpoint, &message, data, bytes, direct);
	tt_log("rank %d: sent away a stranger: it %s", endpoint->rank, wrong);
	return UCS_OK;
}

/* --- a peer's turn --------------------------------------------------------------------------- */

/* How far receives have been started, when a direct frame could use it; what was placed. */
static void tell(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer)
{
	struct tt_ucx_message message = {
		.kind = TT_UCX_CREDIT, .posted = peer->receives.end, .placed = peer->placed};
	bool posted = peer->receives.end - peer->told_posted >= TT_UCX_DIRECT &&
		      peer->receives.end >= peer->arrived + TT_UCX_DIRECT,
	     placed = peer->placed - peer->told_placed >= TT_UCX_WINDOW / 2;

	if (peer->left || (!posted && !placed) || !tt_ucx_say(endpoint, peer, &message))
		return;
	peer->told_posted = message.posted;
	peer->told_placed = message.placed;
}

void tt_ucx_serve(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer)
{
	unstage(endpoint, peer);
	finish(endpoint, peer);
	if (!peer->open) {
		tt_ucx_answer(endpoint, peer);
		if (peer->sends.head)
			tt_ucx_connect(endpoint, peer, tt_clock_ns());
		return;
	}
	if (peer->gone || endpoint->failed)
		return;
	tt_ucx_answer(endpoint, peer);
	if (peer->asks &&
	    tt_ucx_say(endpoint, peer, &(struct tt_ucx_message){.kind = TT_UCX_HEARD}))
		peer->asks = false;
	tell(endpoint, peer);
	while (!peer->left && !peer->gone && !peer->answers && send_frame(endpoint, peer))
		;
	finish(endpoint, peer);
}
