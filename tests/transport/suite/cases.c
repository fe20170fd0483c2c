/* SPDX-License-Identifier: BSD-3-Clause */
/* cases - the contract of a transport, case by case. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "transport/suite/suite.h"

static const size_t sizes[] = {0,    1,    2,    3,     7,     0,     63, 64,     65,
			       4095, 4096, 4097, 65535, 65536, 65537, 0,  300001, 1048579};
enum { NSIZES = sizeof sizes / sizeof *sizes, MANY = 200 };

/* Every size, one after the other, from 0 to 1. */
static void one_way(struct place *place)
{
	for (int i = 0; i < NSIZES; i++) {
		struct message *message = place->rank ? message_receive(place, 0, i, sizes[i], 1)
						      : message_send(place, 1, i, sizes[i], 1);
		complete(place, &message, 1);
	}
}

/* All sizes at once, in both directions. */
static void both_ways(struct place *place)
{
	struct message *messages[2 * NSIZES];
	int peer = 1 - place->rank;

	for (int i = 0; i < NSIZES; i++) {
		messages[2 * i] = message_send(place, peer, i, sizes[i], 1 + i % 3);
		messages[2 * i + 1] = message_receive(place, peer, i, sizes[i], 1 + i % 5);
	}
	complete(place, messages, 2 * NSIZES);
}

/* One message at a time: each begins in an empty transport, at any place of its buffers. */
static void ping_pong(struct place *place)
{
	for (int i = 0; i < 120; i++) {
		bool sends = (i & 1) == place->rank;
		size_t bytes = i < 60 ? (size_t)i * 1009 : 50000 + 77 * (size_t)i;
		struct message *message =
			sends ? message_send(place, 1 - place->rank, i, bytes, 1)
			      : message_receive(place, 1 - place->rank, i, bytes, 1);
		complete(place, &message, 1);
	}
}

/* Transfers without bytes are done, though the peer never does anything. */
static void nothing(struct place *place)
{
	struct message *messages[3];

	if (place->rank)
		return;
	messages[0] = message_receive(place, 1, 0, 0, 0);
	messages[1] = message_send(place, 1, 0, 0, 1);
	messages[2] = message_receive(place, 1, 0, 0, 7);
	complete(place, messages, 3);
}

static void large(struct place *place)
{
	size_t bytes = (chaotic() ? (size_t)1 << 20 : (size_t)24 << 20) + 5;
	struct message *messages[] = {
		message_receive(place, 1 - place->rank, 0, bytes, 3),
		message_send(place, 1 - place->rank, 0, bytes, 2),
	};

	complete(place, messages, 2);
}

/* Small messages of one pair keep their order, started in groups of any number. */
static void order(struct place *place)
{
	struct message *messages[MANY];
	int peer = 1 - place->rank;

	for (int done = 0; done < MANY;) {
		int n = 1 + (int)pick(place, 40);
		n = n < MANY - done ? n : MANY - done;
		for (int i = 0; i < n; i++)
			messages[i] = place->rank ? message_receive(place, peer, done + i,
								    (size_t)(done + i) % 40, 1)
						  : message_send(place, peer, done + i,
								 (size_t)(done + i) % 40, 1);
		complete(place, messages, n);
		done += n;
	}
}

/* More spans than a system call takes, cut differently on the two sides, some of them empty. */
static void many_spans(struct place *place)
{
	for (int i = 0; i < 4; i++) {
		size_t bytes = i ? 100003 * (size_t)i : 3000;
		struct message *message =
			place->rank ? message_receive(place, 0, i, bytes, 2900 + i)
				    : message_send(place, 1, i, bytes, 3100 - 700 * i);
		complete(place, &message, 1);
	}
}

/* The receiver takes a stream of bytes, not transfers: one span a transfer, and all in one. */
static void other_cuts(struct place *place)
{
	enum { PARTS = 9 };
	struct message *whole = place->rank ? message_receive(place, 0, 0, 70001, 1)
					    : message_send(place, 1, 0, 70001, PARTS);

	complete(place, &whole, 1);
	if (!place->rank) {
		whole = message_send(place, 1, 1, 70001, 3);
		complete(place, &whole, 1);
		return;
	}
	unsigned char *bytes = malloc(70001);
	struct tt_transfer_state parts[PARTS] = {{.peer = 0}};
	struct tt_span spans[PARTS];
	size_t at = 0;
	for (int i = 0; i < PARTS; i++) {
		size_t now = i == PARTS - 1 ? 70001 - at : (size_t)i * (size_t)i * 300;
		spans[i] = (struct tt_span){bytes + at, now};
		parts[i] = (struct tt_transfer_state){.spans = &spans[i], .nspans = 1, .peer = 0};
		ok(place, place->transport->receive(place->endpoint, &parts[i]));
		at += now;
	}
	whole = message_receive(place, 0, 2, 0, 0); /* is done when all before it are */
	complete(place, &whole, 1);
	struct message expected = {
		.block = malloc(70001 + 128), .size = 70001, .from = 0, .to = 1, .number = 1};
	memset(expected.block, 0xa5, 70001 + 128);
	expected.bytes = expected.block + 64;
	expected.transfer.done = parts[PARTS - 1].done;
	memcpy(expected.bytes, bytes, 70001);
	if (!expected.transfer.done)
		fail(place, "a transfer after the parts is done, the parts are not");
	message_check(place, &expected);
	free(expected.block);
	free(bytes);
}

/* What the mail does: a head and its bytes in one send; the bytes are asked for after the head. */
static void head_first(struct place *place)
{
	static const size_t bytes[] = {1, 40, 5000, 70000, 300000, 2000000};
	enum { HEAD = 16 };

	for (int i = 0; i < (int)(sizeof bytes / sizeof *bytes); i++) {
		if (!place->rank) {
			struct message *whole = message_send(place, 1, i, HEAD + bytes[i], 2);
			complete(place, &whole, 1);
			continue;
		}
		struct message whole = {.size = HEAD + bytes[i], .from = 0, .to = 1, .number = i};
		whole.block = malloc(whole.size + 128);
		memset(whole.block, 0xa5, whole.size + 128);
		whole.bytes = whole.block + 64;
		struct tt_span spans[] = {{whole.bytes, HEAD}, {whole.bytes + HEAD, bytes[i]}};
		for (int part = 0; part < 2; part++) {
			struct message *each = &whole;
			whole.transfer = (struct tt_transfer_state){
				.spans = &spans[part], .nspans = 1, .peer = 0};
			ok(place, place->transport->receive(place->endpoint, &whole.transfer));
			ok(place, finish(place, &each, 1));
		}
		message_check(place, &whole);
		free(whole.block);
	}
}

/* Everybody with everybody, twice, sizes as they fall. */
static void many_peers(struct place *place)
{
	struct message *messages[4 * SUITE_RANKS];

	for (int round = 0; round < 2; round++) {
		int n = 0;
		for (int i = 1; i < place->nranks; i++) {
			int to = (place->rank + i) % place->nranks,
			    from = (place->rank + place->nranks - i) % place->nranks;
			for (int number = 0; number < 2; number++) {
				messages[n++] = message_send(
					place, to, number,
					(size_t)(place->rank * 7919 + to * 104729) % 50000, 2);
				messages[n++] = message_receive(
					place, from, number,
					(size_t)(from * 7919 + place->rank * 104729) % 50000, 3);
			}
		}
		complete(place, messages, n);
	}
}

/* Bytes go round: a message may depend on one from another peer. */
static void ring(struct place *place)
{
	int to = (place->rank + 1) % place->nranks,
	    from = (place->rank + place->nranks - 1) % place->nranks;

	for (int i = 0; i < 100; i++) {
		struct message *in = NULL;
		if (place->rank) {
			in = message_receive(place, from, i, 24, 1);
			complete(place, &in, 1);
		}
		struct message *out = message_send(place, to, i, 24, 1);
		complete(place, &out, 1);
		if (!place->rank) {
			in = message_receive(place, from, i, 24, 1);
			complete(place, &in, 1);
		}
	}
}

/* A receive that comes late, and takes the message in two steps; nobody else is held up. */
static void late_receiver(struct place *place)
{
	struct message *mine, *messages[2];

	switch (place->rank) {
	case 0:
		mine = message_send(place, 1, 0, 3000000, 1);
		messages[0] = message_send(place, 2, 0, 100000, 1);
		messages[1] = message_receive(place, 2, 0, 100000, 1);
		complete(place, messages, 2);
		complete(place, &mine, 1);
		return;
	case 1:
		nap(0.2);
		mine = message_receive(place, 0, 0, 3000000, 4);
		complete(place, &mine, 1);
		return;
	default:
		messages[0] = message_receive(place, 0, 0, 100000, 1);
		messages[1] = message_send(place, 0, 0, 100000, 1);
		complete(place, messages, 2);
	}
}

/* A send that is done has left its buffer. */
static void overwrite(struct place *place)
{
	for (int i = 0; i < 50; i++) {
		struct message *message =
			place->rank ? message_receive(place, 0, i, 5000 + 3000 * (size_t)i, 2)
				    : message_send(place, 1, i, 5000 + 3000 * (size_t)i, 2);
		ok(place, finish(place, &message, 1));
		message_check(place, message);
		memset(message->bytes, 0xff, message->size);
		message->transfer.done = false;
		message_free(place, message);
	}
}

/* What was sent before the sender left is still received; the next message is lost. */
static void leave_early(struct place *place)
{
	struct message *message;

	if (place->rank == 1) {
		message = message_send(place, 0, 0, 30000, 1);
		complete(place, &message, 1);
		return;
	}
	nap(chaotic() ? 0.05 : 0.3);
	message = message_receive(place, 1, 0, 30000, 1);
	complete(place, &message, 1);
	message = message_receive(place, 1, 1, 1, 1);
	must_fail(place, &message, 1, TOTUM_ELOST, 1);
	message_free(place, message);
}

/* A receive that nobody waits for does not mind that its peer has gone. */
static void leave_idle(struct place *place)
{
	struct message *message;

	if (place->rank == 1) {
		message = message_send(place, 0, 0, 100, 1);
		complete(place, &message, 1);
		return;
	}
	struct tt_span span = {(unsigned char[8]){0}, 8};
	struct tt_transfer_state idle = {.spans = &span, .nspans = 1, .peer = 1, .idle = true};
	message = message_receive(place, 1, 0, 100, 1);
	complete(place, &message, 1);
	ok(place, place->transport->receive(place->endpoint, &idle));
	if (place->transport->waits(place->endpoint, 1))
		fail(place, "a receive that nobody waits for is waited for");
	uint64_t since = tt_clock_ns();
	for (int i = 0; i < 60; i++) {
		bool moved;
		ok(place, place->transport->progress(place->endpoint, &moved));
		ok(place, place->transport->wait(place->endpoint, since));
	}
	if (idle.done)
		fail(place, "a receive is done that nobody has sent for");
	place->transport->cancel(place->endpoint);
}

/* Killed in the middle of a large message, of which as much has gone as the transport takes. */
static void killed(struct place *place)
{
	struct message *message;

	if (place->rank == 1) {
		message = message_send(place, 0, 0, 8 << 20, 1);
		bool moved = false;
		for (uint64_t since = tt_clock_ns(); tt_clock_ns() - since < 300000000;)
			ok(place, place->transport->progress(place->endpoint, &moved));
		raise(SIGKILL);
	}
	message = place->rank ? message_send(place, 1, 0, 64 << 20, 1)
			      : message_receive(place, 1, 0, 9 << 20, 1);
	must_fail(place, &message, 1, TOTUM_ELOST, 1);
	message_free(place, message);
}

/* Killed before anything was sent either way. */
static void killed_early(struct place *place)
{
	if (place->rank == 1)
		raise(SIGKILL);
	nap(0.1);
	struct message *message = place->rank ? message_send(place, 1, 0, 1 << 20, 1)
					      : message_receive(place, 1, 0, 1, 1);
	must_fail(place, &message, 1, TOTUM_ELOST, 1);
	message_free(place, message);
}

/* A peer that lives and does nothing: the deadline, with its rank. */
static void silent(struct place *place)
{
	struct message *messages[2];

	if (place->rank == 1) {
		hear();
		return;
	}
	messages[0] = message_receive(place, 1, 0, 10, 1);
	messages[1] = message_send(place, 1, 0, 16 << 20, 1);
	must_fail(place, messages, 2, TOTUM_ETIMEOUT, 1);
	say();
	for (int i = 0; i < 2; i++)
		message_free(place, messages[i]);
}

/* Everybody talks to rank 1, which dies or fails when a few pieces have moved. */
static void dies_at_work(struct place *place)
{
	struct message *messages[2 * SUITE_RANKS] = {NULL};
	int n = 0;

	for (int peer = 0; peer < place->nranks; peer++)
		if (peer != place->rank && (place->rank == 1 || peer == 1)) {
			messages[n++] = message_send(place, peer, 0, 4 << 20, 2);
			messages[n++] = message_receive(place, peer, 0, 4 << 20, 3);
		}
	must_fail(place, messages, n, place->rank == 1 ? TOTUM_ESYSTEM : TOTUM_ELOST, 1);
	for (int i = 0; i < n; i++)
		message_free(place, messages[i]);
}

/* Transfers that were cancelled are touched no more, and the endpoint can be closed. */
static void cancelled(struct place *place)
{
	struct message *messages[3];

	if (place->rank) {
		messages[0] = message_send(place, 0, 0, 1000, 1);
		nap(0.1);
		complete(place, messages, 1);
		nap(0.1);
		return;
	}
	messages[0] = message_receive(place, 1, 0, 1000, 1);
	messages[1] = message_receive(place, 1, 1, 100000, 1);
	messages[2] = message_send(place, 1, 1, 8 << 20, 1);
	ok(place, finish(place, messages, 1));
	for (int i = 0; i < 5; i++) {
		bool moved;
		ok(place, place->transport->progress(place->endpoint, &moved));
	}
	place->transport->cancel(place->endpoint);
	if (messages[1]->transfer.done || messages[2]->transfer.done)
		fail(place, "a cancelled transfer is done");
	for (int i = 0; i < 3; i++)
		message_free(place, messages[i]);
}

const struct test_case cases[] = {
	{.name = "one_way", .nranks = 2, .run = one_way},
	{.name = "both_ways", .nranks = 2, .run = both_ways},
	{.name = "ping_pong", .nranks = 2, .run = ping_pong},
	{.name = "nothing", .nranks = 2, .run = nothing},
	{.name = "large", .nranks = 2, .run = large},
	{.name = "order", .nranks = 2, .run = order},
	{.name = "many_spans", .nranks = 2, .run = many_spans},
	{.name = "other_cuts", .nranks = 2, .run = other_cuts},
	{.name = "head_first", .nranks = 2, .run = head_first},
	{.name = "many_peers", .nranks = 7, .run = many_peers},
	{.name = "ring", .nranks = 5, .run = ring},
	{.name = "late_receiver", .nranks = 3, .run = late_receiver},
	{.name = "overwrite", .nranks = 2, .run = overwrite},
	{.name = "leave_early", .nranks = 2, .run = leave_early},
	{.name = "leave_idle", .nranks = 2, .run = leave_idle},
	{.name = "killed", .nranks = 3, .victim = 1, .run = killed},
	{.name = "killed_early", .nranks = 3, .victim = 1, .run = killed_early},
	{.name = "silent", .nranks = 2, .timeout = 0.5, .run = silent},
	{.name = "cancelled", .nranks = 2, .run = cancelled},
	{.name = "dies_at_once", .nranks = 4, .victim = 1, .run = dies_at_work, .killed_within = 5},
	{.name = "dies_at_work", .nranks = 4, .victim = 1, .run = dies_at_work,
	 .killed_within = 400},
	{.name = "fails_at_work", .nranks = 4, .run = dies_at_work, .fails_within = 400},
	{.name = NULL},
};
