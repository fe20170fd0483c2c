/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_conn - a connection's life: it is watched, tried, read ahead, dropped. */
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "transport/tcp_parts.h"

enum { SHORT = 2048 /* bytes */ };

/* Keep-alive: a host without power is noticed after 40 s, where nothing is under way to it. */
static void set_options(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {
		{IPPROTO_TCP, TCP_NODELAY, 1},   {SOL_SOCKET, SO_KEEPALIVE, 1},
		{IPPROTO_TCP, TCP_KEEPIDLE, 10}, {IPPROTO_TCP, TCP_KEEPINTVL, 5},
		{IPPROTO_TCP, TCP_KEEPCNT, 6},
	};

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		setsockopt(fd, options[i].level, options[i].name, &options[i].value,
			   sizeof options[i].value);
}

/*
 * BBR keeps no more under way than it takes a link to hold, which on a switch is a few segments,
 * and then waits for acknowledgements that the receiver delays: of messages of 64 KiB over 200
 * Mbit/s every tenth took 40 ms more.  Where it is what the system gives, a connection takes
 * another one.
 */
static void avoid_bbr(int fd)
{
	static const char cubic[] = "cubic", reno[] = "reno"; /* the latter is in every kernel */
	char name[16] = "";
	socklen_t length = sizeof name - 1;

	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &length) || strncmp(name, "bbr", 3))
		return;
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, cubic, sizeof cubic - 1))
		setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, reno, sizeof reno - 1);
}

/* On failure the descriptor is closed. */
totum_status tt_tcp_conn_new(struct tt_endpoint *endpoint, int fd, enum tt_tcp_state state,
			     struct tt_tcp_conn **out)
{
	struct tt_tcp_conn *conn = calloc(1, sizeof *conn);
	struct epoll_event watch = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
				    .data.ptr = conn};

	if (!conn || epoll_ctl(endpoint->epoll, EPOLL_CTL_ADD, fd, &watch)) {
		int error = errno;
		close(fd);
		if (!conn)
			return tt_fail_memory(sizeof *conn, "a connection");
		free(conn);
		return tt_fail(TOTUM_ESYSTEM, "cannot watch a connection: %s", strerror(error));
	}
	set_options(fd);
	avoid_bbr(fd);
	conn->endpoint = endpoint;
	conn->fd = fd;
	conn->state = state;
	conn->peer = -1;
	conn->opened_ns = tt_clock_ns();
	conn->next = endpoint->conns;
	conn->link = &endpoint->conns;
	if (conn->next)
		conn->next->link = &conn->next;
	endpoint->conns = conn;
	*out = conn;
	return TOTUM_OK;
}

void tt_tcp_conn_drop(struct tt_tcp_conn *conn)
{
	struct tt_endpoint *endpoint = conn->endpoint;

	if (conn->state == TT_TCP_CLOSED)
		return;
	if (!conn->initiator && conn->state < TT_TCP_WAIT_GO)
		endpoint->half_open--;
	if (conn->initiator && conn->state < TT_TCP_OPEN)
		endpoint->peers[conn->peer].attempts--;
	if (conn->peer >= 0 && endpoint->peers[conn->peer].conns[conn->stream] == conn)
		endpoint->peers[conn->peer].conns[conn->stream] = NULL;
	conn->state = TT_TCP_CLOSED;
	tt_tcp_tls_conn_free(conn->tls);
	conn->tls = NULL;
	close(conn->fd);
	*conn->link = conn->next;
	if (conn->next)
		conn->next->link = conn->link;
	conn->next = endpoint->dead_conns;
	endpoint->dead_conns = conn;
}

/* Those on the list of tries are freed when they come off it. */
void tt_tcp_conn_free_dropped(struct tt_endpoint *endpoint)
{
	struct tt_tcp_conn **link = &endpoint->dead_conns;

	while (*link) {
		struct tt_tcp_conn *conn = *link;
		if (conn->queued) {
			link = &conn->next;
			continue;
		}
		*link = conn->next;
		free(conn->stage);
		free(conn);
	}
}

void tt_tcp_try(struct tt_tcp_conn *conn)
{
	if (conn->queued)
		return;
	conn->queued = true;
	conn->next_try = conn->endpoint->try_conns;
	conn->endpoint->try_conns = conn;
}

void tt_tcp_try_peer(struct tt_endpoint *endpoint, struct tt_tcp_peer *peer)
{
	if (peer->queued)
		return;
	peer->queued = true;
	peer->next_try = endpoint->try_peers;
	endpoint->try_peers = peer;
}

/* One run of memory takes the system less than a vector does. */
ssize_t tt_tcp_read(struct tt_tcp_conn *conn, const struct iovec *parts, int n)
{
	if (conn->tls)
		return tt_tcp_tls_read(conn->tls, parts, n);
	return n == 1 ? recv(conn->fd, parts->iov_base, parts->iov_len, 0)
		      : readv(conn->fd, parts, n);
}

/* And a short message is sooner copied together. */
ssize_t tt_tcp_write(struct tt_tcp_conn *conn, const struct iovec *parts, int n)
{
	struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)n};
	unsigned char together[SHORT];
	size_t bytes = 0;

	if (conn->tls)
		return tt_tcp_tls_write(conn->tls, parts, n);
	for (int i = 0; i < n; i++) {
		if (parts[i].iov_len > SHORT - bytes)
			return sendmsg(conn->fd, &message, MSG_NOSIGNAL);
		if (parts[i].iov_len)
			memcpy(together + bytes, parts[i].iov_base, parts[i].iov_len);
		bytes += parts[i].iov_len;
	}
	return send(conn->fd, together, bytes, MSG_NOSIGNAL);
}

bool tt_tcp_read_ahead(struct tt_tcp_conn *conn)
{
	if (conn->in_at) {
		memmove(conn->in, conn->in + conn->in_at, conn->in_end - conn->in_at);
		conn->in_end -= conn->in_at;
		conn->in_at = 0;
	}
	while (conn->readable && conn->in_end < TT_TCP_IN) {
		ssize_t got = tt_tcp_read(
			conn,
			&(struct iovec){conn->in + conn->in_end, TT_TCP_IN - conn->in_end},
			1);
		if (got > 0) {
			/* less than there was room for: it is empty, and what comes is an event */
			if (conn->in_end + (size_t)got < TT_TCP_IN && !conn->tls && !conn->hung)
				conn->readable = false;
			conn->in_end += (size_t)got;
			return true;
		}
		if (got < 0 && errno == EINTR)
			continue;
		conn->readable = false;
		if (got < 0 && errno == EAGAIN)
			return false;
		conn->ended = true;
		conn->error = got < 0 ? errno : 0;
		conn->ended_ns = tt_clock_ns();
	}
	return false;
}
