/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory - the transport of one host: a ring of bytes for every ordered pair of ranks, in
 * the communicator's area.
 *
 * The sender copies into the ring what fits and advances `written`; the receiver copies out and
 * advances `read`.  Each count has one writer.  Whoever advances a count rings the other side's
 * bell if that one listens, so a rank sleeps on one word whatever it waits for.  Two copies a byte,
 * no system call while both sides keep up.
 */
#include "transport/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "host/copy.h"
#include "host/host.h"

/* Transfers of one peer and direction, in order; the head is the one under way. */
struct queue {
	struct tt_transfer_state *head, **tail;
};

struct tt_endpoint {
	struct tt_host *host;
	enum tt_lane lane;
	const int *places;              /* of peers among the ranks of the host; NULL: the same */
	struct queue *sends, *receives; /* [nranks] each */
};

static void queue_clear(struct tt_endpoint *endpoint)
{
	for (int peer = 0; peer < endpoint->host->nranks; peer++) {
		endpoint->sends[peer] = (struct queue){NULL, &endpoint->sends[peer].head};
		endpoint->receives[peer] = (struct queue){NULL, &endpoint->receives[peer].head};
	}
}

static void queue_add(struct queue *queue, struct tt_transfer_state *transfer)
{
	transfer->done = false;
	transfer->span = 0;
	transfer->in_span = 0;
	transfer->next = NULL;
	*queue->tail = transfer;
	queue->tail = &transfer->next;
}

static totum_status memory_open(const void *context, struct tt_endpoint **out)
{
	const struct tt_memory_context *from = context;
	struct tt_host *host = from->host;
	struct tt_endpoint *endpoint = calloc(1, sizeof *endpoint);

	if (!endpoint)
		return tt_fail_memory(sizeof *endpoint, "a transport's endpoint");
	endpoint->host = host;
	endpoint->lane = from->lane;
	endpoint->places = from->places;
	endpoint->sends = calloc(2 * (size_t)host->nranks, sizeof *endpoint->sends);
	if (!endpoint->sends) {
		free(endpoint);
		return tt_fail_memory(2 * (size_t)host->nranks * sizeof *endpoint->sends,
				      "transfer queues");
	}
	endpoint->receives = endpoint->sends + host->nranks;
	queue_clear(endpoint);
	*out = endpoint;
	return TOTUM_OK;
}

static void memory_close(struct tt_endpoint *endpoint)
{
	free(endpoint->sends);
	free(endpoint);
}

/* A peer among the ranks of the host. */
static int place_of(const struct tt_endpoint *endpoint, int peer)
{
	return endpoint->places ? endpoint->places[peer] : peer;
}

static totum_status memory_send(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer)
{
	queue_add(&endpoint->sends[place_of(endpoint, transfer->peer)], transfer);
	return TOTUM_OK;
}

static totum_status memory_receive(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer)
{
	queue_add(&endpoint->receives[place_of(endpoint, transfer->peer)], transfer);
	return TOTUM_OK;
}

static void ring_bell(struct tt_host *host, int peer)
{
	struct tt_desk *desk = tt_area_desk(host->area, peer);

	/* seq_cst: after the count just stored, in the one order that listen_and_sleep sees too */
	if (!atomic_load_explicit(&desk->listening, memory_order_seq_cst))
		return;
	atomic_fetch_add_explicit(&desk->bell, 1, memory_order_seq_cst);
	tt_wake(&desk->bell);
}

/* Between the ring at count `at` and the transfer's spans: up to `room` bytes; returns how many. */
static size_t copy_ring(struct tt_channel *channel, uint64_t at, size_t room,
			struct tt_transfer_state *transfer, bool sends)
{
	size_t moved = 0;

	while (moved < room && transfer->span < transfer->nspans) {
		const struct tt_span *span = &transfer->spans[transfer->span];
		size_t place = (size_t)((at + moved) & (TT_CHANNEL - 1)),
		       now = span->bytes - transfer->in_span;
		now = now < room - moved ? now : room - moved;
		now = now < TT_CHANNEL - place ? now : TT_CHANNEL - place;
		unsigned char *mine = span->at + transfer->in_span;
		if (sends)
			tt_copy(channel->ring + place, mine, now);
		else
			tt_copy(mine, channel->ring + place, now);
		moved += now;
		transfer->in_span += now;
		if (transfer->in_span == span->bytes) {
			transfer->span++;
			transfer->in_span = 0;
		}
	}
	return moved;
}

/* A transfer without bytes, or with none left, needs no room in the ring. */
static bool is_finished(struct tt_transfer_state *transfer)
{
	while (transfer->span < transfer->nspans && !transfer->spans[transfer->span].bytes)
		transfer->span++;
	return transfer->span == transfer->nspans;
}

/* One peer, one direction: true when bytes moved, or a transfer is done. */
static bool advance(struct tt_endpoint *endpoint, int peer, struct queue *queue, bool sends)
{
	struct tt_host *host = endpoint->host;
	struct tt_channel *channel = tt_area_channel(host->area, host->nranks, endpoint->lane,
						     sends ? host->rank : peer,
						     sends ? peer : host->rank);
	/* the own count needs no order; acquire: pairs with the other's release after its copy */
	uint64_t mine = atomic_load_explicit(sends ? &channel->written : &channel->read,
					     memory_order_relaxed);
	uint64_t theirs = atomic_load_explicit(sends ? &channel->read : &channel->written,
					       memory_order_acquire);
	size_t room = sends ? TT_CHANNEL - (size_t)(mine - theirs) : (size_t)(theirs - mine);
	size_t moved = 0;
	bool ended = false;

	while (queue->head) {
		struct tt_transfer_state *transfer = queue->head;
		moved += copy_ring(channel, mine + moved, room - moved, transfer, sends);
		if (!is_finished(transfer))
			break;
		queue->head = transfer->next;
		if (!queue->head)
			queue->tail = &queue->head;
		transfer->done = true;
		ended = true;
	}
	if (!moved)
		return ended;
	/* seq_cst: pairs with the other side's acquire, and comes before the look at who listens */
	atomic_store_explicit(sends ? &channel->written : &channel->read, mine + moved,
			      memory_order_seq_cst);
	ring_bell(host, peer);
	return true;
}

static totum_status memory_progress(struct tt_endpoint *endpoint, bool *moved)
{
	int n = endpoint->host->nranks;

	*moved = false;
	for (int i = 1; i < n; i++) {
		int peer = tt_host_peer(endpoint->host, i);
		if (endpoint->sends[peer].head)
			*moved |= advance(endpoint, peer, &endpoint->sends[peer], true);
		if (endpoint->receives[peer].head)
			*moved |= advance(endpoint, peer, &endpoint->receives[peer], false);
	}
	if (*moved)
		tt_host_show_wait(endpoint->host, -1);
	return TOTUM_OK;
}

static bool can_send(const struct tt_endpoint *endpoint, int peer)
{
	struct tt_host *host = endpoint->host;
	struct tt_channel *out = tt_area_channel(host->area, host->nranks, endpoint->lane,
						 host->rank, peer);

	return endpoint->sends[peer].head &&
	       atomic_load_explicit(&out->written, memory_order_relaxed) -
		       atomic_load_explicit(&out->read, memory_order_seq_cst) < TT_CHANNEL;
}

static bool can_receive(const struct tt_endpoint *endpoint, int peer)
{
	struct tt_host *host = endpoint->host;
	struct tt_channel *in = tt_area_channel(host->area, host->nranks, endpoint->lane, peer,
						host->rank);

	return endpoint->receives[peer].head &&
	       atomic_load_explicit(&in->written, memory_order_seq_cst) !=
		       atomic_load_explicit(&in->read, memory_order_relaxed);
}

static bool can_move(const struct tt_endpoint *endpoint)
{
	for (int peer = 0; peer < endpoint->host->nranks; peer++)
		if (can_send(endpoint, peer) || can_receive(endpoint, peer))
			return true;
	return false;
}

static bool is_waited_for(const struct queue *queue)
{
	for (const struct tt_transfer_state *transfer = queue->head; transfer;
	     transfer = transfer->next)
		if (!transfer->idle)
			return true;
	return false;
}

/* What the peer has sent and this rank not taken is nothing to wait for: the peer may have gone. */
static bool waits_for(const void *context, int peer)
{
	const struct tt_endpoint *endpoint = context;

	return (is_waited_for(&endpoint->sends[peer]) && !can_send(endpoint, peer)) ||
	       (is_waited_for(&endpoint->receives[peer]) && !can_receive(endpoint, peer));
}

static void listen_and_sleep(struct tt_endpoint *endpoint)
{
	struct tt_host *host = endpoint->host;
	struct tt_desk *desk = host->desk;
	uint32_t seen = atomic_load_explicit(&desk->bell, memory_order_relaxed);
	int peer = 0;

	while (peer < host->nranks && !waits_for(endpoint, peer))
		peer++;
	tt_host_show_wait(host, peer < host->nranks ? peer : -1);

	/* seq_cst: listening is visible before the counts are read again; pairs with ring_bell */
	atomic_store_explicit(&desk->listening, 1, memory_order_seq_cst);
	if (!can_move(endpoint) && !atomic_load_explicit(&host->head->failed, memory_order_seq_cst))
		tt_sleep(&desk->bell, seen);
	atomic_store_explicit(&desk->listening, 0, memory_order_relaxed);
}

static totum_status memory_check(struct tt_endpoint *endpoint, uint64_t idle_since)
{
	return tt_host_check(endpoint->host, idle_since, waits_for, endpoint);
}

static totum_status memory_wait(struct tt_endpoint *endpoint, uint64_t idle_since)
{
	struct tt_host *host = endpoint->host;

	if (!tt_host_patience(host, idle_since, tt_clock_ns()))
		return TOTUM_OK;
	listen_and_sleep(endpoint);
	return memory_check(endpoint, idle_since);
}

static bool memory_waits(const struct tt_endpoint *endpoint, int peer)
{
	int local = place_of(endpoint, peer);

	return is_waited_for(&endpoint->sends[local]) || is_waited_for(&endpoint->receives[local]);
}

const struct tt_transport tt_transport_memory = {
	.name = "memory",
	.open = memory_open,
	.close = memory_close,
	.send = memory_send,
	.receive = memory_receive,
	.progress = memory_progress,
	.wait = memory_wait,
	.check = memory_check,
	.waits = memory_waits,
	.cancel = queue_clear,
};
