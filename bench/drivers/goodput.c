/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * goodput - what the links between hosts give to plain TCP.
 *
 *	goodput PLACE ADDRESS...     on each host, which is the PLACE-th (from 0) of the addresses
 *
 * Place 0 prints bytes a second of one stream to the next place, bytes a second that every place
 * sends and receives when all do at once (with two places: one link in both directions), and the
 * time from one place to the next, a byte's way around the ring divided by the places.
 */
#include "stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PORT = 7600, BYTES = 1 << 20, SECONDS = 1, LAPS = 500 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool token(const struct stream *stream, int place, char *byte)
{
	if (place == 0)
		return stream_shift(stream, byte, 1, byte, 1);
	return stream_shift(stream, NULL, 0, byte, 1) && stream_shift(stream, byte, 1, NULL, 0);
}

/*
 * Place 0 says by the token before each block whether another one comes, so that all stop after the
 * same; the token's return also says that the block before has arrived.  Returns the bytes a
 * second, or 0 when a connection has ended.
 */
static double rate(const struct stream *stream, int place, bool all, char *send, char *recv)
{
	double start = now(), end = start;
	long blocks = 0;

	for (;; blocks++) {
		char more = (char)(end < start + SECONDS);

		if (!token(stream, place, &more))
			return 0;
		end = now();
		if (!more)
			break;
		if (!stream_shift(stream, send, all || place == 0 ? BYTES : 0, recv,
				  all || place == 1 ? BYTES : 0))
			return 0;
	}
	return (double)blocks * BYTES / (end - start);
}

static double hop(const struct stream *stream, int place, int places)
{
	double start = now();
	char byte = 0;

	for (int lap = 0; lap < LAPS; lap++)
		if (!token(stream, place, &byte))
			return 0;
	return (now() - start) / LAPS / places;
}

int main(int argc, char **argv)
{
	struct stream stream;
	int places = argc - 2, place = argc > 1 ? atoi(argv[1]) : 0;
	char *send = calloc(1, BYTES), *recv = calloc(1, BYTES);

	if (places < 2 || place < 0 || place >= places || !send || !recv) {
		fputs("usage: goodput PLACE ADDRESS ADDRESS...\n", stderr);
		return 2;
	}
	if (!stream_open(&stream, place, places, argv + 2, PORT)) {
		fprintf(stderr, "goodput: place %d cannot connect: %s\n", place, strerror(errno));
		return 1;
	}
	double one = rate(&stream, place, false, send, recv);
	double all = rate(&stream, place, true, send, recv);
	double way = hop(&stream, place, places);

	stream_close(&stream);
	free(send);
	free(recv);
	if (one <= 0 || all <= 0 || way <= 0) {
		fprintf(stderr, "goodput: place %d has lost a connection\n", place);
		return 1;
	}
	if (place == 0)
		printf("one stream %.0f MB/s, all %d at once %.0f MB/s each way, one way %.1f us\n",
		       one / 1e6, places, all / 1e6, way * 1e6);
	return 0;
}
