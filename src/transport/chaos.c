/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chaos - breaks any other transport on purpose: all of what the contract allows, and
 * what a failing host does.
 *
 * Every transfer goes through the inner transport in pieces of 1 byte to `longest`, one piece of a
 * peer and direction at a time.  A piece may be held back, so that peers overtake each other;
 * sometimes nothing moves for a while; and at a chosen piece the rank fails or kills itself.  All
 * of it follows from the seed and from when the inner transport moves.
 */
#include "transport/chaos.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"

enum { LONGEST = 64 << 10, HELD_OF = 8, STALLS_OF = 64, NAP_NS = 100000 };

/* One peer and direction. */
struct stream {
	struct tt_transfer_state *head, **tail; /* the caller's */
	struct tt_transfer_state piece;         /* of the head */
	struct tt_span span;
	bool under_way;
	uint64_t not_before;
};

struct tt_endpoint {
	struct tt_chaos_context how;
	struct tt_endpoint *inner;
	struct stream *streams; /* [2 * nranks]: sends, then receives */
	uint64_t random, pieces, stalled_until;
};

static uint64_t pick(struct tt_endpoint *endpoint, uint64_t below)
{
	endpoint->random = endpoint->random * 6364136223846793005u + 1442695040888963407u;
	return below ? (endpoint->random >> 33) % below : 0;
}

static void forget(struct tt_endpoint *endpoint)
{
	for (int i = 0; i < 2 * endpoint->how.nranks; i++)
		endpoint->streams[i] = (struct stream){.tail = &endpoint->streams[i].head};
}

static totum_status chaos_open(const void *context, struct tt_endpoint **out)
{
	const struct tt_chaos_context *how = context;
	struct tt_endpoint *endpoint = calloc(1, sizeof *endpoint);

	if (!endpoint)
		return tt_fail_memory(sizeof *endpoint, "a transport's endpoint");
	endpoint->how = *how;
	if (!how->longest)
		endpoint->how.longest = LONGEST;
	endpoint->random = how->seed + (uint64_t)how->rank * 0x9e3779b97f4a7c15u;
	endpoint->streams = calloc(2 * (size_t)how->nranks, sizeof *endpoint->streams);
	totum_status status =
		endpoint->streams
			? how->inner->open(how->context, &endpoint->inner)
			: tt_fail_memory(2 * (size_t)how->nranks * sizeof(struct stream), "chaos");
	if (status) {
		free(endpoint->streams);
		free(endpoint);
		return status;
	}
	forget(endpoint);
	tt_log("chaos over %s on rank %d: seed %" PRIu64, how->inner->name, how->rank, how->seed);
	*out = endpoint;
	return TOTUM_OK;
}

static void chaos_close(struct tt_endpoint *endpoint)
{
	endpoint->how.inner->close(endpoint->inner);
	free(endpoint->streams);
	free(endpoint);
}

static totum_status add(struct stream *stream, struct tt_transfer_state *transfer)
{
	transfer->done = false;
	transfer->span = 0;
	transfer->in_span = 0;
	transfer->next = NULL;
	*stream->tail = transfer;
	stream->tail = &transfer->next;
	/* somebody waits for the piece when somebody waits behind it */
	stream->piece.idle &= transfer->idle;
	return TOTUM_OK;
}

static totum_status chaos_send(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer)
{
	return add(&endpoint->streams[transfer->peer], transfer);
}

static totum_status chaos_receive(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer)
{
	return add(&endpoint->streams[endpoint->how.nranks + transfer->peer], transfer);
}

/* Ends the transfers of which nothing is left; true when there were any. */
static bool end_finished(struct stream *stream)
{
	bool ended = false;

	while (stream->head) {
		struct tt_transfer_state *transfer = stream->head;
		while (transfer->span < transfer->nspans &&
		       transfer->in_span == transfer->spans[transfer->span].bytes) {
			transfer->span++;
			transfer->in_span = 0;
		}
		if (transfer->span < transfer->nspans)
			break;
		stream->head = transfer->next;
		if (!stream->head)
			stream->tail = &stream->head;
		transfer->done = true;
		ended = true;
	}
	return ended;
}

static totum_status start_piece(struct tt_endpoint *endpoint, int i)
{
	struct stream *stream = &endpoint->streams[i];
	struct tt_transfer_state *transfer = stream->head;
	const struct tt_span *span = &transfer->spans[transfer->span];
	int n = endpoint->how.nranks;
	/* as likely to be short as to be long: up to 2^0, 2^1, .. */
	size_t left = span->bytes - transfer->in_span, most = (size_t)1 << pick(endpoint, 20);
	bool idle = true;

	most = most < endpoint->how.longest ? most : endpoint->how.longest;
	most = 1 + pick(endpoint, most);
	for (const struct tt_transfer_state *each = transfer; each; each = each->next)
		idle &= each->idle;
	stream->span = (struct tt_span){span->at + transfer->in_span, left < most ? left : most};
	stream->piece = (struct tt_transfer_state){
		.spans = &stream->span,
		.nspans = 1,
		.peer = i < n ? i : i - n,
		.idle = idle,
	};
	stream->under_way = true;
	return i < n ? endpoint->how.inner->send(endpoint->inner, &stream->piece)
		     : endpoint->how.inner->receive(endpoint->inner, &stream->piece);
}

static totum_status count_piece(struct tt_endpoint *endpoint)
{
	const struct tt_chaos_context *how = &endpoint->how;

	endpoint->pieces++;
	if (endpoint->pieces == how->kill_at)
		raise(SIGKILL);
	if (endpoint->pieces == how->fail_at)
		return tt_fail(TOTUM_ESYSTEM,
			       "chaos with the seed %" PRIu64
			       " fails rank %d at its piece %" PRIu64 ", as it was asked to",
			       how->seed, how->rank, how->fail_at);
	return TOTUM_OK;
}

/* A piece that has moved ends, and another one starts unless it is held back. */
static totum_status advance(struct tt_endpoint *endpoint, int i, uint64_t now, bool *moved)
{
	struct stream *stream = &endpoint->streams[i];
	totum_status status = TOTUM_OK;

	if (stream->under_way && stream->piece.done) {
		stream->under_way = false;
		stream->head->in_span += stream->span.bytes;
		*moved = true;
		if (!pick(endpoint, HELD_OF))
			stream->not_before = now + pick(endpoint, endpoint->how.delay_us) * 1000;
		status = count_piece(endpoint);
	}
	if (status || stream->under_way)
		return status;
	*moved |= end_finished(stream);
	return stream->head && now >= stream->not_before ? start_piece(endpoint, i) : TOTUM_OK;
}

static totum_status chaos_progress(struct tt_endpoint *endpoint, bool *moved)
{
	int n = 2 * endpoint->how.nranks;
	uint64_t now = tt_clock_ns();

	*moved = false;
	if (now < endpoint->stalled_until)
		return TOTUM_OK;
	if (!pick(endpoint, STALLS_OF))
		endpoint->stalled_until = now + pick(endpoint, endpoint->how.stall_us) * 1000;
	totum_status status = endpoint->how.inner->progress(endpoint->inner, moved);
	int first = (int)pick(endpoint, (uint64_t)n);
	for (int i = 0; i < n && !status; i++)
		status = advance(endpoint, (first + i) % n, now, moved);
	return status;
}

static bool holds_back(const struct tt_endpoint *endpoint)
{
	for (int i = 0; i < 2 * endpoint->how.nranks; i++)
		if (endpoint->streams[i].head && !endpoint->streams[i].under_way)
			return true;
	return tt_clock_ns() < endpoint->stalled_until;
}

static totum_status chaos_wait(struct tt_endpoint *endpoint, uint64_t idle_since)
{
	if (!holds_back(endpoint))
		return endpoint->how.inner->wait(endpoint->inner, idle_since);
	nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
	return TOTUM_OK;
}

static totum_status chaos_check(struct tt_endpoint *endpoint, uint64_t idle_since)
{
	if (holds_back(endpoint))
		return TOTUM_OK;
	return endpoint->how.inner->check(endpoint->inner, idle_since);
}

static bool waits_in(const struct stream *stream)
{
	for (const struct tt_transfer_state *transfer = stream->head; transfer;
	     transfer = transfer->next)
		if (!transfer->idle)
			return true;
	return false;
}

static bool chaos_waits(const struct tt_endpoint *endpoint, int peer)
{
	return waits_in(&endpoint->streams[peer]) ||
	       waits_in(&endpoint->streams[endpoint->how.nranks + peer]);
}

static void chaos_cancel(struct tt_endpoint *endpoint)
{
	endpoint->how.inner->cancel(endpoint->inner);
	forget(endpoint);
}

const struct tt_transport tt_transport_chaos = {
	.name = "chaos",
	.open = chaos_open,
	.close = chaos_close,
	.send = chaos_send,
	.receive = chaos_receive,
	.progress = chaos_progress,
	.wait = chaos_wait,
	.check = chaos_check,
	.waits = chaos_waits,
	.cancel = chaos_cancel,
};
