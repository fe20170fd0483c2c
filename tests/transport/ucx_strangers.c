/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx_strangers - whoever can reach a rank's worker and does not belong: noise, greetings, frames
 * and farewells without a proof, another job's secret; and a rank that sends more than is taken.
 *
 * Two endpoints take turns in one thread; the stranger is a worker of UCX without an endpoint.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "transport/ucx_parts.h"

enum { BYTES = 100000 };

static const char *running = "";

static void die(const char *what)
{
	fprintf(stderr, "FAILED %s: %s (%s)\n", running, what, totum_errmsg());
	exit(1);
}

static void ok(totum_status status)
{
	if (status)
		die(totum_strerror(status));
}

static void must(bool holds, const char *what)
{
	if (!holds)
		die(what);
}

/* --- two ranks ------------------------------------------------------------------------------- */

struct pair {
	struct tt_ucx_listener *listeners[2];
	struct tt_endpoint *ends[2];
	unsigned char blobs[2][TT_UCX_BLOB];
	size_t bytes[2];
};

static void pair_listen(struct pair *pair)
{
	memset(pair, 0, sizeof *pair);
	for (int rank = 0; rank < 2; rank++)
		ok(tt_ucx_listen(&pair->listeners[rank], pair->blobs[rank], &pair->bytes[rank]));
}

static totum_status open_rank(struct pair *pair, int rank, const void *blobs, size_t stride,
			      const char *secret)
{
	return tt_transport_ucx.open(&(struct tt_ucx_context){.rank = rank,
							      .nranks = 2,
							      .listener = pair->listeners[rank],
							      .blobs = blobs,
							      .stride = stride,
							      .secret = secret,
							      .secret_bytes = strlen(secret),
							      .timeout_ns = 20000000000},
				     &pair->ends[rank]);
}

static void pair_open(struct pair *pair, const char *secret_of_1)
{
	for (int rank = 0; rank < 2; rank++)
		ok(open_rank(pair, rank, pair->blobs, TT_UCX_BLOB,
			     rank ? secret_of_1 : "the secret"));
}

static void pair_close(struct pair *pair)
{
	for (int rank = 0; rank < 2; rank++)
		tt_transport_ucx.close(pair->ends[rank]);
}

static totum_status turn(struct pair *pair)
{
	static uint64_t idle_since;
	totum_status status = TOTUM_OK;
	bool moved, any = false;

	for (int rank = 0; rank < 2 && !status; rank++) {
		status = tt_transport_ucx.progress(pair->ends[rank], &moved);
		any |= moved;
	}
	if (any || !idle_since)
		idle_since = tt_clock_ns();
	for (int rank = 0; rank < 2 && !status && !any; rank++)
		status = tt_transport_ucx.check(pair->ends[rank], idle_since);
	return status;
}

static void idle(struct pair *pair, double seconds)
{
	for (uint64_t began = tt_clock_ns(); (double)(tt_clock_ns() - began) < seconds * 1e9;)
		ok(turn(pair));
}

/* From rank 0 to rank 1; the receive is started when the send has been given some turns. */
static totum_status exchange(struct pair *pair)
{
	static unsigned char out[BYTES], in[BYTES];
	struct tt_span spans[] = {{out, BYTES}, {in, BYTES}};
	struct tt_transfer_state send = {.spans = &spans[0], .nspans = 1, .peer = 1},
				 receive = {.spans = &spans[1], .nspans = 1, .peer = 0};
	totum_status status = TOTUM_OK;

	for (size_t i = 0; i < BYTES; i++) {
		out[i] = (unsigned char)(i * 2654435761u >> 13);
		in[i] = 0;
	}
	ok(tt_transport_ucx.send(pair->ends[0], &send));
	for (int i = 0; i < 100 && !status; i++)
		status = turn(pair);
	ok(tt_transport_ucx.receive(pair->ends[1], &receive));
	while (!status && (!send.done || !receive.done))
		status = turn(pair);
	must(status || !memcmp(in, out, BYTES), "other bytes came than were sent");
	return status;
}

/* --- a stranger ------------------------------------------------------------------------------ */

struct stranger {
	struct tt_ucx_listener *listener;
	ucp_ep_h ep; /* to rank 1 */
};

static void stranger_come(struct stranger *stranger, struct pair *pair)
{
	static unsigned char blob[TT_UCX_BLOB];
	struct tt_ucx_card card;
	size_t bytes;

	ok(tt_ucx_listen(&stranger->listener, blob, &bytes));
	ok(tt_ucx_card_read(pair->blobs[1], TT_UCX_BLOB, &card));
	ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
						UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE,
				  .address = (const ucp_address_t *)card.address,
				  .err_mode = UCP_ERR_HANDLING_MODE_PEER};
	must(stranger->listener->calls->ep_create(stranger->listener->worker, &params,
						  &stranger->ep) == UCS_OK,
	     "the stranger cannot come");
}

/* Says it, and sees to it that it has been heard. */
static void stranger_say(struct stranger *stranger, struct pair *pair, const void *head,
			 size_t head_bytes, size_t data_bytes, bool direct)
{
	static const unsigned char data[BYTES] = {0x77};
	const struct tt_ucx_calls *calls = stranger->listener->calls;
	ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
				     .flags = direct ? UCP_AM_SEND_FLAG_RNDV
						     : UCP_AM_SEND_FLAG_EAGER};
	ucs_status_ptr_t request =
		calls->am_send(stranger->ep, TT_UCX_AM, head, head_bytes, data, data_bytes, &param);
	uint64_t began = tt_clock_ns();

	must(!UCS_PTR_IS_ERR(request), "the stranger cannot speak");
	while (tt_clock_ns() - began < 50000000 ||
	       (UCS_PTR_IS_PTR(request) &&
		calls->request_check_status(request) == UCS_INPROGRESS)) {
		calls->worker_progress(stranger->listener->worker);
		ok(turn(pair));
		must(tt_clock_ns() - began < 20000000000, "nobody hears the stranger");
	}
	if (UCS_PTR_IS_PTR(request))
		calls->request_free(request);
}

static void stranger_go(struct stranger *stranger)
{
	ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
				     .flags = UCP_EP_CLOSE_FLAG_FORCE};
	const struct tt_ucx_calls *calls = stranger->listener->calls;
	ucs_status_ptr_t request = calls->ep_close(stranger->ep, &param);

	if (UCS_PTR_IS_PTR(request))
		calls->request_free(request);
	tt_ucx_unlisten(stranger->listener);
}

/* What a stranger says as rank 0, before and after the true one has been believed. */
static void unproved(void)
{
	struct stranger stranger;
	struct pair pair;

	pair_listen(&pair);
	pair_open(&pair, "the secret");
	stranger_come(&stranger, &pair);
	for (int round = 0; round < 2; round++) {
		for (int kind = TT_UCX_HELLO; kind <= TT_UCX_HEARD; kind++) {
			struct tt_ucx_message message = {.kind = (enum tt_ucx_kind)kind,
							 .nranks = 2,
							 .to = 1,
							 .nonce = {1, 2, 3},
							 .proof = {4, 5, 6},
							 .posted = 1 << 20};
			unsigned char head[TT_UCX_HEAD];
			size_t bytes = tt_ucx_message_write(&message, head);
			bool frame = kind == TT_UCX_FRAME;
			stranger_say(&stranger, &pair, head, bytes, frame ? 5000 : 0, false);
			if (frame)
				stranger_say(&stranger, &pair, head, bytes, 50000, true);
		}
		ok(exchange(&pair));
	}
	stranger_go(&stranger);
	ok(exchange(&pair));
	pair_close(&pair);
}

static void noise(void)
{
	struct stranger stranger;
	struct pair pair;
	unsigned char head[200];
	uint32_t random = 7;

	pair_listen(&pair);
	pair_open(&pair, "the secret");
	stranger_come(&stranger, &pair);
	for (size_t bytes = 0; bytes < sizeof head; bytes += 9) {
		for (size_t i = 0; i < bytes; i++)
			head[i] = (unsigned char)((random = random * 1664525 + 1013904223) >> 24);
		if (bytes > 8 && bytes % 2) /* begins well */
			memcpy(head,
			       (unsigned char[]){'T', 'X', 1, (unsigned char)(1 + bytes % 6), 0, 0,
						 0, 0},
			       8);
		stranger_say(&stranger, &pair, head, bytes, 1000 * (bytes % 3), false);
	}
	ok(exchange(&pair));
	stranger_go(&stranger);
	pair_close(&pair);
}

/* Both sides say so, long before the deadline. */
static void other_secret(void)
{
	struct pair pair;

	pair_listen(&pair);
	pair_open(&pair, "the secret of another job");
	must(exchange(&pair) == TOTUM_ELOST && strstr(totum_errmsg(), "secret"),
	     "another secret is not found out");
	for (int rank = 0; rank < 2; rank++)
		must(pair.ends[rank]->peers[1 - rank].dead &&
			     !pair.ends[rank]->peers[1 - rank].open,
		     "a rank believes who has another secret");
	for (int rank = 0; rank < 2; rank++)
		tt_transport_ucx.cancel(pair.ends[rank]);
	pair_close(&pair);
}

/* --- the rest -------------------------------------------------------------------------------- */

/* A sender is held back by what the receiver has not asked for, and no more than that is staged. */
static void held_back(void)
{
	static unsigned char out[8 << 20], in[sizeof out];
	struct tt_span spans[] = {{out, sizeof out}, {in, sizeof in}};
	struct tt_transfer_state send = {.spans = &spans[0], .nspans = 1, .peer = 1},
				 receive = {.spans = &spans[1], .nspans = 1, .peer = 0};
	struct pair pair;

	pair_listen(&pair);
	pair_open(&pair, "the secret");
	ok(exchange(&pair));
	for (size_t i = 0; i < sizeof out; i++)
		out[i] = (unsigned char)(i * 40503 >> 7);
	ok(tt_transport_ucx.send(pair.ends[0], &send));
	idle(&pair, 0.3);
	uint64_t staged = pair.ends[1]->peers[0].staged;
	must(!send.done && staged && staged <= TT_UCX_WINDOW, "a sender is not held back");
	ok(tt_transport_ucx.receive(pair.ends[1], &receive));
	while (!send.done || !receive.done)
		ok(turn(&pair));
	must(!memcmp(in, out, sizeof out), "other bytes came than were sent");
	must(pair.ends[0]->peers[1].eager < 2 * TT_UCX_WINDOW + BYTES,
	     "a large message whose receive has been started goes in little pieces");
	pair_close(&pair);
}

static void refused(struct pair *pair, const void *blobs, size_t stride, const char *secret,
		    const char *words)
{
	must(open_rank(pair, 0, blobs, stride, secret) == TOTUM_EINVAL &&
		     strstr(totum_errmsg(), words),
	     words);
}

/* Blobs that were exchanged wrongly, and no secret. */
static void blobs(void)
{
	static unsigned char other[2][TT_UCX_BLOB];
	struct pair pair;

	pair_listen(&pair);
	memcpy(other[0], pair.blobs[1], TT_UCX_BLOB);
	memcpy(other[1], pair.blobs[0], TT_UCX_BLOB);
	refused(&pair, other, TT_UCX_BLOB, "the secret", "by rank");
	refused(&pair, pair.blobs, TT_UCX_BLOB, "", "secret");
	memcpy(other, pair.blobs, sizeof other);
	other[1][0] ^= 1;
	refused(&pair, other, TT_UCX_BLOB, "the secret", "rank 1");
	for (size_t bytes = 0; bytes < pair.bytes[0]; bytes++) {
		struct tt_ucx_card card;
		unsigned char *part = malloc(bytes + 1); /* so that a sanitizer sees its end */
		memcpy(part, pair.blobs[0], bytes);
		must(tt_ucx_card_read(part, bytes, &card) == TOTUM_EINVAL, "a part of a blob");
		free(part);
	}
	for (int rank = 0; rank < 2; rank++)
		tt_ucx_unlisten(pair.listeners[rank]);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} tests[] = {{"unproved", unproved},
		     {"noise", noise},
		     {"other_secret", other_secret},
		     {"held_back", held_back},
		     {"blobs", blobs}};
	const struct tt_ucx_calls *calls;

	setenv("UCX_TLS", "tcp,self", 1);
	setenv("UCX_NET_DEVICES", "lo", 1);
	if (tt_ucx_load(&calls)) {
		printf("skipped: %s\n", totum_errmsg());
		return 77;
	}
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
		running = tests[i].name;
		if (argc > 1 && strcmp(argv[1], running) != 0)
			continue;
		puts(running);
		fflush(stdout);
		alarm(60);
		tests[i].run();
	}
	return 0;
}
