/* SPDX-License-Identifier: BSD-3-Clause */
/* transfers - queues of transfers as streams of bytes, and places in them. */
#include "transport/transfers.h"

#include <string.h>

void tt_transfers_add(struct tt_transfers *queue, struct tt_transfer_state *transfer)
{
	transfer->done = false;
	transfer->next = NULL;
	transfer->begins = queue->end;
	transfer->left = 0;
	for (int i = 0; i < transfer->nspans; i++)
		transfer->left += transfer->spans[i].bytes;
	queue->end += transfer->left;
	*queue->tail = transfer;
	queue->tail = &transfer->next;
}

void tt_place_settle(struct tt_place *place)
{
	while (place->transfer) {
		const struct tt_transfer_state *transfer = place->transfer;
		while (place->span < transfer->nspans &&
		       place->in_span == transfer->spans[place->span].bytes) {
			place->span++;
			place->in_span = 0;
		}
		if (place->span < transfer->nspans)
			return;
		*place = (struct tt_place){.transfer = transfer->next};
	}
}

struct tt_span tt_place_run(const struct tt_place *place, uint64_t most)
{
	const struct tt_span *span = &place->transfer->spans[place->span];
	size_t left = span->bytes - place->in_span;

	return (struct tt_span){span->at + place->in_span, left < most ? left : (size_t)most};
}

int tt_place_vector(struct tt_place place, uint64_t bytes, struct iovec *out, int most)
{
	int n = 0;

	tt_place_settle(&place);
	while (bytes && n < most && place.transfer) {
		struct tt_span run = tt_place_run(&place, bytes);
		out[n++] = (struct iovec){run.at, run.bytes};
		bytes -= run.bytes;
		place.in_span += run.bytes;
		tt_place_settle(&place);
	}
	return n;
}

void tt_place_skip(struct tt_place *place, uint64_t bytes)
{
	tt_place_settle(place);
	while (bytes) {
		struct tt_span run = tt_place_run(place, bytes);
		place->in_span += run.bytes;
		bytes -= run.bytes;
		tt_place_settle(place);
	}
}

void tt_place_put(struct tt_place place, const unsigned char *from, size_t bytes)
{
	tt_place_settle(&place);
	while (bytes) {
		struct tt_span run = tt_place_run(&place, bytes);
		memcpy(run.at, from, run.bytes);
		from += run.bytes;
		place.in_span += run.bytes;
		bytes -= run.bytes;
		tt_place_settle(&place);
	}
}

struct tt_place tt_transfers_find(const struct tt_transfers *queue, uint64_t at)
{
	struct tt_place place = {.transfer = queue->head};

	while (place.transfer->next && place.transfer->next->begins <= at)
		place.transfer = place.transfer->next;
	tt_place_skip(&place, at - place.transfer->begins);
	return place;
}

bool tt_transfers_credit(struct tt_transfers *queue, uint64_t at, uint64_t bytes)
{
	struct tt_transfer_state *transfer = queue->head;

	while (bytes && transfer) {
		uint64_t end = transfer->next ? transfer->next->begins : queue->end;
		if (at < end) {
			uint64_t now = end - at < bytes ? end - at : bytes;
			if (now > transfer->left)
				return false;
			transfer->left -= now;
			at += now;
			bytes -= now;
		}
		transfer = transfer->next;
	}
	return !bytes;
}

bool tt_transfers_pop(struct tt_transfers *queue)
{
	struct tt_transfer_state *transfer = queue->head;

	if (!transfer || transfer->left)
		return false;
	queue->head = transfer->next;
	if (!queue->head)
		queue->tail = &queue->head;
	return true;
}

void tt_place_leave(struct tt_place *place, const struct tt_transfer_state *transfer)
{
	if (place->transfer == transfer)
		*place = (struct tt_place){.transfer = transfer->next};
}

bool tt_transfers_wanted(const struct tt_transfers *queue)
{
	for (const struct tt_transfer_state *transfer = queue->head; transfer;
	     transfer = transfer->next)
		if (!transfer->idle)
			return true;
	return false;
}
