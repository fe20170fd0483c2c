/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transfers.h - the transfers of one peer and direction as a stream of bytes, and places in it.
 *
 * The parts of a stream may move in any order, by several connections at once; a transfer is done
 * when all its bytes and all transfers before it are.
 */
#ifndef TT_TRANSFERS_H
#define TT_TRANSFERS_H

#include <sys/uio.h>

#include "transport/transport.h"

/* In order; where in the stream the next one begins.  An empty one: {.tail = &queue.head}. */
struct tt_transfers {
	struct tt_transfer_state *head, **tail;
	uint64_t end;
};

/* A place in a queue. */
struct tt_place {
	struct tt_transfer_state *transfer; /* NULL: behind the last one */
	int span;
	size_t in_span;
};

/* Sets the transport's own fields of the transfer. */
void tt_transfers_add(struct tt_transfers *queue, struct tt_transfer_state *transfer);
/* `bytes` of the stream from `at` have moved; false when a part of them had moved before. */
bool tt_transfers_credit(struct tt_transfers *queue, uint64_t at, uint64_t bytes);
/* Takes the head out of the queue when all its bytes have moved; `done` is the caller's. */
bool tt_transfers_pop(struct tt_transfers *queue);
/* Somebody waits for one of them. */
bool tt_transfers_wanted(const struct tt_transfers *queue);
/* The place of a byte of the stream that some transfer of the queue holds. */
struct tt_place tt_transfers_find(const struct tt_transfers *queue, uint64_t at);

/* Over what is finished, so that the place is at a byte or behind the last transfer. */
void tt_place_settle(struct tt_place *place);
/* The run of memory at a settled place, at most `most` bytes. */
struct tt_span tt_place_run(const struct tt_place *place, uint64_t most);
/* At most `bytes` from the place as a vector; returns its length. */
int tt_place_vector(struct tt_place place, uint64_t bytes, struct iovec *out, int most);
/* `bytes` on; the queue has so many behind the place. */
void tt_place_skip(struct tt_place *place, uint64_t bytes);
/* Copies `bytes` to the place; the queue has so many behind it. */
void tt_place_put(struct tt_place place, const unsigned char *from, size_t bytes);
/* A place in a transfer that is about to be forgotten is at its end. */
void tt_place_leave(struct tt_place *place, const struct tt_transfer_state *transfer);

#endif
