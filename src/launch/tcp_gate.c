/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_gate - who keeps the door of a meeting: visitors, of whom those who prove to be ranks are
 * admitted.
 *
 * One loop over all sockets, none of which blocks.  A visitor has a place in the hall and two
 * seconds to prove itself; when the hall is full the one who has stood there longest goes, which
 * costs a rank that was merely unlucky another attempt.  When the meeting has failed the loop goes
 * on for a moment, so that those who are still at the door hear why.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
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

enum { HALL = 128, TICK_MS = 50 };
static const uint64_t prove_ns = 2000000000, last_words_ns = 1000000000;

/* Somebody who has not proved anything yet, or who has been told that the meeting failed. */
struct visitor {
	int fd, rank;
	uint64_t since;
	bool challenged, leaving;
	size_t got;
	unsigned char in[TT_MEETING_PROOF], hello[TT_TCP_HELLO], nonce[TT_TCP_NONCE];
	char from[TT_TCP_TEXT];
};

struct gate {
	const struct tt_identity *me;
	const struct tt_settings *settings;
	const struct tt_doors *doors;
	struct tt_meeting_key key;
	struct visitor *hall; /* [HALL] */
	int visitors;
	struct pollfd *polls; /* [TT_PLACES + HALL + nranks] */
	int *fds;             /* [nranks], the caller's */
	int missing;          /* ranks that have neither been welcome nor been told of a failure */
	bool full;            /* the limit of open files was in the way */
	totum_status failed;
	unsigned char last_words[TT_MEETING_HEAD + TT_MEETING_SENTENCE];
	size_t last_words_bytes;
};

/* The first failure is the one that counts; its sentence is this thread's now. */
static void fail(struct gate *gate, totum_status status)
{
	if (gate->failed)
		return;
	gate->failed = status;
	gate->last_words_bytes = tt_meeting_failure(status, gate->last_words);
}

static void dismiss(struct gate *gate, struct visitor *visitor)
{
	close(visitor->fd);
	*visitor = gate->hall[--gate->visitors];
}

static void send_away(struct gate *gate, struct visitor *visitor, const char *why)
{
	tt_log("sent away a stranger at %s from the rendezvous: it %s", visitor->from, why);
	dismiss(gate, visitor);
}

/* The failure to one who has come; it hangs up when it has heard it. */
static void tell(const struct gate *gate, int fd)
{
	tt_meeting_send(fd, gate->last_words, gate->last_words_bytes, 0);
	shutdown(fd, SHUT_WR);
}

static bool welcome(const struct gate *gate, int fd)
{
	unsigned char packet[TT_MEETING_HEAD];
	struct tt_meeting_head head = {.kind = TT_MEETING_WELCOME,
				       .round = (uint32_t)gate->me->rank};

	tt_meeting_head_write(&head, packet);
	return !tt_meeting_send(fd, packet, sizeof packet, 0);
}

/* A proof that is right: from here on what the rank says counts. */
static void admit(struct gate *gate, struct visitor *visitor)
{
	struct tt_terms terms = {.rank = visitor->rank};
	bool known = visitor->rank < gate->me->nranks;

	tt_meeting_terms_read(visitor->in + TT_TCP_PROOF, &terms);
	totum_status status = gate->failed ? gate->failed
					   : tt_terms_check(gate->me, gate->settings, &terms,
							    known && gate->fds[visitor->rank] >= 0);
	if (status) {
		fail(gate, status);
		tell(gate, visitor->fd);
		visitor->leaving = true;
		gate->missing--;
		return;
	}
	if (!welcome(gate, visitor->fd)) {
		send_away(gate, visitor, "was a rank, and is gone");
		return;
	}
	gate->fds[visitor->rank] = visitor->fd;
	gate->missing--;
	*visitor = gate->hall[--gate->visitors];
}

static void challenge(struct gate *gate, struct visitor *visitor)
{
	unsigned char packet[TT_TCP_CHALLENGE];

	memcpy(visitor->hello, visitor->in, TT_TCP_HELLO);
	struct tt_tcp_proof_of of = tt_meeting_proof_of(&gate->key, visitor->hello, visitor->nonce);
	if (getrandom(visitor->nonce, TT_TCP_NONCE, 0) != TT_TCP_NONCE ||
	    !tt_tcp_prove(&of, false, packet + TT_TCP_NONCE)) {
		send_away(gate, visitor, "came when there were no random bytes or no hashes");
		return;
	}
	memcpy(packet, visitor->nonce, TT_TCP_NONCE);
	if (tt_meeting_send(visitor->fd, packet, sizeof packet, 0)) {
		send_away(gate, visitor, "is gone");
		return;
	}
	visitor->challenged = true;
	visitor->got = 0;
}

/* What has been read so far is enough for a step, or wrong, or neither. */
static void judge(struct gate *gate, struct visitor *visitor)
{
	if (!visitor->challenged) {
		const char *wrong =
			tt_meeting_hello_read(visitor->in, visitor->got, &visitor->rank);
		if (wrong)
			send_away(gate, visitor, wrong);
		else if (visitor->got == TT_TCP_HELLO)
			challenge(gate, visitor);
		return;
	}
	if (visitor->got < TT_MEETING_PROOF)
		return;
	struct tt_tcp_proof_of of = tt_meeting_proof_of(&gate->key, visitor->hello, visitor->nonce);
	if (tt_tcp_proves(&of, true, visitor->in))
		admit(gate, visitor);
	else
		send_away(gate, visitor, "does not know the secret of this job");
}

static void hear(struct gate *gate, struct visitor *visitor)
{
	size_t want = visitor->challenged ? TT_MEETING_PROOF : TT_TCP_HELLO;
	ssize_t got = recv(visitor->fd, visitor->in + visitor->got,
			   visitor->leaving ? sizeof visitor->in : want - visitor->got, 0);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (visitor->leaving) {
		if (got <= 0)
			dismiss(gate, visitor);
		return;
	}
	if (got <= 0) {
		send_away(gate, visitor, "hung up");
		return;
	}
	visitor->got += (size_t)got;
	judge(gate, visitor);
}

static struct visitor *oldest(struct gate *gate)
{
	struct visitor *first = gate->hall;

	for (int i = 1; i < gate->visitors; i++)
		if (gate->hall[i].since < first->since)
			first = &gate->hall[i];
	return first;
}

static totum_status cannot_accept(const struct gate *gate)
{
	return tt_fail(TOTUM_ESYSTEM,
		       "rank %d cannot accept all ranks: it needs a descriptor for "
		       "each of %d; raise the limit of open files there (ulimit -n)",
		       gate->me->rank, gate->me->nranks);
}

static void let_in(struct gate *gate, int fd, const struct sockaddr_storage *from)
{
	int on = 1;

	if (gate->visitors == HALL)
		send_away(gate, oldest(gate), "says nothing while others wait");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	struct visitor *visitor = &gate->hall[gate->visitors++];
	*visitor = (struct visitor){.fd = fd, .since = tt_clock_ns()};
	tt_tcp_sockaddr_text(from, visitor->from);
}

/* Those who wait at a door, but no more than the hall takes: ranks inside are heard in between. */
static void answer(struct gate *gate, int door)
{
	for (int i = 0; i < HALL;) {
		struct sockaddr_storage from;
		socklen_t length = sizeof from;
		int fd = accept4(door, (struct sockaddr *)&from, &length,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0) {
			let_in(gate, fd, &from);
			i++;
			continue;
		}
		if (errno == EAGAIN)
			return;
		bool full = errno == EMFILE || errno == ENFILE;
		/* not even without the visitors there would be a descriptor for each rank */
		bool never = errno == EMFILE && gate->visitors < gate->missing;
		gate->full |= full;
		if (never || (full && !gate->visitors)) {
			fail(gate, cannot_accept(gate));
			return;
		}
		if (full)
			send_away(gate, oldest(gate), "says nothing while others wait");
		i += !full; /* else: one who has hung up already, or a network that is down */
	}
}

/*
 * Doors, visitors, ranks.  Only what is open, so that poll takes the list: it refuses one that is
 * longer than the limit of open files.
 */
static int list_sockets(struct gate *gate)
{
	int n = 0;

	for (int i = 0; i < gate->doors->n; i++)
		gate->polls[n++] = (struct pollfd){.fd = gate->doors->fds[i], .events = POLLIN};
	for (int i = 0; i < gate->visitors; i++)
		gate->polls[n++] = (struct pollfd){.fd = gate->hall[i].fd, .events = POLLIN};
	for (int rank = 0; rank < gate->me->nranks; rank++)
		if (gate->fds[rank] >= 0)
			gate->polls[n++] =
				(struct pollfd){.fd = gate->fds[rank], .events = POLLRDHUP};
	return n;
}

/* A rank that was welcome and hangs up has died; when told of a failure it has heard it. */
static void notice_the_gone(struct gate *gate, const struct pollfd *polls)
{
	for (int rank = 0; rank < gate->me->nranks; rank++) {
		if (gate->fds[rank] < 0 || !(polls++->revents & ~POLLIN))
			continue;
		close(gate->fds[rank]);
		gate->fds[rank] = -1;
		if (!gate->failed)
			fail(gate, tt_terms_died(rank, gate->me->nranks));
	}
}

static void expire(struct gate *gate, uint64_t now)
{
	for (int i = gate->visitors - 1; i >= 0; i--)
		if (now - gate->hall[i].since > prove_ns)
			send_away(gate, &gate->hall[i], "says nothing");
}

/* Waits for something to happen, no longer than until the deadline, and does it. */
static void turn(struct gate *gate, uint64_t now, uint64_t deadline)
{
	int n = list_sockets(gate), visitors = gate->visitors;
	int ms = (int)((deadline - now) / 1000000 + 1);

	if (poll(gate->polls, (nfds_t)n, gate->visitors && ms > TICK_MS ? TICK_MS : ms) > 0) {
		struct pollfd *polls = gate->polls + gate->doors->n;
		notice_the_gone(gate, polls + visitors);
		/* backwards: whoever leaves has his place taken by one who has been heard */
		for (int i = visitors - 1; i >= 0; i--)
			if (polls[i].revents)
				hear(gate, &gate->hall[i]);
		for (int i = 0; i < gate->doors->n; i++)
			if (gate->polls[i].revents)
				answer(gate, gate->doors->fds[i]);
	}
	expire(gate, tt_clock_ns());
}

static bool is_here(const void *context, int rank)
{
	const struct gate *gate = context;

	return rank == gate->me->rank || gate->fds[rank] >= 0;
}

static totum_status say_who_is_missing(const struct gate *gate, const struct tt_place *place)
{
	char todo[160];

	if (gate->full)
		return cannot_accept(gate);
	snprintf(todo, sizeof todo,
		 "start all ranks, where they can connect to \"%.60s\", or set "
		 "TOTUM_LAUNCHER=none to run alone",
		 place->root);
	return tt_terms_missing(gate->me->nranks, is_here, gate, todo);
}

static void wait_for_all(struct gate *gate, const struct tt_place *place)
{
	uint64_t deadline = tt_clock_ns() + tt_terms_patience(gate->settings);

	while (gate->missing && !gate->failed) {
		uint64_t now = tt_clock_ns();
		if (now >= deadline)
			fail(gate, say_who_is_missing(gate, place));
		else
			turn(gate, now, deadline);
	}
}

static bool is_empty(const struct gate *gate)
{
	for (int rank = 0; rank < gate->me->nranks; rank++)
		if (gate->fds[rank] >= 0)
			return false;
	return !gate->visitors;
}

/*
 * Until all who are there, at the door or just about to come have heard it, for no longer than a
 * moment; those who did not come until the deadline are not waited for.
 */
static totum_status tell_everybody(struct gate *gate)
{
	uint64_t end = tt_clock_ns() + last_words_ns;
	struct tt_meeting_head head;

	for (int rank = 0; rank < gate->me->nranks; rank++)
		if (gate->fds[rank] >= 0)
			tell(gate, gate->fds[rank]);
	do {
		uint64_t now = tt_clock_ns(), tick = now + TICK_MS * 1000000;
		if (now >= end)
			break;
		turn(gate, now, tick < end ? tick : end);
	} while (!is_empty(gate) || (gate->missing > 0 && gate->failed != TOTUM_ETIMEOUT));
	/* what became of strangers meanwhile is not this thread's sentence */
	tt_meeting_head_read(gate->last_words, &head);
	return tt_meeting_failed(&head, (const char *)gate->last_words + TT_MEETING_HEAD);
}

static totum_status keep(struct gate *gate, const struct tt_place *place)
{
	wait_for_all(gate, place);
	totum_status status = gate->failed ? tell_everybody(gate) : TOTUM_OK;
	while (gate->visitors)
		dismiss(gate, gate->hall);
	return status;
}

totum_status tt_gate_keep(const struct tt_identity *me, const struct tt_settings *settings,
			  const struct tt_place *place, const struct tt_doors *doors, int fds[])
{
	struct gate gate = {.me = me,
			    .settings = settings,
			    .doors = doors,
			    .key = tt_meeting_key(me, place),
			    .fds = fds,
			    .missing = me->nranks - 1};
	size_t sockets = (size_t)me->nranks + HALL + TT_PLACES;

	for (int rank = 0; rank < me->nranks; rank++)
		fds[rank] = -1;
	gate.hall = malloc(HALL * sizeof *gate.hall);
	gate.polls = malloc(sockets * sizeof *gate.polls);
	totum_status status = gate.hall && gate.polls ? keep(&gate, place)
						      : tt_fail_memory(sockets * sizeof *gate.polls,
								       "the rendezvous");
	free(gate.hall);
	free(gate.polls);
	for (int rank = 0; rank < me->nranks && status; rank++)
		if (fds[rank] >= 0)
			close(fds[rank]);
	return status;
}
