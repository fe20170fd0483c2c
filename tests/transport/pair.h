/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pair.h - two endpoints in one thread, raw sockets, and a proxy between to record and spoil.
 *
 * A test is a function; fail() prints its name.  Rank 0, the lower, chooses among connections.
 */
#ifndef PAIR_H
#define PAIR_H

#include <dirent.h>
#include <errno.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "transport/tcp_wire.h"

static const char *running = "";

__attribute__((format(printf, 1, 2), noreturn)) static inline void fail(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "FAILED %s: ", running);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static inline void ok(totum_status status)
{
	if (status)
		fail("%s: %s", totum_strerror(status), totum_errmsg());
}

/* The call must have failed with `wanted`, in one line that holds the words. */
static inline void refused(totum_status status, totum_status wanted, const char *words)
{
	if (status != wanted)
		fail("wanted %s, got %s%s%s", totum_strerror(wanted), totum_strerror(status),
		     status ? ": " : "", status ? totum_errmsg() : "");
	if (!strstr(totum_errmsg(), words) || strchr(totum_errmsg(), '\n'))
		fail("not a line with \"%s\": %s", words, totum_errmsg());
}

static inline int descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(folder))
		n++;
	closedir(folder);
	return n;
}

/* --- two endpoints --------------------------------------------------------------------------- */

struct pair {
	struct tt_endpoint *ends[2];
	struct tt_tcp_listener *listeners[2];
	unsigned char blobs[2][TT_TCP_BLOB];   /* as the listeners gave them */
	unsigned char seen[2][2][TT_TCP_BLOB]; /* seen[r]: the blobs that rank r opens from */
	const char *secrets[2];
	double timeout;
};

static inline void pair_listen(struct pair *pair, struct tt_tcp_options options)
{
	*pair = (struct pair){.secrets = {"the secret of the job", "the secret of the job"},
			      .timeout = 20};
	for (int rank = 0; rank < 2; rank++)
		ok(tt_tcp_listen(&options, &pair->listeners[rank], pair->blobs[rank]));
	for (int rank = 0; rank < 2; rank++)
		memcpy(pair->seen[rank], pair->blobs, sizeof pair->blobs);
}

static inline void pair_open(struct pair *pair)
{
	for (int rank = 0; rank < 2; rank++)
		ok(tt_transport_tcp.open(
			&(struct tt_tcp_context){.rank = rank,
						 .nranks = 2,
						 .listener = pair->listeners[rank],
						 .blobs = pair->seen[rank][0],
						 .secret = pair->secrets[rank],
						 .secret_bytes = strlen(pair->secrets[rank]),
						 .timeout_ns = (uint64_t)(pair->timeout * 1e9)},
			&pair->ends[rank]));
}

static inline void pair_close(struct pair *pair)
{
	for (int rank = 0; rank < 2; rank++)
		tt_transport_tcp.close(pair->ends[rank]);
}

/* Rank r sees the other rank at these addresses. */
static inline void pair_readdress(struct pair *pair, int r, const struct tt_tcp_address *addresses,
				  int n)
{
	struct tt_tcp_card card;

	ok(tt_tcp_card_read(pair->blobs[1 - r], &card));
	card.naddresses = n;
	memcpy(card.addresses, addresses, (size_t)n * sizeof *addresses);
	tt_tcp_card_write(&card, pair->seen[r][1 - r]);
}

static inline struct tt_tcp_address pair_address(const struct pair *pair, int rank)
{
	struct tt_tcp_card card;

	ok(tt_tcp_card_read(pair->blobs[rank], &card));
	return card.addresses[0];
}

/* Nobody is there (RFC 5737): networks differ in whether they say so or say nothing. */
static const struct tt_tcp_address nowhere = {
	.family = 4, .prefix = 24, .port = 9, .bytes = {192, 0, 2, 1}};
/* Somebody is there and never speaks; set by run_tests. */
static struct tt_tcp_address mute = {.family = 4, .prefix = 8, .bytes = {127, 0, 0, 1}};

/* --- a proxy --------------------------------------------------------------------------------- */

struct proxy {
	int listener, up, down;       /* down: from the initiator; up: to the responder */
	struct tt_tcp_address here, there;
	unsigned char record[4096];   /* of what the initiator said */
	size_t recorded;
	size_t spoil;                 /* this byte of the initiator's is changed; 0: none */
	uint64_t passed;
};

static inline int dial(const struct tt_tcp_address *to)
{
	struct sockaddr_storage name;
	socklen_t length = tt_tcp_sockaddr(to, &name);
	int fd = socket(name.ss_family, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&name, length))
		fail("cannot connect: %s", strerror(errno));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static inline int listen_here(uint16_t *port)
{
	struct sockaddr_in name = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof name;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (bind(fd, (struct sockaddr *)&name, length) || listen(fd, 100) ||
	    getsockname(fd, (struct sockaddr *)&name, &length))
		fail("cannot listen: %s", strerror(errno));
	*port = ntohs(name.sin_port);
	return fd;
}

static inline void proxy_open(struct proxy *proxy, struct tt_tcp_address there)
{
	*proxy = (struct proxy){.up = -1, .down = -1, .there = there, .here = mute};
	proxy->listener = listen_here(&proxy->here.port);
}

static inline void proxy_turn(struct proxy *proxy)
{
	unsigned char bytes[4096];
	ssize_t got;

	if (proxy->down < 0) {
		proxy->down = accept(proxy->listener, NULL, NULL);
		if (proxy->down < 0)
			return;
		fcntl(proxy->down, F_SETFL, O_NONBLOCK);
		proxy->up = dial(&proxy->there);
	}
	if ((got = recv(proxy->down, bytes, sizeof bytes, 0)) > 0) {
		for (ssize_t i = 0; i < got; i++, proxy->passed++) {
			if (proxy->recorded < sizeof proxy->record)
				proxy->record[proxy->recorded++] = bytes[i];
			if (proxy->spoil && proxy->passed == proxy->spoil)
				bytes[i] ^= 0x10;
		}
		if (send(proxy->up, bytes, (size_t)got, MSG_NOSIGNAL) != got)
			fail("the proxy is stuck");
	}
	if ((got = recv(proxy->up, bytes, sizeof bytes, 0)) > 0 &&
	    send(proxy->down, bytes, (size_t)got, MSG_NOSIGNAL) != got)
		fail("the proxy is stuck");
}

static inline void proxy_close(struct proxy *proxy)
{
	close(proxy->listener);
	if (proxy->down >= 0) {
		close(proxy->down);
		close(proxy->up);
	}
}

/* --- work ------------------------------------------------------------------------------------ */

/* What a test does between the turns of the endpoints. */
struct aside {
	void (*turn)(void *context);
	void *context;
};

/* One turn of both; the status of the rank that failed, if one did. */
static inline totum_status pair_turn(struct pair *pair, const struct aside *aside,
				     uint64_t *idle_since, bool moved[2], int *who)
{
	for (int rank = 0; rank < 2; rank++) {
		totum_status status = tt_transport_tcp.progress(pair->ends[rank], &moved[rank]);
		if (moved[rank] || !*idle_since)
			*idle_since = tt_clock_ns();
		else if (!status && /* a proxy is not to wait */
			 (!aside || tt_clock_ns() - *idle_since > 50000000))
			status = tt_transport_tcp.wait(pair->ends[rank], *idle_since);
		*who = rank;
		if (status)
			return status;
	}
	if (aside)
		aside->turn(aside->context);
	return TOTUM_OK;
}

/* `bytes` from rank 0 to 1 and back at once; *who is the rank that failed. */
static inline totum_status pair_exchange(struct pair *pair, size_t bytes, const struct aside *aside,
					 int *who)
{
	unsigned char *out = malloc(bytes), *in = calloc(1, bytes);
	struct tt_span spans[2] = {{out, bytes}, {in, bytes}};
	struct tt_transfer_state transfers[2][2];
	uint64_t idle_since = 0;
	bool moved[2];
	totum_status status = TOTUM_OK;

	for (size_t i = 0; i < bytes; i++)
		out[i] = (unsigned char)(i * 2654435761u >> 13);
	for (int way = 0; way < 2; way++) {
		transfers[way][0] = (struct tt_transfer_state){
			.spans = &spans[0], .nspans = 1, .peer = 1 - way};
		transfers[way][1] =
			(struct tt_transfer_state){.spans = &spans[1], .nspans = 1, .peer = way};
	}
	for (int way = 0; way < 2 && !status; way++) {
		memset(in, 0, bytes);
		ok(tt_transport_tcp.send(pair->ends[way], &transfers[way][0]));
		ok(tt_transport_tcp.receive(pair->ends[1 - way], &transfers[way][1]));
		while (!status && (!transfers[way][0].done || !transfers[way][1].done))
			status = pair_turn(pair, aside, &idle_since, moved, who);
		if (!status && memcmp(in, out, bytes) != 0)
			fail("other bytes came than were sent");
	}
	if (status)
		for (int rank = 0; rank < 2; rank++)
			tt_transport_tcp.cancel(pair->ends[rank]);
	free(out);
	free(in);
	return status;
}

/* Both work for a while with nothing to do. */
static inline void pair_idle(struct pair *pair, double seconds)
{
	uint64_t began = tt_clock_ns(), idle_since = began;
	bool moved[2];
	int who;

	while ((double)(tt_clock_ns() - began) < seconds * 1e9)
		ok(pair_turn(pair, NULL, &idle_since, moved, &who));
}

struct test {
	const char *name;
	void (*run)(void);
};

static inline int run_tests(const struct test *tests, int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (; tests->name; tests++) {
		if (argc > 1 && argv[1][0] != '-' && strcmp(argv[1], tests->name) != 0)
			continue;
		running = tests->name;
		puts(running);
		alarm(60);
		int quiet = listen_here(&mute.port); /* a new one: its queue is bounded */
		int before = descriptors();
		tests->run();
		if (descriptors() != before)
			fail("%d descriptors before, %d after", before, descriptors());
		close(quiet);
	}
	return 0;
}

#endif
