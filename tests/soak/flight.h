/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flight.h - several things of a communicator under way at once: calls, alone or as a group, and
 * messages around the ring of its ranks; and what is made once: a blocking call, a plan that runs
 * several times, a window.
 *
 * `random` is the same on all ranks and decides what is done; `own` is this rank's and decides when
 * and where.  The first failure is returned; whatever had begun has been waited for and freed by
 * then, and every buffer has been given back.
 */
#ifndef FLIGHT_H
#define FLIGHT_H

#include "soak/call.h"

struct crew {
	totum_comm *comm; /* NULL: this rank takes no part */
	int rank, nranks;
	int names[RANKS]; /* of its ranks in the first communicator of all */
	bool forced;      /* an algorithm is, and it may refuse a call */
	int tag;          /* of the latest message: no two have the same */
};

static inline totum_status first_of(totum_status a, totum_status b)
{
	return a ? a : b;
}

static inline void maybe_nap(uint64_t *own)
{
	if (below(own, 8) == 0)
		nap_us((long)below(own, (uint64_t)1 << below(own, 13)));
}

/* A forced algorithm may refuse; then the result is nobody's. */
static inline bool refused_call(const struct crew *crew, totum_status status)
{
	return crew->forced && status == TOTUM_EUNSUPPORTED;
}

/* --- messages -------------------------------------------------------------------------------- */

struct mail {
	struct memory out, in;
	size_t bytes;
	int from;
	uint64_t salt;
	totum_message message;
	totum_request *sent, *received;
};

/* To the rank `distance` further, and from the one as far behind. */
static inline totum_status mail_post(struct crew *crew, struct mail *mail, uint64_t *random,
				     uint64_t *own)
{
	int n = crew->nranks, distance = (int)below(random, (uint64_t)n),
	    to = (crew->rank + distance) % n;
	bool anyone = below(random, 2);

	*mail = (struct mail){.from = (crew->rank + n - distance) % n};
	mail->bytes = (size_t)below(random, (uint64_t)1 << below(random, 19));
	mail->salt = mix(*random);
	mail->out = memory_new(crew->comm, mail->bytes, below(own, 2), (size_t)below(own, 64));
	mail->in = memory_new(crew->comm, mail->bytes, below(own, 2), (size_t)below(own, 64));
	fill(mail->out.data, mail->bytes, crew->rank, mail->salt);
	int tag = ++crew->tag;
	step("message:n=%d:distance=%d:bytes=%zu", n, distance, mail->bytes);
	totum_status status =
		totum_irecv(mail->in.data, mail->bytes, TOTUM_U8, anyone ? TOTUM_ANY : mail->from,
			    anyone || below(own, 2) ? tag : TOTUM_ANY, crew->comm, &mail->message,
			    &mail->received);
	maybe_nap(own);
	if (!status)
		status = totum_isend(mail->out.data, mail->bytes, TOTUM_U8, to, tag, crew->comm,
				     &mail->sent);
	return status;
}

static inline totum_status mail_finish(struct crew *crew, struct mail *mail, totum_status before)
{
	totum_status status = before;

	if (mail->sent)
		status = first_of(status, totum_wait(mail->sent));
	if (mail->received)
		status = first_of(status, totum_wait(mail->received));
	if (!status) {
		if (mail->message.peer != mail->from || mail->message.count != mail->bytes)
			fail("a message of %zu bytes from %d instead of %zu from %d",
			     mail->message.count, mail->message.peer, mail->bytes, mail->from);
		check(mail->in.data, mail->bytes, mail->from, mail->salt, "message");
	}
	memory_drop(crew->comm, &mail->out, "out");
	memory_drop(crew->comm, &mail->in, "in");
	return status;
}

/* --- requests -------------------------------------------------------------------------------- */

/* Waits for a request in one of the ways that there are. */
static inline totum_status request_finish(const struct call *c, totum_request *request,
					  bool grouped, uint64_t *own)
{
	uint64_t way = below(own, 3);
	totum_status status = TOTUM_OK;
	int done = 0;

	if (way == 0 && (c->what == ALLGATHER || c->what == ALLGATHERV) && !grouped)
		status = totum_wait_block(request, (int)below(own, (uint64_t)c->nranks));
	if (way == 1) {
		while (!done) {
			status = totum_test(request, &done);
			if (!done)
				maybe_nap(own);
		}
		return status;
	}
	return first_of(totum_wait(request), status);
}

enum { FLIGHT = 4 };

static inline totum_status flight(struct crew *crew, uint64_t *random, uint64_t *own)
{
	int n = 1 + (int)below(random, FLIGHT), made = 0;
	bool grouped = below(random, 2), with_mail = below(random, 2);
	struct call calls[FLIGHT];
	totum_request *requests[FLIGHT] = {NULL};
	totum_status begun[FLIGHT];
	struct mail mail;
	totum_status status = TOTUM_OK;

	if (with_mail)
		status = mail_post(crew, &mail, random, own);
	if (grouped)
		status = first_of(status, totum_group_begin(crew->comm));
	for (; !status && made < n; made++) {
		calls[made] = call_draw(crew->comm, crew->forced, random);
		call_prepare(&calls[made], own);
		call_announce(&calls[made], grouped ? "group" : "request");
		begun[made] = call_make(&calls[made], REQUEST, &requests[made], NULL);
		status = refused_call(crew, begun[made]) ? TOTUM_OK : begun[made];
		maybe_nap(own);
	}
	if (grouped)
		status = first_of(status, totum_group_end(crew->comm));
	for (int left = made; left > 0; left--) {
		int i = (int)below(own, (uint64_t)made);
		while (calls[i].comm == NULL)
			i = (i + 1) % made;
		call_announce(&calls[i], grouped ? "group" : "request");
		totum_status ended =
			begun[i] ? begun[i] : request_finish(&calls[i], requests[i], grouped, own);
		if (!ended)
			call_check(&calls[i]);
		call_release(&calls[i]);
		calls[i].comm = NULL;
		status = refused_call(crew, ended) ? status : first_of(status, ended);
	}
	return with_mail ? mail_finish(crew, &mail, status) : status;
}

/* --- one at a time --------------------------------------------------------------------------- */

static inline totum_status blocking(struct crew *crew, uint64_t *random, uint64_t *own)
{
	struct call c = call_draw(crew->comm, crew->forced, random);

	call_prepare(&c, own);
	call_announce(&c, "blocking");
	totum_status status = call_make(&c, BLOCKING, NULL, NULL);
	if (!status)
		call_check(&c);
	call_release(&c);
	return refused_call(crew, status) ? TOTUM_OK : status;
}

static inline totum_status planned(struct crew *crew, uint64_t *random, uint64_t *own)
{
	struct call c = call_draw(crew->comm, crew->forced, random);
	int runs = 1 + (int)below(random, 3);
	totum_plan *plan = NULL;
	totum_request *request;

	call_prepare(&c, own);
	call_announce(&c, "plan");
	totum_status status = call_make(&c, PLAN, NULL, &plan);
	for (int run = 0; run < runs && !status; run++) {
		call_fill(&c); /* in place the last run has changed it */
		status = totum_start(plan, &request);
		maybe_nap(own);
		if (!status)
			status = totum_wait(request);
		if (!status)
			call_check(&c);
	}
	ok(totum_plan_free(plan));
	call_release(&c);
	return refused_call(crew, status) ? TOTUM_OK : status;
}

static inline totum_status windowed(struct crew *crew, uint64_t *random)
{
	int n = crew->nranks;
	size_t bytes = (size_t)below(random, (uint64_t)1 << below(random, 18));
	uint64_t salt = mix(*random);
	totum_window *window;

	step("window:n=%d:bytes=%zu", n, bytes);
	totum_status status = totum_window_create(crew->comm, bytes * (size_t)n + 1, &window);
	if (status)
		return status;
	unsigned char *data = totum_window_data(window);
	for (int run = 0; run < 2 && !status; run++) {
		fill(data + (size_t)crew->rank * bytes, bytes, crew->rank, salt + (uint64_t)run);
		status = totum_allgather(TOTUM_IN_PLACE, data, bytes, TOTUM_U8, crew->comm);
		for (int rank = 0; rank < n && !status; rank++)
			check(data + (size_t)rank * bytes, bytes, rank, salt + (uint64_t)run,
			      "window");
		if (!status)
			status = totum_barrier(crew->comm);
	}
	return first_of(status, totum_window_free(window));
}

static inline totum_status crew_work(struct crew *crew, uint64_t *random, uint64_t *own)
{
	maybe_nap(own);
	switch (below(random, 8)) {
	case 0:
	case 1:
	case 2:
		return blocking(crew, random, own);
	case 3:
		return planned(crew, random, own);
	case 4:
		return windowed(crew, random);
	default:
		return flight(crew, random, own);
	}
}

#endif
