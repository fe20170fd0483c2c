/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stream.h - plain TCP in a ring of places, and nothing on top: what the links between hosts give
 * to whoever uses them well.
 *
 * Every place has one connection to the next and one from the place before.  Its user is the
 * yardstick of all libraries, so there are no headers, no copies and no waits that are not TCP's.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>

struct stream {
	int next, previous; /* descriptors */
};

/*
 * Collective over the places: addresses[] are numbers, as "10.77.0.1" or "fd77::1", of each; all
 * use the same port.  False, with errno set, when the ring is not closed within half a minute.
 */
bool stream_open(struct stream *stream, int place, int places, char *const addresses[], int port);
/*
 * Sends to the next place while it receives from the one before; returns when the one has been
 * handed to the system and the other is here.  Either may be 0 bytes.  False when a connection
 * ends.
 */
bool stream_shift(const struct stream *stream, const void *send, size_t send_bytes, void *recv,
		  size_t recv_bytes);
void stream_close(struct stream *stream);

#endif
