/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stream - a ring of TCP connections, and bytes moved along it in both directions of every link at
 * once.
 *
 * Sockets never block: a place that waited to send before it receives would stop the ring as soon
 * as the buffers of the kernel are full.
 */
#include "stream.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 30000, RETRY_MS = 20 };

static int listen_at(int port)
{
	struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1, no = 0;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no); /* IPv4 comes in there too */
	if (bind(fd, (struct sockaddr *)&any, sizeof any) == 0 && listen(fd, 1) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Tries again while nobody listens there yet. */
static int connect_to(const char *address, int port)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
				       .ai_socktype = SOCK_STREAM};
	const struct timespec pause = {.tv_nsec = RETRY_MS * 1000000l};
	struct addrinfo *found;
	char service[16];

	snprintf(service, sizeof service, "%d", port);
	if (getaddrinfo(address, service, &hints, &found) != 0) {
		errno = EINVAL;
		return -1;
	}
	int fd = -1;
	for (int waited = 0; fd < 0 && waited < PATIENCE_MS; waited += RETRY_MS) {
		fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
			close(fd);
			fd = -1;
			nanosleep(&pause, NULL);
		}
	}
	freeaddrinfo(found);
	return fd;
}

static int accept_at(int listener)
{
	struct pollfd waiting = {.fd = listener, .events = POLLIN};

	if (poll(&waiting, 1, PATIENCE_MS) == 1)
		return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	errno = ETIMEDOUT;
	return -1;
}

bool stream_open(struct stream *stream, int place, int places, char *const addresses[], int port)
{
	int yes = 1, listener = listen_at(port);

	*stream = (struct stream){-1, -1};
	if (listener < 0)
		return false;
	stream->next = connect_to(addresses[(place + 1) % places], port);
	if (stream->next >= 0)
		stream->previous = accept_at(listener);
	close(listener);
	if (stream->previous < 0)
		return false;
	setsockopt(stream->next, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
	return true;
}

/* Moves what can be moved now; false at the end of a connection. */
static bool move(const char **send_at, size_t *send_left, char **recv_at, size_t *recv_left,
		 const struct stream *stream, bool *moved)
{
	*moved = false;
	if (*send_left) {
		ssize_t n = send(stream->next, *send_at, *send_left, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		*moved = n > 0;
		*send_at += n > 0 ? n : 0;
		*send_left -= n > 0 ? (size_t)n : 0;
	}
	if (*recv_left) {
		ssize_t n = recv(stream->previous, *recv_at, *recv_left, MSG_DONTWAIT);

		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return false;
		*moved |= n > 0;
		*recv_at += n > 0 ? n : 0;
		*recv_left -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

bool stream_shift(const struct stream *stream, const void *send, size_t send_bytes, void *recv,
		  size_t recv_bytes)
{
	const char *send_at = send;
	char *recv_at = recv;
	bool moved;

	while (send_bytes || recv_bytes) {
		struct pollfd waiting[2] = {
			{.fd = send_bytes ? stream->next : -1, .events = POLLOUT},
			{.fd = recv_bytes ? stream->previous : -1, .events = POLLIN},
		};

		if (!move(&send_at, &send_bytes, &recv_at, &recv_bytes, stream, &moved))
			return false;
		if (!moved && poll(waiting, 2, PATIENCE_MS) == 0) {
			errno = ETIMEDOUT;
			return false;
		}
	}
	return true;
}

void stream_close(struct stream *stream)
{
	if (stream->next >= 0)
		close(stream->next);
	if (stream->previous >= 0)
		close(stream->previous);
	*stream = (struct stream){-1, -1};
}
