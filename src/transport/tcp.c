/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp - the transport between hosts: the endpoint and its turn of work.
 *
 * A turn takes the events of all sockets, lets in who knocks, starts connections that transfers ask
 * for, and tries every connection that may have something to do.  See tcp_wire.h for what goes over
 * a connection, tcp_move.c for how bytes find their place, tcp_connect.c and tcp_handshake.c for
 * how connections are made.
 */
#include "transport/tcp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "transport/tcp_parts.h"

static const uint64_t spin_ns = 20000;

enum { SLEEP_MS = 5, DRAINED = 1 << 20, MOST_UNLOOKED = 16 };

/* --- opening and closing --------------------------------------------------------------------- */

static totum_status watch_listener(struct tt_endpoint *endpoint)
{
	endpoint->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (endpoint->epoll < 0)
		return tt_fail(TOTUM_ESYSTEM,
			       "cannot watch sockets: %s; "
			       "raise the limit of open files (ulimit -n)",
			       strerror(errno));
	for (int i = 0; i < endpoint->listener->n; i++) {
		struct epoll_event watch = {.events = EPOLLIN};
		if (epoll_ctl(endpoint->epoll, EPOLL_CTL_ADD, endpoint->listener->fds[i], &watch))
			return tt_fail(TOTUM_ESYSTEM, "cannot watch a listening socket: %s",
				       strerror(errno));
	}
	return TOTUM_OK;
}

static void forget(struct tt_endpoint *endpoint)
{
	endpoint->expecting = 0;
	endpoint->expected = NULL;
	for (int rank = 0; rank < endpoint->nranks; rank++) {
		struct tt_tcp_peer *peer = &endpoint->peers[rank];
		peer->sends = (struct tt_transfers){.tail = &peer->sends.head};
		peer->receives = (struct tt_transfers){.tail = &peer->receives.head};
		peer->cut = (struct tt_place){0};
		peer->cut_at = 0;
	}
}

/* What one rank is told to do, all must do. */
static totum_status check_alike(const struct tt_endpoint *endpoint, int rank)
{
	const struct tt_tcp_card *card = &endpoint->peers[rank].card;

	if (card->streams != endpoint->streams)
		return tt_fail(TOTUM_EINVAL,
			       "TOTUM_STREAMS is %d on rank %d (host %s) and %d on rank %d; "
			       "set it alike on all ranks",
			       card->streams, rank, card->host, endpoint->streams, endpoint->rank);
	if (card->checksum != endpoint->checksum)
		return tt_fail(TOTUM_EINVAL,
			       "TOTUM_CHECKSUM is %d on rank %d (host %s) and %d on rank %d; "
			       "set it alike on all ranks",
			       card->checksum, rank, card->host, endpoint->checksum,
			       endpoint->rank);
	if (card->encrypt != !!endpoint->tls)
		return tt_fail(TOTUM_EINVAL,
			       "TOTUM_ENCRYPT is %d on rank %d (host %s) and %d on rank %d; "
			       "set it alike on all ranks",
			       card->encrypt, rank, card->host, !!endpoint->tls, endpoint->rank);
	return TOTUM_OK;
}

static totum_status read_cards(struct tt_endpoint *endpoint, const unsigned char *blobs)
{
	for (int rank = 0; rank < endpoint->nranks; rank++) {
		totum_status status = tt_tcp_card_read(blobs + (size_t)rank * TT_TCP_BLOB,
						       &endpoint->peers[rank].card);
		if (status)
			return tt_fail_in(status, "rank %d", rank);
		status = check_alike(endpoint, rank);
		if (status)
			return status;
	}
	if (memcmp(endpoint->peers[endpoint->rank].card.id, endpoint->listener->card.id,
		   TT_TCP_ID) != 0)
		return tt_fail(TOTUM_EINVAL,
			       "the addresses of rank %d are not those of its listener: "
			       "exchange them by rank",
			       endpoint->rank);
	return TOTUM_OK;
}

static totum_status fill(struct tt_endpoint *endpoint, const struct tt_tcp_context *from)
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
	endpoint->listener = from->listener;
	endpoint->streams = from->listener->card.streams;
	endpoint->checksum = from->listener->card.checksum;
	endpoint->timeout_ns = from->timeout_ns;
	forget(endpoint);
	totum_status status = TOTUM_OK;
	if (from->listener->card.encrypt)
		status = tt_tcp_tls_new(from->secret, from->secret_bytes, &endpoint->tls);
	if (!status)
		status = read_cards(endpoint, from->blobs);
	return status ? status : watch_listener(endpoint);
}

static void destroy(struct tt_endpoint *endpoint)
{
	if (endpoint->epoll >= 0)
		close(endpoint->epoll);
	tt_tcp_tls_free(endpoint->tls);
	if (endpoint->secret)
		explicit_bzero(endpoint->secret, endpoint->secret_bytes);
	free(endpoint->secret);
	free(endpoint->peers);
	free(endpoint);
}

static totum_status tcp_open(const void *context, struct tt_endpoint **out)
{
	const struct tt_tcp_context *from = context;

	if (!from->secret_bytes || from->secret_bytes > 1 << 20)
		return tt_fail(TOTUM_EINVAL,
			       "ranks on several hosts need a secret of the job, "
			       "so that strangers cannot take part; start them with one");
	struct tt_endpoint *endpoint = calloc(1, sizeof *endpoint);
	if (!endpoint)
		return tt_fail_memory(sizeof *endpoint, "a transport's endpoint");
	endpoint->epoll = -1;
	totum_status status = fill(endpoint, from);
	if (status)
		destroy(endpoint);
	else
		*out = endpoint;
	return status;
}

/*
 * What has come and will not be read is taken out of the sockets: closing them with it would make
 * the system take back what this rank has sent.
 */
static void drain(const struct tt_tcp_conn *conn)
{
	char bin[16 << 10];

	for (size_t taken = 0; taken < DRAINED; taken += sizeof bin)
		if (recv(conn->fd, bin, sizeof bin, MSG_DONTWAIT) <= 0)
			return;
}

static void drop_all(struct tt_endpoint *endpoint)
{
	while (endpoint->conns) {
		if (endpoint->conns->state == TT_TCP_OPEN)
			drain(endpoint->conns);
		tt_tcp_conn_drop(endpoint->conns);
	}
	for (struct tt_tcp_conn *conn = endpoint->try_conns; conn; conn = conn->next_try)
		conn->queued = false;
	endpoint->try_conns = NULL;
	tt_tcp_conn_free_dropped(endpoint);
}

static void tcp_close(struct tt_endpoint *endpoint)
{
	drop_all(endpoint);
	tt_tcp_unlisten(endpoint->listener);
	destroy(endpoint);
}

/* The peers see the connections end, and fail too. */
static void tcp_cancel(struct tt_endpoint *endpoint)
{
	drop_all(endpoint);
	forget(endpoint);
}

/* --- transfers ------------------------------------------------------------------------------- */

static totum_status tcp_send(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer)
{
	struct tt_tcp_peer *peer = &endpoint->peers[transfer->peer];

	tt_transfers_add(&peer->sends, transfer);
	tt_tcp_try_peer(endpoint, peer);
	return TOTUM_OK;
}

static totum_status tcp_receive(struct tt_endpoint *endpoint, struct tt_transfer_state *transfer)
{
	struct tt_tcp_peer *peer = &endpoint->peers[transfer->peer];

	endpoint->expecting += !peer->receives.head;
	endpoint->expected = peer;
	tt_transfers_add(&peer->receives, transfer);
	tt_tcp_try_peer(endpoint, peer);
	return TOTUM_OK;
}

/* New transfers: those without bytes end, the others set their connections to work. */
static void serve_peers(struct tt_endpoint *endpoint)
{
	while (endpoint->try_peers) {
		struct tt_tcp_peer *peer = endpoint->try_peers;
		endpoint->try_peers = peer->next_try;
		peer->queued = false;
		tt_tcp_finish(endpoint, peer);
		if (peer->sends.head && !peer->conns[0])
			tt_tcp_want(endpoint, (int)(peer - endpoint->peers), tt_clock_ns());
		for (int i = 0; i < endpoint->streams; i++)
			if (peer->conns[i])
				tt_tcp_try(peer->conns[i]);
	}
}

/* --- a turn ---------------------------------------------------------------------------------- */

/* True when there may be more events. */
static bool take_events(struct tt_endpoint *endpoint, int wait_ms)
{
	struct epoll_event events[TT_TCP_EVENTS];
	int n = epoll_wait(endpoint->epoll, events, TT_TCP_EVENTS, wait_ms);

	for (int i = 0; i < n; i++) {
		struct tt_tcp_conn *conn = events[i].data.ptr;
		uint32_t what = events[i].events;
		if (!conn) {
			endpoint->doors = true;
			continue;
		}
		conn->hung |= (what & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
		conn->readable |= (what & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) &&
				  !conn->ended;
		conn->writable |= (what & EPOLLOUT) != 0;
		tt_tcp_try(conn);
	}
	return n == TT_TCP_EVENTS;
}

/* Each connection now on the list; those that put themselves on it again wait for the next turn. */
static totum_status try_conns(struct tt_endpoint *endpoint)
{
	struct tt_tcp_conn *conn = endpoint->try_conns;
	totum_status status = TOTUM_OK;

	endpoint->try_conns = NULL;
	while (conn) {
		struct tt_tcp_conn *next = conn->next_try;
		conn->queued = false;
		if (status) /* stays for the end */
			tt_tcp_try(conn);
		else if (conn->state < TT_TCP_OPEN)
			tt_tcp_shake_hands(conn);
		else if (conn->state == TT_TCP_OPEN)
			status = tt_tcp_move(conn);
		conn = next;
	}
	return status;
}

static totum_status look(struct tt_endpoint *endpoint)
{
	totum_status status = TOTUM_OK;

	endpoint->unlooked = 0;
	for (int i = 0; i < TT_TCP_TURNS && take_events(endpoint, 0); i++)
		;
	if (endpoint->doors)
		status = tt_tcp_accept(endpoint);
	return status ? status : try_conns(endpoint);
}

/*
 * Who has sent something and waits for one peer alone reads that one's answer without asking for
 * events first, which is a system call less on its way; true when the connection is to be tried.
 * Who only receives does not: each read would be in the way of what the peer's processor delivers.
 */
static bool glance(struct tt_endpoint *endpoint)
{
	const struct tt_tcp_peer *peer = endpoint->expected;
	struct tt_tcp_conn *conn = peer ? peer->conns[0] : NULL;

	if (!endpoint->glances || endpoint->expecting != 1 || endpoint->streams > 1 ||
	    !peer->receives.head || peer->receives.head->idle || peer->sends.head)
		return false;
	if (!conn || conn->state != TT_TCP_OPEN || conn->tls || conn->ended)
		return false;
	endpoint->glances--;
	conn->readable = true;
	tt_tcp_try(conn);
	return true;
}

static totum_status tcp_progress(struct tt_endpoint *endpoint, bool *moved)
{
	totum_status status = TOTUM_OK;

	*moved = false;
	if (endpoint->failed)
		return endpoint->failed;
	serve_peers(endpoint);
	status = try_conns(endpoint);
	/* while something moves without events they can wait, but not for ever: others may knock */
	if (!status && !endpoint->moved && glance(endpoint))
		status = try_conns(endpoint);
	else if (!status && (!endpoint->moved || ++endpoint->unlooked > MOST_UNLOOKED))
		status = look(endpoint);
	tt_tcp_conn_free_dropped(endpoint);
	tt_tcp_timers(endpoint, tt_clock_ns());
	*moved = endpoint->moved;
	endpoint->moved = false;
	if (status)
		endpoint->failed = status;
	return endpoint->failed;
}

static totum_status tcp_wait(struct tt_endpoint *endpoint, uint64_t idle_since)
{
	uint64_t now = tt_clock_ns();
	totum_status status = tt_tcp_check(endpoint, idle_since, now);

	if (!status && (now < idle_since || now - idle_since > spin_ns) && !endpoint->try_conns &&
	    !endpoint->try_peers)
		take_events(endpoint, SLEEP_MS);
	return status;
}

static totum_status tcp_check(struct tt_endpoint *endpoint, uint64_t idle_since)
{
	return tt_tcp_check(endpoint, idle_since, tt_clock_ns());
}

static bool tcp_waits(const struct tt_endpoint *endpoint, int peer)
{
	return tt_tcp_waits(&endpoint->peers[peer]);
}

const struct tt_transport tt_transport_tcp = {
	.name = "tcp",
	.open = tcp_open,
	.close = tcp_close,
	.send = tcp_send,
	.receive = tcp_receive,
	.progress = tcp_progress,
	.wait = tcp_wait,
	.check = tcp_check,
	.waits = tcp_waits,
	.cancel = tcp_cancel,
};
