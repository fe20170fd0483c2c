/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_knock - who comes to a meeting by TCP: tries all addresses of the place at once, again and
 * again, until at one of them somebody proves to keep the door of this job.
 *
 * A refusal is normal, for the keeper may not be there yet.  So is silence: its door may be open
 * before it looks.  Somebody who answers and does not know the secret is another job, or the end of
 * an earlier one, and is given two seconds to go.
 */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "launch/tcp_gate.h"
#include "launch/tcp_meeting.h"

enum { ATTEMPTS = 2 * TT_PLACES };
static const uint64_t ms = 1000000, first_pause = 2, longest_pause = 250, lookup_pause = 200;
/* connections to nowhere, and to somebody who says nothing, in ms */
static const uint64_t connect_ms = 3000, silence_ms = 20000, stranger_ms = 2000;

struct attempt {
	struct sockaddr_storage to;
	socklen_t length;
	int fd; /* -1: none now */
	bool connected;
	bool met_stranger; /* somebody who does not know the secret */
	uint64_t next_ns;  /* of a new one; of one under way: when it is given up */
	uint64_t pause_ms;
	size_t got;
	unsigned char hello[TT_TCP_HELLO], in[TT_TCP_CHALLENGE];
};

struct knocker {
	struct tt_identity *me;
	const struct tt_settings *settings;
	struct tt_place *place;
	const struct tt_news *news; /* NULL: the place is known */
	char id[TT_ID];             /* the last news, "": none yet */
	struct tt_meeting_key key;
	uint64_t deadline, lookup_ns, stranger_ns; /* 0: has met no stranger */
	uint32_t random;
	struct attempt attempts[ATTEMPTS];
	int n;
	int fd, keeper; /* the end: welcome there */
	char why[160];  /* of the last attempt that failed */
};

/* All wait for different times, so that they do not all come at once again. */
static uint64_t jitter(struct knocker *knocker, uint64_t pause_ms)
{
	knocker->random = knocker->random * 1664525 + 1013904223;
	return pause_ms * ms / 2 + pause_ms * ms * (knocker->random >> 16) / 65536;
}

static void give_up(struct knocker *knocker, struct attempt *attempt, const char *why)
{
	char text[TT_TCP_TEXT];

	snprintf(knocker->why, sizeof knocker->why, "%s: %.90s",
		 tt_tcp_sockaddr_text(&attempt->to, text), why);
	if (attempt->fd >= 0)
		close(attempt->fd);
	attempt->fd = -1;
	attempt->next_ns = tt_clock_ns() + jitter(knocker, attempt->pause_ms);
	attempt->pause_ms *= attempt->pause_ms < longest_pause ? 2 : 1;
}

/* The addresses of the place as it is known; unknown hosts are looked up again later. */
static void look_up(struct knocker *knocker)
{
	for (int i = 0; i < knocker->place->nhosts; i++) {
		struct addrinfo *all;
		if (tt_place_resolve(knocker->place->host[i], knocker->place->port, &all)) {
			snprintf(knocker->why, sizeof knocker->why, "%s", totum_errmsg());
			continue;
		}
		for (struct addrinfo *each = all; each && knocker->n < ATTEMPTS;
		     each = each->ai_next) {
			struct attempt *attempt = &knocker->attempts[knocker->n++];
			*attempt = (struct attempt){
				.length = each->ai_addrlen, .fd = -1, .pause_ms = first_pause};
			memcpy(&attempt->to, each->ai_addr, each->ai_addrlen);
		}
		freeaddrinfo(all);
	}
}

static void dial(struct knocker *knocker, struct attempt *attempt, uint64_t now)
{
	int on = 1;

	attempt->connected = false;
	attempt->got = 0;
	attempt->next_ns = now + connect_ms * ms;
	attempt->fd = socket(attempt->to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (attempt->fd >= 0)
		setsockopt(attempt->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (attempt->fd < 0 ||
	    (connect(attempt->fd, (struct sockaddr *)&attempt->to, attempt->length) &&
	     errno != EINPROGRESS))
		give_up(knocker, attempt, strerror(errno));
}

static void introduce(struct knocker *knocker, struct attempt *attempt)
{
	int error = 0;
	socklen_t length = sizeof error;

	getsockopt(attempt->fd, SOL_SOCKET, SO_ERROR, &error, &length);
	if (!error && !tt_meeting_hello_write(knocker->me->rank, attempt->hello))
		error = EIO;
	if (!error)
		error = tt_meeting_send(attempt->fd, attempt->hello, TT_TCP_HELLO, 0);
	if (error) {
		give_up(knocker, attempt, strerror(error));
		return;
	}
	attempt->connected = true;
	attempt->next_ns = tt_clock_ns() + silence_ms * ms;
}

static void leave_others(struct knocker *knocker, const struct attempt *chosen)
{
	for (int i = 0; i < knocker->n; i++) {
		struct attempt *attempt = &knocker->attempts[i];
		if (attempt != chosen && attempt->fd >= 0) {
			close(attempt->fd);
			attempt->fd = -1;
		}
	}
}

static bool prove(struct knocker *knocker, const struct attempt *attempt)
{
	unsigned char packet[TT_MEETING_PROOF];
	struct tt_tcp_proof_of of = tt_meeting_proof_of(&knocker->key, attempt->hello, attempt->in);
	struct tt_terms terms = {.nranks = knocker->me->nranks};

	memcpy(terms.algo, knocker->settings->algo, sizeof terms.algo);
	tt_meeting_terms_write(&terms, packet + TT_TCP_PROOF);
	return tt_tcp_prove(&of, true, packet) &&
	       !tt_meeting_send(attempt->fd, packet, sizeof packet, 0);
}

/*
 * The keeper has proved itself: it will say who is missing, for it has a deadline too.  False: it
 * hung up without a word, having no room, and this rank comes again.
 */
static bool enter(struct knocker *knocker, struct attempt *attempt, totum_status *status)
{
	struct tt_meeting_head head;
	uint64_t patience = tt_terms_patience(knocker->settings) + 1000 * ms;

	leave_others(knocker, attempt);
	if (!prove(knocker, attempt)) {
		give_up(knocker, attempt, "hung up");
		return false;
	}
	*status = tt_meeting_expect(attempt->fd, TT_MEETING_WELCOME, 0, 0, tt_clock_ns() + patience,
				    &head);
	if (*status == TOTUM_ELOST && !head.kind) {
		give_up(knocker, attempt, "hung up");
		return false;
	}
	knocker->keeper = (int)head.round;
	knocker->fd = attempt->fd;
	attempt->fd = -1;
	return true;
}

/* Whoever answered is of another job. */
static bool is_no_keeper(struct knocker *knocker, struct attempt *attempt, totum_status *status)
{
	uint64_t now = tt_clock_ns();
	bool all = true;

	give_up(knocker, attempt, "whoever listens there does not know the secret of this job");
	attempt->met_stranger = true;
	for (int i = 0; i < knocker->n; i++)
		all &= knocker->attempts[i].met_stranger;
	if (!knocker->stranger_ns)
		knocker->stranger_ns = now;
	if (!all || knocker->news || now - knocker->stranger_ns < stranger_ms * ms)
		return false;
	*status = tt_fail(TOTUM_EINVAL,
			  "whoever listens at \"%.100s\" has another secret than rank "
			  "%d: it belongs to another job, or the secrets of the ranks differ",
			  knocker->place->root, knocker->me->rank);
	return true;
}

/* True: it is over, one way or the other. */
static bool hear(struct knocker *knocker, struct attempt *attempt, totum_status *status)
{
	ssize_t got =
		recv(attempt->fd, attempt->in + attempt->got, sizeof attempt->in - attempt->got, 0);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (got <= 0) {
		give_up(knocker, attempt, got ? strerror(errno) : "hung up");
		return false;
	}
	attempt->got += (size_t)got;
	if (attempt->got < sizeof attempt->in)
		return false;
	struct tt_tcp_proof_of of = tt_meeting_proof_of(&knocker->key, attempt->hello, attempt->in);
	return tt_tcp_proves(&of, false, attempt->in + TT_TCP_NONCE)
		       ? enter(knocker, attempt, status)
		       : is_no_keeper(knocker, attempt, status);
}

/* What is told of the place now; when that has changed the attempts begin anew. */
static void read_news(struct knocker *knocker)
{
	char id[TT_ID];

	if (!knocker->news->read(knocker->news->context, id)) {
		if (!knocker->id[0])
			snprintf(knocker->why, sizeof knocker->why, "nothing is told yet by %.100s",
				 knocker->news->where);
		return;
	}
	if (!strcmp(id, knocker->id))
		return;
	memcpy(knocker->id, id, sizeof id);
	leave_others(knocker, NULL);
	knocker->n = 0;
	if (tt_unique_id_read(id, knocker->me->root, knocker->me->secret) ||
	    tt_place_parse(knocker->me->root, knocker->place))
		snprintf(knocker->why, sizeof knocker->why, "what is told by %.50s is no id",
			 knocker->news->where);
	else
		knocker->key = tt_meeting_key(knocker->me, knocker->place);
}

static void refresh(struct knocker *knocker, uint64_t now)
{
	knocker->lookup_ns = now + lookup_pause * ms;
	if (knocker->news)
		read_news(knocker);
	if (!knocker->n)
		look_up(knocker);
}

/* Begins and ends attempts whose time it is; the time of the next. */
static uint64_t keep_time(struct knocker *knocker, uint64_t now)
{
	uint64_t next = knocker->deadline;

	bool asks = !knocker->n || knocker->news;
	if (asks && now >= knocker->lookup_ns)
		refresh(knocker, now);
	if (asks && knocker->lookup_ns < next)
		next = knocker->lookup_ns;
	for (int i = 0; i < knocker->n; i++) {
		struct attempt *attempt = &knocker->attempts[i];
		if (attempt->fd >= 0 && now >= attempt->next_ns)
			give_up(knocker, attempt, "does not answer");
		else if (attempt->fd < 0 && now >= attempt->next_ns)
			dial(knocker, attempt, now);
		if (attempt->next_ns < next)
			next = attempt->next_ns;
	}
	return next;
}

static bool turn(struct knocker *knocker, uint64_t now, totum_status *status)
{
	struct pollfd polls[ATTEMPTS];
	uint64_t next = keep_time(knocker, now);
	uint64_t wait = next > now ? (next - now) / ms + 1 : 0;

	for (int i = 0; i < knocker->n; i++) {
		struct attempt *attempt = &knocker->attempts[i];
		polls[i] = (struct pollfd){.fd = attempt->fd,
					   .events = attempt->connected ? POLLIN : POLLOUT};
	}
	if (poll(polls, (nfds_t)knocker->n, (int)wait) <= 0)
		return false;
	for (int i = 0; i < knocker->n; i++) {
		struct attempt *attempt = &knocker->attempts[i];
		if (attempt->fd < 0 || !polls[i].revents)
			continue;
		if (!attempt->connected)
			introduce(knocker, attempt);
		else if (hear(knocker, attempt, status))
			return true;
	}
	return false;
}

static totum_status not_found(const struct knocker *knocker)
{
	return tt_fail(TOTUM_ETIMEOUT,
		       "rank %d has not found the other ranks at \"%.100s\" (%s); "
		       "start all ranks, with the same root, or set TOTUM_LAUNCHER=none to run "
		       "alone",
		       knocker->me->rank,
		       knocker->news ? knocker->news->where : knocker->place->root, knocker->why);
}

totum_status tt_gate_knock(struct tt_identity *me, const struct tt_settings *settings,
			   struct tt_place *place, const struct tt_news *news, int *fd, int *keeper)
{
	struct knocker knocker = {.me = me,
				  .settings = settings,
				  .place = place,
				  .news = news,
				  .key = tt_meeting_key(me, place),
				  .deadline = tt_clock_ns() + tt_terms_patience(settings),
				  .fd = -1,
				  .why = "it was not tried"};
	totum_status status = TOTUM_OK;
	bool over = false;

	if (getrandom(&knocker.random, sizeof knocker.random, 0) < 0)
		knocker.random = (uint32_t)me->rank;
	while (!over) {
		uint64_t now = tt_clock_ns();
		over = now >= knocker.deadline;
		if (over)
			status = not_found(&knocker);
		else
			over = turn(&knocker, now, &status);
	}
	leave_others(&knocker, NULL);
	if (status && knocker.fd >= 0)
		close(knocker.fd);
	*fd = status ? -1 : knocker.fd;
	*keeper = knocker.keeper;
	return status;
}
