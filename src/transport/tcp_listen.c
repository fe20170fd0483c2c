/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_listen - a listening socket for every address used, on a port of its own, until the end. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/hostname.h"
#include "transport/tcp_parts.h"

static totum_status cannot(const char *what, const struct tt_tcp_address *address, int fd)
{
	char text[TT_TCP_TEXT];
	int error = errno;

	if (fd >= 0)
		close(fd);
	return tt_fail(TOTUM_ESYSTEM, "cannot %s on %s: %s%s", what,
		       tt_tcp_address_text(address, text), strerror(error),
		       error == EMFILE ? "; raise the limit of open files (ulimit -n)" : "");
}

/* Port 0 becomes the one that the system gives. */
static totum_status listen_on(struct tt_tcp_address *address, int *out)
{
	struct sockaddr_storage name;
	socklen_t length = tt_tcp_sockaddr(address, &name);
	int on = 1, fd = socket(name.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return cannot("make a socket", address, fd);
	if (address->family == 6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
	if (bind(fd, (struct sockaddr *)&name, length) || listen(fd, SOMAXCONN) ||
	    getsockname(fd, (struct sockaddr *)&name, &length))
		return cannot("listen", address, fd);
	address->port = ntohs(address->family == 4 ? ((struct sockaddr_in *)&name)->sin_port
						   : ((struct sockaddr_in6 *)&name)->sin6_port);
	*out = fd;
	return TOTUM_OK;
}

/* An address that cannot be used (still checked for duplicates, say) does not harm the others. */
static totum_status listen_on_all(struct tt_tcp_listener *listener,
				  struct tt_tcp_address *addresses, int n)
{
	totum_status status = TOTUM_OK;

	for (int i = 0; i < n; i++) {
		totum_status this = listen_on(&addresses[i], &listener->fds[listener->n]);
		if (this)
			status = this;
		else
			listener->card.addresses[listener->n++] = addresses[i];
	}
	listener->card.naddresses = listener->n;
	return listener->n ? TOTUM_OK : status;
}

totum_status tt_tcp_listen(const struct tt_tcp_options *options, struct tt_tcp_listener **out,
			   unsigned char blob[static TT_TCP_BLOB])
{
	struct tt_tcp_address addresses[TT_TCP_ADDRESSES];
	int n;
	totum_status status = tt_interfaces_find(options->interfaces, addresses, &n);

	if (status)
		return status;
	struct tt_tcp_listener *listener = calloc(1, sizeof *listener);
	if (!listener)
		return tt_fail_memory(sizeof *listener, "a listener");
	listener->card.streams = options->streams;
	listener->card.checksum = options->checksum;
	listener->card.encrypt = options->encrypt;
	tt_hostname(listener->card.host);
	if (getrandom(listener->card.id, TT_TCP_ID, 0) != TT_TCP_ID)
		status = tt_fail(TOTUM_ESYSTEM, "the system gives no random bytes: %s",
				 strerror(errno));
	if (!status)
		status = listen_on_all(listener, addresses, n);
	if (status) {
		tt_tcp_unlisten(listener);
		return status;
	}
	tt_tcp_card_write(&listener->card, blob);
	*out = listener;
	return TOTUM_OK;
}

void tt_tcp_unlisten(struct tt_tcp_listener *listener)
{
	if (!listener)
		return;
	for (int i = 0; i < listener->n; i++)
		close(listener->fds[i]);
	free(listener);
}
