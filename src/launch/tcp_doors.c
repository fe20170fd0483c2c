/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_doors - the sockets at which a meeting by TCP is held.
 *
 * A number as host is listened on where this host has it.  A name is not trusted so far: many hosts
 * map their own name to a loopback address, at which nobody else would find them; so a name is
 * listened for on all addresses.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "launch/tcp_gate.h"

static const uint64_t busy_ns = 2000000000;
static const long retry_ns = 20000000;

union number {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static void set_port(struct sockaddr *address, int port)
{
	if (address->sa_family == AF_INET)
		((struct sockaddr_in *)address)->sin_port = htons((uint16_t)port);
	else
		((struct sockaddr_in6 *)address)->sin6_port = htons((uint16_t)port);
}

totum_status tt_place_resolve(const char *host, int port, struct addrinfo **out)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	int error = getaddrinfo(host, NULL, &hints, out);

	if (error)
		return tt_fail(TOTUM_ESYSTEM, "host \"%.100s\" is not found: %s", host,
			       error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
	for (struct addrinfo *each = *out; each; each = each->ai_next)
		set_port(each->ai_addr, port);
	return TOTUM_OK;
}

/* A socket that listens, or -1 and errno. */
static int listen_on(const union number *at, bool v6_only)
{
	int on = 1, only = v6_only;
	socklen_t length = at->any.sa_family == AF_INET ? sizeof at->v4 : sizeof at->v6;
	int fd = socket(at->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (at->any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
	if (!bind(fd, &at->any, length) && !listen(fd, SOMAXCONN))
		return fd;
	int error = errno;
	close(fd);
	errno = error;
	return -1;
}

/*
 * One door more, or errno.  A port in use is given a moment: a job that is just ending may hold it.
 * The first door settles a port that the system chooses.
 */
static int open_door(struct tt_place *place, struct tt_doors *doors, union number *at, bool v6_only)
{
	bool patient = !doors->n;
	int fd;

	set_port(&at->any, place->port);
	for (uint64_t since = tt_clock_ns();;) {
		fd = listen_on(at, v6_only);
		if (fd >= 0 || errno != EADDRINUSE || !patient || tt_clock_ns() - since > busy_ns)
			break;
		nanosleep(&(struct timespec){.tv_nsec = retry_ns}, NULL);
	}
	if (fd < 0)
		return errno;
	socklen_t length = sizeof *at;
	if (!place->port && !getsockname(fd, &at->any, &length))
		place->port =
			ntohs(at->any.sa_family == AF_INET ? at->v4.sin_port : at->v6.sin6_port);
	doors->fds[doors->n++] = fd;
	return 0;
}

static bool is_number(const char *host, union number *out)
{
	memset(out, 0, sizeof *out);
	if (inet_pton(AF_INET, host, &out->v4.sin_addr) == 1)
		out->any.sa_family = AF_INET;
	else if (inet_pton(AF_INET6, host, &out->v6.sin6_addr) == 1)
		out->any.sa_family = AF_INET6;
	else
		return false;
	return true;
}

/* On both families where there are both. */
static int listen_on_all(struct tt_place *place, struct tt_doors *doors)
{
	union number v6 = {.v6 = {.sin6_family = AF_INET6, .sin6_addr = in6addr_any}};
	union number v4 = {.v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)}};
	int error = open_door(place, doors, &v6, false);

	return error == EAFNOSUPPORT || error == EADDRNOTAVAIL ? open_door(place, doors, &v4, false)
							       : error;
}

static int listen_on_named(struct tt_place *place, struct tt_doors *doors)
{
	int error = EADDRNOTAVAIL;

	for (int i = 0; i < place->nhosts; i++) {
		union number at;
		if (!is_number(place->host[i], &at))
			return EADDRNOTAVAIL;
		int this = open_door(place, doors, &at, true);
		if (this && this != EADDRNOTAVAIL)
			error = this;
	}
	return doors->n ? 0 : error;
}

static totum_status cannot(const struct tt_place *place, int error)
{
	if (error == EADDRINUSE)
		return tt_fail(TOTUM_EINVAL,
			       "port %d of this host, where the ranks of \"%.100s\" "
			       "meet, is in use by another process; give every job a port of its "
			       "own, or start one rank 0 only",
			       place->port, place->root);
	return tt_fail(TOTUM_ESYSTEM, "cannot listen at \"%.100s\": %s%s", place->root,
		       strerror(error),
		       error == EACCES ? "; choose a port above 1023" : tt_advice(error));
}

totum_status tt_doors_open(struct tt_place *place, struct tt_doors *out)
{
	out->n = 0;
	int error = listen_on_named(place, out);
	if (error == EADDRNOTAVAIL) {
		tt_log("listening for the ranks of \"%s\" at all addresses of this host",
		       place->root);
		tt_doors_close(out);
		error = listen_on_all(place, out);
	}
	return error ? cannot(place, error) : TOTUM_OK;
}

void tt_doors_close(struct tt_doors *doors)
{
	for (int i = 0; i < doors->n; i++)
		close(doors->fds[i]);
	doors->n = 0;
}
