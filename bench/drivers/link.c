/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * link - not a library: what the links between hosts give to plain TCP, as bench/compare measures
 * it in turn with the libraries.
 *
 * The i-th ranks of all hosts are a ring.  A BARRIER of count bytes sends so many to the next host
 * and receives so many from the one before (RING), or passes them on from the first host to the
 * last (CHAIN).  bench/compare knows how many bytes a collective must bring into a host at least,
 * and asks for those; summing costs nothing here.
 */
#include "library.h"
#include "stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PORT = 7600, HOSTS_MAX = 64, PIECE = 128 << 10 };

static struct stream stream;
static int place, places;
static struct {
	char *memory;
	size_t bytes;
} send_buffer, recv_buffer;

static int number(const char *name)
{
	const char *text = getenv(name);

	if (!text)
		driver_fail("%s is not set: this program is started by bench/compare", name);
	return atoi(text);
}

void library_start(struct job *job)
{
	char *addresses[HOSTS_MAX], *list = getenv("COMPARE_ADDRESSES");
	int each = number("COMPARE_EACH");

	job->rank = number("COMPARE_RANK");
	job->nranks = number("COMPARE_NRANKS");
	for (char *at = strtok(list, " "); at && places < HOSTS_MAX; at = strtok(NULL, " "))
		addresses[places++] = at;
	place = job->rank / each;
	if (place >= places ||
	    !stream_open(&stream, place, places, addresses, PORT + job->rank % each))
		driver_fail("rank %d cannot connect to the next host: %s", job->rank,
			    strerror(errno));
	strcpy(job->version, "plain TCP");
}

static void make_room(char **memory, size_t *have, size_t bytes)
{
	if (*have >= bytes)
		return;
	free(*memory);
	*memory = calloc(1, bytes);
	*have = bytes;
	if (!*memory)
		driver_fail("no memory for a buffer of %zu bytes: ask for smaller --sizes", bytes);
}

bool library_memory(struct call *call, size_t send_bytes, size_t recv_bytes)
{
	(void)send_bytes, (void)recv_bytes;
	make_room(&send_buffer.memory, &send_buffer.bytes, call->count);
	make_room(&recv_buffer.memory, &recv_buffer.bytes, call->count);
	call->send = send_buffer.memory;
	call->recv = recv_buffer.memory;
	return true;
}

void library_prepare(const struct call *call)
{
	(void)call;
}

static void must(bool moved)
{
	if (!moved)
		driver_fail("a connection has ended: %s", strerror(errno));
}

/* Passes on each piece while it receives the next. */
static void chain(char *memory, size_t bytes)
{
	bool sends = place + 1 < places, receives = place > 0;
	size_t behind = receives && sends ? PIECE : 0;

	for (size_t at = 0; at < bytes + behind; at += PIECE) {
		size_t in = receives && at < bytes ? bytes - at : 0, from = at - behind;
		size_t out = sends && at >= behind ? bytes - from : 0;

		must(stream_shift(&stream, memory + from, out < PIECE ? out : PIECE, memory + at,
				  in < PIECE ? in : PIECE));
	}
}

void library_call(const struct call *call)
{
	if (call->memory == CHAIN)
		chain(call->recv, call->count);
	else
		must(stream_shift(&stream, call->send, call->count, call->recv, call->count));
}

void library_end(void)
{
	stream_close(&stream);
	free(send_buffer.memory);
	free(recv_buffer.memory);
}
