/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_connect - attempts: all addresses of a peer at once, in rounds, until one of them is
 * proved to be the peer's.
 *
 * Both sides may try at the same time.  Who made the first connection of a pair knows an address
 * that works, and makes the other streams by it.  A peer whose addresses refuse is given half a
 * second, then it is dead: its listener is open for as long as it lives.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "transport/tcp_parts.h"

static const uint64_t ms = 1000000;

enum { ROUND_MS = 50, LONGEST_ROUND_MS = 1000, REFUSED_MS = 500, SLOW_MS = 1200 };

void tt_tcp_give_up(struct tt_tcp_conn *conn, const char *why, bool refused)
{
	if (conn->initiator) {
		struct tt_tcp_peer *peer = &conn->endpoint->peers[conn->peer];
		snprintf(peer->why, sizeof peer->why, "%s: %.60s", conn->text, why);
		peer->refused |= refused;
	} else {
		tt_log("sent away a stranger at %s: it %s", conn->text, why);
	}
	tt_tcp_conn_drop(conn);
}

static bool start(struct tt_tcp_conn *conn)
{
	struct tt_endpoint *endpoint = conn->endpoint;
	struct tt_tcp_hello hello = {.nranks = endpoint->nranks,
				     .from = endpoint->rank,
				     .to = conn->peer,
				     .stream = conn->stream};
	struct sockaddr_storage name;
	socklen_t length =
		tt_tcp_sockaddr(&endpoint->peers[conn->peer].card.addresses[conn->address], &name);

	if (getrandom(hello.nonce, TT_TCP_NONCE, 0) != TT_TCP_NONCE)
		return false;
	tt_tcp_hello_write(&hello, conn->hello);
	return !connect(conn->fd, (struct sockaddr *)&name, length) || errno == EINPROGRESS;
}

void tt_tcp_dial(struct tt_endpoint *endpoint, int peer, int stream, int address)
{
	struct tt_tcp_peer *to = &endpoint->peers[peer];
	const struct tt_tcp_address *at = &to->card.addresses[address];
	struct tt_tcp_conn *conn;
	char text[TT_TCP_TEXT];
	int fd = socket(at->family == 4 ? AF_INET : AF_INET6,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	tt_tcp_address_text(at, text);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
		endpoint->failed = tt_fail(TOTUM_ESYSTEM,
					   "rank %d cannot connect to rank %d on host %s: %s; "
					   "raise the limit of open files (ulimit -n)",
					   endpoint->rank, peer, to->card.host, strerror(errno));
		return;
	}
	if (fd < 0) { /* no IPv6 here, say */
		snprintf(to->why, sizeof to->why, "%s: %.60s", text, strerror(errno));
		return;
	}
	totum_status status = tt_tcp_conn_new(endpoint, fd, TT_TCP_CONNECTING, &conn);
	if (status) {
		endpoint->failed = status;
		return;
	}
	memcpy(conn->text, text, sizeof text);
	conn->initiator = true;
	conn->peer = peer;
	conn->stream = stream;
	conn->address = address;
	to->attempts++;
	errno = 0;
	if (!start(conn))
		tt_tcp_give_up(conn, strerror(errno), errno == ECONNREFUSED);
}

static void start_round(struct tt_endpoint *endpoint, int peer, uint64_t now)
{
	struct tt_tcp_peer *to = &endpoint->peers[peer];
	uint64_t before = to->round_ns ? to->next_round_ns - to->round_ns : ROUND_MS * ms / 2;

	to->refused = false;
	to->round_ns = now;
	to->next_round_ns = now + (before < LONGEST_ROUND_MS * ms ? 2 * before : before);
	for (int i = 0; i < to->card.naddresses; i++)
		tt_tcp_dial(endpoint, peer, 0, i);
}

void tt_tcp_want(struct tt_endpoint *endpoint, int peer, uint64_t now)
{
	struct tt_tcp_peer *to = &endpoint->peers[peer];

	if (to->conns[0] || to->attempts || to->dead)
		return;
	if (now >= to->next_round_ns || (!to->round_ns && to->sends.head))
		start_round(endpoint, peer, now);
}

/* The other attempts at this stream end: the lower rank has chosen, and a higher rank knows it. */
static void end_attempts(struct tt_endpoint *endpoint, const struct tt_tcp_conn *chosen)
{
	for (struct tt_tcp_conn *conn = endpoint->conns, *next; conn; conn = next) {
		next = conn->next;
		if (conn != chosen && conn->initiator && conn->peer == chosen->peer &&
		    conn->stream == chosen->stream && conn->state < TT_TCP_OPEN)
			tt_tcp_conn_drop(conn);
	}
}

void tt_tcp_opened(struct tt_tcp_conn *conn)
{
	struct tt_endpoint *endpoint = conn->endpoint;
	struct tt_tcp_peer *peer = &endpoint->peers[conn->peer];

	if (conn->initiator)
		peer->attempts--;
	else if (conn->state < TT_TCP_WAIT_GO)
		endpoint->half_open--;
	conn->state = TT_TCP_OPEN;
	peer->conns[conn->stream] = conn;
	peer->refused_since_ns = 0;
	tt_log("rank %d: stream %d with rank %d on %s is open, %s %s", endpoint->rank, conn->stream,
	       conn->peer, peer->card.host, conn->initiator ? "to" : "from", conn->text);
	end_attempts(endpoint, conn);
	for (int stream = 1; stream < endpoint->streams && conn->initiator && !conn->stream;
	     stream++)
		tt_tcp_dial(endpoint, conn->peer, stream, conn->address);
	tt_tcp_try(conn);
}

/* No attempt under way has an answer, and the peer has not proved itself on one of its own. */
static bool is_silent(const struct tt_endpoint *endpoint, int peer)
{
	for (const struct tt_tcp_conn *conn = endpoint->conns; conn; conn = conn->next)
		if (conn->peer == peer && (conn->initiator ? conn->state != TT_TCP_CONNECTING
							   : conn->state == TT_TCP_WAIT_GO))
			return false;
	return true;
}

/* Refusals of half a second, or some and silence from the others: nobody listens there any more. */
static void judge(struct tt_endpoint *endpoint, int rank, uint64_t now)
{
	struct tt_tcp_peer *peer = &endpoint->peers[rank];

	if (peer->conns[0] || !peer->round_ns || peer->dead)
		return;
	if (!peer->refused) {
		if (!peer->attempts)
			peer->refused_since_ns = 0;
		return;
	}
	if (!peer->refused_since_ns)
		peer->refused_since_ns = now;
	uint64_t since = now - peer->refused_since_ns;
	peer->dead = since > (peer->attempts ? SLOW_MS : REFUSED_MS) * ms &&
		     is_silent(endpoint, rank);
}

static bool is_waited_for(const struct tt_transfers *queue)
{
	for (const struct tt_transfer_state *transfer = queue->head; transfer;
	     transfer = transfer->next)
		if (transfer->left && !transfer->idle)
			return true;
	return false;
}

void tt_tcp_timers(struct tt_endpoint *endpoint, uint64_t now)
{
	if (now - endpoint->timers_ns < 10 * ms)
		return;
	endpoint->timers_ns = now;
	for (struct tt_tcp_conn *conn = endpoint->conns, *next; conn; conn = next) {
		next = conn->next;
		if (!conn->initiator && conn->state < TT_TCP_WAIT_GO &&
		    now - conn->opened_ns > tt_tcp_half_open_ns)
			tt_tcp_give_up(conn, "says nothing", false);
	}
	/* a receiver connects too, a little later: else nobody notices a peer that died before */
	for (int rank = 0; rank < endpoint->nranks; rank++) {
		struct tt_tcp_peer *peer = &endpoint->peers[rank];
		if (peer->conns[0] || rank == endpoint->rank)
			continue;
		judge(endpoint, rank, now);
		if (!peer->sends.head && !is_waited_for(&peer->receives))
			continue;
		if (!peer->next_round_ns && !peer->sends.head)
			peer->next_round_ns = now + ROUND_MS * ms;
		tt_tcp_want(endpoint, rank, now);
	}
}
