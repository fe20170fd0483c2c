/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_handshake - from a socket to a connection that is believed: both sides prove that
 * they know the job's secret.
 *
 * Nothing here waits.  Somebody who knocks has a bounded place in the hall and a deadline; when
 * the hall is full the one who has stood there longest goes, which costs a rank that was merely
 * unlucky another attempt.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "transport/tcp_parts.h"

enum { MOST_ACCEPTS = 64 };

/* A few bytes into an empty socket: they fit, or the connection is as good as dead. */
static bool say(struct tt_tcp_conn *conn, const void *bytes, size_t n)
{
	return tt_tcp_write(conn, &(struct iovec){(void *)bytes, n}, 1) == (ssize_t)n;
}

static struct tt_tcp_proof_of proof_of(const struct tt_tcp_conn *conn)
{
	const struct tt_endpoint *endpoint = conn->endpoint;
	const unsigned char *mine = endpoint->peers[endpoint->rank].card.id,
			    *theirs = endpoint->peers[conn->peer].card.id;

	return (struct tt_tcp_proof_of){
		.secret = endpoint->secret,
		.secret_bytes = endpoint->secret_bytes,
		.hello = conn->hello,
		.nonce = conn->nonce,
		.initiator_id = conn->initiator ? mine : theirs,
		.responder_id = conn->initiator ? theirs : mine,
	};
}

/* Of racing connections the lower rank chooses the first that gets so far.  False: not this one. */
static bool choose(struct tt_tcp_conn *conn)
{
	struct tt_endpoint *endpoint = conn->endpoint;

	if (endpoint->peers[conn->peer].conns[conn->stream]) {
		tt_tcp_conn_drop(conn);
		return false;
	}
	if (!say(conn, tt_tcp_go, TT_TCP_WORD)) {
		tt_tcp_give_up(conn, strerror(errno), false);
		return false;
	}
	tt_tcp_opened(conn);
	return true;
}

/* Takes n bytes that have been read ahead; NULL when they are not there yet. */
static const unsigned char *take(struct tt_tcp_conn *conn, size_t n)
{
	const unsigned char *bytes = conn->in + conn->in_at;

	if (conn->in_end - conn->in_at < n)
		return NULL;
	conn->in_at += n;
	return bytes;
}

static bool hear_hello(struct tt_tcp_conn *conn)
{
	struct tt_endpoint *endpoint = conn->endpoint;
	struct tt_tcp_hello hello;
	unsigned char challenge[TT_TCP_CHALLENGE];
	const char *wrong = tt_tcp_hello_read(conn->in + conn->in_at, conn->in_end - conn->in_at,
					      endpoint->rank, endpoint->nranks, endpoint->streams,
					      &hello);
	const unsigned char *bytes = wrong ? NULL : take(conn, TT_TCP_HELLO);

	if (wrong)
		tt_tcp_give_up(conn, wrong, false);
	if (!bytes)
		return false;
	memcpy(conn->hello, bytes, TT_TCP_HELLO);
	conn->peer = hello.from;
	conn->stream = hello.stream;
	struct tt_tcp_proof_of of = proof_of(conn);
	if (getrandom(conn->nonce, TT_TCP_NONCE, 0) != TT_TCP_NONCE ||
	    !tt_tcp_prove(&of, false, challenge + TT_TCP_NONCE)) {
		tt_tcp_give_up(conn, "there are no random bytes or no hashes", false);
		return false;
	}
	memcpy(challenge, conn->nonce, TT_TCP_NONCE);
	if (!say(conn, challenge, sizeof challenge)) {
		tt_tcp_give_up(conn, "is gone", false);
		return false;
	}
	conn->state = TT_TCP_WAIT_PROOF;
	return true;
}

static bool hear_challenge(struct tt_tcp_conn *conn)
{
	const unsigned char *bytes = take(conn, TT_TCP_CHALLENGE);
	unsigned char proof[TT_TCP_PROOF];

	if (!bytes)
		return false;
	memcpy(conn->nonce, bytes, TT_TCP_NONCE);
	struct tt_tcp_proof_of of = proof_of(conn);
	if (!tt_tcp_proves(&of, false, bytes + TT_TCP_NONCE)) {
		tt_tcp_give_up(conn, "whoever listens there does not know the secret of this job",
			       true);
		return false;
	}
	if (!tt_tcp_prove(&of, true, proof) || !say(conn, proof, sizeof proof)) {
		tt_tcp_give_up(conn, "it is gone", false);
		return false;
	}
	conn->state = conn->endpoint->rank < conn->peer ? TT_TCP_WAIT_READY : TT_TCP_WAIT_GO;
	return true;
}

static bool hear_proof(struct tt_tcp_conn *conn)
{
	struct tt_endpoint *endpoint = conn->endpoint;
	const unsigned char *bytes = take(conn, TT_TCP_PROOF);

	if (!bytes)
		return false;
	struct tt_tcp_proof_of of = proof_of(conn);
	if (!tt_tcp_proves(&of, true, bytes)) {
		tt_tcp_give_up(conn, "does not know the secret of this job", false);
		return false;
	}
	if (endpoint->rank < conn->peer)
		return choose(conn);
	if (!say(conn, tt_tcp_ready, TT_TCP_WORD)) {
		tt_tcp_give_up(conn, "is gone", false);
		return false;
	}
	endpoint->half_open--;
	conn->state = TT_TCP_WAIT_GO;
	return true;
}

static bool hear_word(struct tt_tcp_conn *conn, const unsigned char word[static TT_TCP_WORD])
{
	const unsigned char *bytes = take(conn, TT_TCP_WORD);

	if (bytes && memcmp(bytes, word, TT_TCP_WORD) != 0) {
		tt_tcp_give_up(conn, "it does not keep to the handshake", false);
		return false;
	}
	return bytes;
}

/*
 * A higher rank opens what it is told to; a connection that it has for this stream cannot be, and
 * would be the older.
 */
static bool hear_go(struct tt_tcp_conn *conn)
{
	if (!hear_word(conn, tt_tcp_go))
		return false;
	struct tt_tcp_conn *older = conn->endpoint->peers[conn->peer].conns[conn->stream];
	if (older) {
		tt_tcp_give_up(conn, "it opens a stream that is open", false);
		return false;
	}
	tt_tcp_opened(conn);
	return true;
}

/* The socket, or TLS on it, is ready: the initiator speaks first. */
static bool begin(struct tt_tcp_conn *conn)
{
	if (conn->initiator && !say(conn, conn->hello, TT_TCP_HELLO)) {
		tt_tcp_give_up(conn, strerror(errno), false);
		return false;
	}
	conn->state = conn->initiator ? TT_TCP_WAIT_CHALLENGE : TT_TCP_WAIT_HELLO;
	return true;
}

static bool begin_tls(struct tt_tcp_conn *conn)
{
	conn->tls = tt_tcp_tls_conn_new(conn->endpoint->tls, conn->fd, conn->initiator);
	if (!conn->tls) {
		tt_tcp_give_up(conn, "cannot be encrypted: there is no memory", false);
		return false;
	}
	conn->state = TT_TCP_WAIT_TLS;
	return true;
}

static bool is_connected(struct tt_tcp_conn *conn)
{
	int error = 0;
	socklen_t length = sizeof error;

	if (!conn->writable && !conn->hung)
		return false;
	if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &length) || error) {
		tt_tcp_give_up(conn, strerror(error), error == ECONNREFUSED);
		return false;
	}
	return conn->endpoint->tls ? begin_tls(conn) : begin(conn);
}

/* A stranger cannot get further than this when the connection is encrypted. */
static bool shake_tls(struct tt_tcp_conn *conn)
{
	int step = tt_tcp_tls_shake_hands(conn->tls);

	if (step > 0)
		return begin(conn);
	if (step < 0 && conn->initiator)
		tt_tcp_give_up(
			conn,
			errno == EPROTO
				? "whoever listens there does not know the secret of this job"
				: "hung up",
			errno == EPROTO);
	else if (step < 0)
		tt_tcp_give_up(conn,
			       errno == EPROTO ? "does not encrypt by the secret of this job"
					       : "hung up",
			       false);
	return false;
}

static bool step(struct tt_tcp_conn *conn)
{
	switch (conn->state) {
	case TT_TCP_CONNECTING: return is_connected(conn);
	case TT_TCP_WAIT_TLS: return shake_tls(conn);
	case TT_TCP_WAIT_HELLO: return hear_hello(conn);
	case TT_TCP_WAIT_CHALLENGE: return hear_challenge(conn);
	case TT_TCP_WAIT_PROOF: return hear_proof(conn);
	case TT_TCP_WAIT_READY: return hear_word(conn, tt_tcp_ready) && choose(conn);
	case TT_TCP_WAIT_GO: return hear_go(conn);
	default: return false;
	}
}

void tt_tcp_shake_hands(struct tt_tcp_conn *conn)
{
	do {
		while (conn->state < TT_TCP_OPEN && step(conn))
			;
	} while (conn->state < TT_TCP_OPEN && conn->state > TT_TCP_WAIT_TLS &&
		 tt_tcp_read_ahead(conn));
	if (conn->state >= TT_TCP_OPEN || !conn->ended)
		return;
	if (conn->initiator || conn->state == TT_TCP_WAIT_HELLO)
		tt_tcp_give_up(conn,
			       conn->initiator && conn->error ? strerror(conn->error) : "hung up",
			       false);
	else /* as a rank does with attempts that it needs no more */
		tt_tcp_conn_drop(conn);
}

/* The one who has been in the hall longest. */
static void make_room(struct tt_endpoint *endpoint)
{
	struct tt_tcp_conn *oldest = NULL;

	for (struct tt_tcp_conn *conn = endpoint->conns; conn; conn = conn->next)
		if (!conn->initiator && conn->state < TT_TCP_WAIT_GO &&
		    (!oldest || conn->opened_ns < oldest->opened_ns))
			oldest = conn;
	if (oldest)
		tt_tcp_give_up(oldest, "says nothing while others wait", false);
}

static totum_status let_in(struct tt_endpoint *endpoint, int fd,
			   const struct sockaddr_storage *from)
{
	struct tt_tcp_conn *conn;

	if (endpoint->half_open >= TT_TCP_HALF_OPEN)
		make_room(endpoint);
	totum_status status = tt_tcp_conn_new(endpoint, fd, TT_TCP_WAIT_HELLO, &conn);
	if (status)
		return status;
	endpoint->half_open++;
	tt_tcp_sockaddr_text(from, conn->text);
	if (endpoint->tls)
		begin_tls(conn);
	return TOTUM_OK;
}

totum_status tt_tcp_accept(struct tt_endpoint *endpoint)
{
	endpoint->doors = false;
	for (int i = 0, accepted = 0; i < endpoint->listener->n && accepted < MOST_ACCEPTS;) {
		struct sockaddr_storage from;
		socklen_t length = sizeof from;
		int fd = accept4(endpoint->listener->fds[i], (struct sockaddr *)&from, &length,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE) && endpoint->half_open) {
			make_room(endpoint);
			continue;
		}
		if (fd < 0 && (errno == EMFILE || errno == ENFILE))
			return tt_fail(TOTUM_ESYSTEM,
				       "rank %d cannot accept a connection: %s; "
				       "raise the limit of open files (ulimit -n)",
				       endpoint->rank, strerror(errno));
		if (fd < 0) { /* nobody there, or gone again */
			i++;
			continue;
		}
		accepted++;
		totum_status status = let_in(endpoint, fd, &from);
		if (status)
			return status;
	}
	return TOTUM_OK;
}
