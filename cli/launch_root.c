/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch_root - finds an address of rank 0's host by trying, not by guessing.
 *
 * The agent there offers all its addresses, first the one that ssh has come by, and the others try
 * them: a host has addresses that only it can reach, and two hosts may have the same one (of a
 * bridge for containers, say), so an address counts where a nonce of the hub's has been read back.
 *
 * The port is held by a socket that is bound but does not listen.  Nobody else is given it, and
 * rank 0, which binds with SO_REUSEADDR as servers do, gets it.
 */
#include "launch_root.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const double patience = 2;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int launch_root_bind(int *port, bool listens)
{
	struct sockaddr_in6 new = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)*port)};
	struct sockaddr_in old = {.sin_family = AF_INET, .sin_port = new.sin6_port};
	struct sockaddr *address = (struct sockaddr *)&new;
	socklen_t size = sizeof new;
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){0}, sizeof(int))) {
		if (fd >= 0)
			close(fd);
		fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		address = (struct sockaddr *)&old;
		size = sizeof old;
	}
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	if (bind(fd, address, size) || getsockname(fd, address, &size) ||
	    (listens && listen(fd, SOMAXCONN))) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	*port = ntohs(address == (struct sockaddr *)&new ? new.sin6_port : old.sin_port);
	return fd;
}

static void add_address(struct launch_offer *offer, const char *text)
{
	for (int i = 0; i < offer->n; i++)
		if (!strcmp(offer->addresses[i], text))
			return;
	if (offer->n < LAUNCH_ADDRESSES && *text && strlen(text) < LAUNCH_ADDRESS)
		strcpy(offer->addresses[offer->n++], text);
}

/* "client port server port": the address that our hub, or whoever is logged in, has come by. */
static void add_ssh_address(struct launch_offer *offer)
{
	const char *connection = getenv("SSH_CONNECTION");
	char server[LAUNCH_ADDRESS];

	if (connection && sscanf(connection, "%*s %*s %63s", server) == 1)
		add_address(offer, server);
}

/* Those of a family, of loopback interfaces or of the others. */
static void add_addresses(struct launch_offer *offer, const struct ifaddrs *all, int family,
			  bool loopback)
{
	char text[LAUNCH_ADDRESS];

	for (const struct ifaddrs *it = all; it; it = it->ifa_next) {
		const struct sockaddr *address = it->ifa_addr;
		const struct sockaddr_in6 *new = (const struct sockaddr_in6 *)(const void *)address;

		if (!address || address->sa_family != family || !(it->ifa_flags & IFF_UP) ||
		    !(it->ifa_flags & IFF_LOOPBACK) == loopback)
			continue;
		if (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&new->sin6_addr))
			continue; /* means nothing to another host */
		if (!getnameinfo(address,
				 family == AF_INET ? sizeof(struct sockaddr_in)
						   : sizeof(struct sockaddr_in6),
				 text, sizeof text, NULL, 0, NI_NUMERICHOST))
			add_address(offer, text);
	}
}

static void collect_addresses(struct launch_offer *offer)
{
	struct ifaddrs *all = NULL;

	add_ssh_address(offer);
	if (getifaddrs(&all))
		return;
	add_addresses(offer, all, AF_INET, false);
	add_addresses(offer, all, AF_INET6, false);
	add_addresses(offer, all, AF_INET, true); /* for hosts that are one */
	freeifaddrs(all);
}

void launch_root_read(struct wire_frame *frame, struct launch_offer *out)
{
	*out = (struct launch_offer){0};
	out->port = wire_read_int(frame);
	out->probe_port = wire_read_int(frame);
	for (int n = wire_read_int(frame); n > 0 && !frame->bad; n--)
		add_address(out, wire_read_text(frame));
}

void launch_root_find(struct launch_root *root, struct wire_frame *find, struct wire_bytes *out)
{
	struct launch_offer offer = {.port = wire_read_int(find)};
	char why[160];

	snprintf(root->nonce, sizeof root->nonce, "%s", wire_read_text(find));
	root->held = launch_root_bind(&offer.port, false);
	if (root->held < 0) {
		snprintf(why, sizeof why, "cannot take port %d for rank 0: %s; give another one",
			 offer.port, strerror(errno));
		wire_say(out, WIRE_FAULT, why);
		return;
	}
	root->listener = launch_root_bind(&offer.probe_port, true);
	if (root->listener < 0) {
		snprintf(why, sizeof why, "cannot listen: %s", strerror(errno));
		wire_say(out, WIRE_FAULT, why);
		return;
	}
	collect_addresses(&offer);
	size_t begin = wire_begin(out, WIRE_OFFER);

	wire_int(out, offer.port);
	wire_int(out, offer.probe_port);
	wire_int(out, offer.n);
	for (int i = 0; i < offer.n; i++)
		wire_text(out, offer.addresses[i]);
	wire_finish(out, begin);
}

void launch_root_greet(const struct launch_root *root)
{
	int fd = accept4(root->listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	send(fd, root->nonce, LAUNCH_NONCE, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(fd);
}

/* A socket on its way to an address; -1: there is no way. */
static int begin(const char *address, int port)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	char service[16];

	snprintf(service, sizeof service, "%d", port);
	if (getaddrinfo(address, service, &hints, &found))
		return -1;
	int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) && errno != EINPROGRESS) {
		close(fd);
		fd = -1;
	}
	freeaddrinfo(found);
	return fd;
}

static bool hears(int fd, const char *nonce)
{
	char got[LAUNCH_NONCE];
	size_t used = 0;

	for (double deadline = now() + patience; used < sizeof got && now() < deadline;) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};

		if (poll(&ready, 1, (int)(1e3 * (deadline - now())) + 1) <= 0)
			continue;
		ssize_t more = read(fd, got + used, sizeof got - used);

		if (more > 0)
			used += (size_t)more;
		else if (more == 0 || (errno != EAGAIN && errno != EINTR))
			return false;
	}
	return used == sizeof got && !memcmp(got, nonce, sizeof got);
}

void launch_root_probe(struct wire_frame *probe, struct wire_bytes *out)
{
	int port = wire_read_int(probe);
	char nonce[LAUNCH_NONCE + 1];

	snprintf(nonce, sizeof nonce, "%s", wire_read_text(probe));
	int fd = begin(wire_read_text(probe), port);
	bool reached = fd >= 0 && hears(fd, nonce);

	if (fd >= 0)
		close(fd);
	wire_ints(out, WIRE_PROBED, 1, (int[]){reached});
}

void launch_root_text(const char *address, int port, char *out, size_t size)
{
	bool new = strchr(address, ':') != NULL;

	snprintf(out, size, "tcp://%s%s%s:%d", new ? "[" : "", address, new ? "]" : "", port);
}
