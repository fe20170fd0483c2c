/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exchange_tcp - ranks that meet at an address, "tcp://HOST:PORT".
 *
 * A star: one rank keeps the door and all others have a connection to it, by which their bytes come
 * in and those of all go out: two hops, nranks messages each way, nranks descriptors at the keeper.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch/exchange_parts.h"
#include "launch/tcp_gate.h"
#include "launch/tcp_meeting.h"

enum { LAST_WORDS_NS = 1000000000 };

/* What has moved of a packet from or to a rank. */
struct lane {
	unsigned char head[TT_MEETING_HEAD];
	size_t moved;
};

struct star {
	struct tt_exchange exchange;
	int rank, nranks, keeper;
	uint32_t round;
	uint64_t deadline;
	int fd;             /* to the keeper */
	int *fds;           /* [nranks], the keeper's; -1: this rank, or gone */
	struct lane *lanes; /* [nranks] */
	struct pollfd *polls;
};

static void close_star(struct tt_exchange *exchange)
{
	struct star *star = (struct star *)exchange;

	if (star->fd >= 0)
		close(star->fd);
	for (int rank = 0; rank < star->nranks && star->fds; rank++)
		if (star->fds[rank] >= 0)
			close(star->fds[rank]);
	free(star->fds);
	free(star->lanes);
	free(star->polls);
	free(star);
}

/* --- the keeper ------------------------------------------------------------------------------ */

/* Reads until the other end hangs up, or the deadline. */
static void drain(int fd, uint64_t deadline)
{
	char bin[4096];
	ssize_t got;

	do {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		uint64_t now = tt_clock_ns();
		poll(&ready, 1, now < deadline ? (int)((deadline - now) / 1000000 + 1) : 0);
		got = recv(fd, bin, sizeof bin, 0);
	} while (got > 0);
}

/* All who are there hear the failure before their connections end: what they sent is read first. */
static totum_status tell_all(struct star *star, totum_status status)
{
	unsigned char packet[TT_MEETING_HEAD + TT_MEETING_SENTENCE];
	size_t n = tt_meeting_failure(status, packet);
	uint64_t end = tt_clock_ns() + LAST_WORDS_NS;

	for (int rank = 0; rank < star->nranks; rank++)
		if (star->fds[rank] >= 0) {
			tt_meeting_send(star->fds[rank], packet, n, 0);
			shutdown(star->fds[rank], SHUT_WR);
		}
	for (int rank = 0; rank < star->nranks; rank++) {
		if (star->fds[rank] < 0)
			continue;
		drain(star->fds[rank], end);
		close(star->fds[rank]);
		star->fds[rank] = -1;
	}
	return status;
}

struct round {
	struct star *star;
	unsigned char *all;
	size_t bytes;
	bool out; /* the bytes of all to everybody; else everybody's come in */
	int left;
	int dead;  /* a rank that has hung up; -1: none */
	int wrong; /* one that sent something else; -1: none */
};

/* The part of a lane's packet that comes next; false when there is none. */
static bool next_part(const struct round *round, int rank, unsigned char **at, size_t *n)
{
	struct lane *lane = &round->star->lanes[rank];
	size_t bytes = round->out ? round->bytes * (size_t)round->star->nranks : round->bytes;
	unsigned char *body = round->all + (round->out ? 0 : (size_t)rank * round->bytes);

	if (lane->moved < TT_MEETING_HEAD) {
		*at = lane->head + lane->moved;
		*n = TT_MEETING_HEAD - lane->moved;
		return true;
	}
	*at = body + (lane->moved - TT_MEETING_HEAD);
	*n = bytes + TT_MEETING_HEAD - lane->moved;
	return *n;
}

static bool head_fits(const struct round *round, int rank)
{
	struct tt_meeting_head head;

	return tt_meeting_head_read(round->star->lanes[rank].head, &head) &&
	       head.kind == TT_MEETING_DATA && head.round == round->star->round &&
	       head.bytes == round->bytes;
}

/* Moves what can be moved without waiting. */
static void move(struct round *round, int rank)
{
	struct lane *lane = &round->star->lanes[rank];
	int fd = round->star->fds[rank];
	unsigned char *at;
	size_t n;

	while (next_part(round, rank, &at, &n)) {
		ssize_t moved = round->out ? send(fd, at, n, MSG_NOSIGNAL) : recv(fd, at, n, 0);
		if (moved < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (moved <= 0) {
			round->dead = rank;
			return;
		}
		lane->moved += (size_t)moved;
		if (!round->out && lane->moved == TT_MEETING_HEAD && !head_fits(round, rank)) {
			round->wrong = rank;
			return;
		}
	}
	round->left--;
}

static bool is_done(const struct round *round, int rank)
{
	size_t bytes = round->out ? round->bytes * (size_t)round->star->nranks : round->bytes;

	return round->star->lanes[rank].moved == bytes + TT_MEETING_HEAD;
}

static bool has_come(const void *context, int rank)
{
	const struct round *round = context;

	return rank == round->star->rank || is_done(round, rank);
}

static totum_status judge(const struct round *round)
{
	if (round->dead >= 0)
		return tt_terms_died(round->dead, round->star->nranks);
	if (round->wrong >= 0)
		return tt_fail(TOTUM_EMISMATCH,
			       "rank %d tells rank %d something else at the "
			       "rendezvous than was asked; start all ranks with the same version "
			       "of totum",
			       round->wrong, round->star->rank);
	if (tt_clock_ns() >= round->star->deadline)
		return tt_terms_missing(round->star->nranks, has_come, round,
					"it came, and then said nothing: it may be stopped or "
					"stuck");
	return TOTUM_OK;
}

/* One who has given his bytes and hangs up before he has those of all is dead too. */
static totum_status move_all(struct round *round)
{
	struct star *star = round->star;
	short events = round->out ? POLLOUT : POLLIN;

	round->left = star->nranks - 1;
	round->dead = round->wrong = -1;
	for (;;) {
		totum_status status = judge(round);
		if (status || !round->left)
			return status;
		for (int rank = 0; rank < star->nranks; rank++) {
			bool done = is_done(round, rank);
			star->polls[rank] =
				(struct pollfd){.fd = done && round->out ? -1 : star->fds[rank],
						.events = done ? POLLRDHUP : events};
		}
		uint64_t now = tt_clock_ns();
		int ms = now < star->deadline ? (int)((star->deadline - now) / 1000000 + 1) : 0;
		if (poll(star->polls, (nfds_t)star->nranks, ms) <= 0)
			continue;
		for (int rank = 0; rank < star->nranks; rank++) {
			if (star->polls[rank].revents && is_done(round, rank))
				round->dead = rank;
			else if (star->polls[rank].revents)
				move(round, rank);
		}
	}
}

static totum_status keep_round(struct star *star, const void *mine, size_t bytes, void *all)
{
	struct round round = {.star = star, .all = all, .bytes = bytes};
	struct tt_meeting_head head = {.kind = TT_MEETING_DATA,
				       .round = star->round,
				       .bytes = (uint32_t)(bytes * (size_t)star->nranks)};

	memset(star->lanes, 0, (size_t)star->nranks * sizeof *star->lanes);
	memcpy(round.all + (size_t)star->rank * bytes, mine, bytes);
	totum_status status = move_all(&round);
	if (status)
		return tell_all(star, status);
	for (int rank = 0; rank < star->nranks; rank++) {
		star->lanes[rank].moved = 0;
		tt_meeting_head_write(&head, star->lanes[rank].head);
	}
	round.out = true;
	status = move_all(&round);
	return status ? tell_all(star, status) : TOTUM_OK;
}

/* --- the others ------------------------------------------------------------------------------ */

static totum_status take_part(struct star *star, const void *mine, size_t bytes, void *all)
{
	unsigned char packet[TT_MEETING_HEAD];
	struct tt_meeting_head head = {
		.kind = TT_MEETING_DATA, .round = star->round, .bytes = (uint32_t)bytes};
	uint64_t deadline = star->deadline + LAST_WORDS_NS;

	tt_meeting_head_write(&head, packet);
	/* a keeper that takes nothing any more may have said why before */
	if (!tt_meeting_send(star->fd, packet, sizeof packet, deadline))
		tt_meeting_send(star->fd, mine, bytes, deadline);
	totum_status status = tt_meeting_expect(star->fd, TT_MEETING_DATA, star->round,
						star->keeper, deadline, &head);
	if (status)
		return status;
	size_t total = bytes * (size_t)star->nranks;
	int error =
		head.bytes == total ? tt_meeting_receive(star->fd, all, total, deadline) : EPROTO;
	if (error)
		return tt_fail(TOTUM_ELOST,
			       "rank %d has gone during the rendezvous (%s); see its "
			       "own output for why",
			       star->keeper, strerror(error));
	return TOTUM_OK;
}

static totum_status allgather(struct tt_exchange *exchange, const void *mine, size_t bytes,
			      void *all)
{
	struct star *star = (struct star *)exchange;

	star->round++;
	return star->rank == star->keeper ? keep_round(star, mine, bytes, all)
					  : take_part(star, mine, bytes, all);
}

/* --- opening --------------------------------------------------------------------------------- */

static totum_status say_go(struct star *star)
{
	unsigned char packet[TT_MEETING_HEAD];
	struct tt_meeting_head head = {.kind = TT_MEETING_GO};

	tt_meeting_head_write(&head, packet);
	for (int rank = 0; rank < star->nranks; rank++)
		if (star->fds[rank] >= 0 &&
		    tt_meeting_send(star->fds[rank], packet, sizeof packet, 0))
			return tell_all(star, tt_terms_died(rank, star->nranks));
	return TOTUM_OK;
}

static totum_status open_keeper(struct star *star, const struct tt_identity *me,
				const struct tt_settings *settings, const struct tt_place *place,
				const struct tt_doors *doors)
{
	size_t n = (size_t)me->nranks;

	star->keeper = me->rank;
	star->fds = malloc(n * sizeof *star->fds);
	star->lanes = calloc(n, sizeof *star->lanes);
	star->polls = calloc(n, sizeof *star->polls);
	if (!star->fds || !star->lanes || !star->polls) {
		free(star->fds);
		star->fds = NULL;
		return tt_fail_memory(n * sizeof *star->lanes, "the rendezvous");
	}
	totum_status status = tt_gate_keep(me, settings, place, doors, star->fds);
	if (status) {
		free(star->fds);
		star->fds = NULL;
		return status;
	}
	star->deadline = tt_clock_ns() + tt_terms_patience(settings);
	return say_go(star);
}

static totum_status open_other(struct star *star, struct tt_identity *me,
			       const struct tt_settings *settings, struct tt_place *place,
			       const struct tt_news *news)
{
	struct tt_meeting_head head;
	totum_status status = tt_gate_knock(me, settings, place, news, &star->fd, &star->keeper);

	if (status)
		return status;
	star->deadline = tt_clock_ns() + tt_terms_patience(settings);
	status = tt_meeting_expect(star->fd, TT_MEETING_GO, 0, star->keeper,
				   star->deadline + LAST_WORDS_NS, &head);
	star->deadline = tt_clock_ns() + tt_terms_patience(settings);
	return status;
}

/* With doors this rank keeps them, else it knocks. */
static totum_status open_star(struct tt_identity *me, const struct tt_settings *settings,
			      struct tt_place *place, const struct tt_doors *doors,
			      const struct tt_news *news, struct tt_exchange **out)
{
	struct star *star = calloc(1, sizeof *star);

	if (!star)
		return tt_fail_memory(sizeof *star, "the rendezvous");
	star->exchange = (struct tt_exchange){.allgather = allgather, .close = close_star};
	star->rank = me->rank;
	star->nranks = me->nranks;
	star->fd = -1;
	totum_status status = doors ? open_keeper(star, me, settings, place, doors)
				    : open_other(star, me, settings, place, news);
	if (status) {
		close_star(&star->exchange);
		return status;
	}
	*out = &star->exchange;
	return TOTUM_OK;
}

totum_status tt_exchange_tcp(struct tt_identity *identity, const struct tt_settings *settings,
			     struct tt_exchange **out)
{
	struct tt_place place;
	struct tt_doors doors;
	totum_status status = tt_place_parse(identity->root, &place);

	if (status)
		return status;
	if (!identity->secret[0])
		return tt_fail(TOTUM_EINVAL,
			       "the ranks meet at \"%.100s\" and have no secret, by which they "
			       "know each other; give one to all by TOTUM_SECRET_FILE, a file that "
			       "only you can read, or by TOTUM_SECRET_FD",
			       place.root);
	if (identity->rank)
		return open_star(identity, settings, &place, NULL, NULL, out);
	status = tt_doors_open(&place, &doors);
	if (status)
		return status;
	status = open_star(identity, settings, &place, &doors, NULL, out);
	tt_doors_close(&doors);
	return status;
}

totum_status tt_exchange_of_id(struct tt_identity *identity, const struct tt_settings *settings,
			       const struct tt_doors *doors, struct tt_exchange **out)
{
	struct tt_place place;
	totum_status status = tt_place_parse(identity->root, &place);

	return status ? status : open_star(identity, settings, &place, doors, NULL, out);
}

totum_status tt_exchange_told(struct tt_identity *identity, const struct tt_settings *settings,
			      const struct tt_news *news, struct tt_exchange **out)
{
	struct tt_doors doors;
	struct tt_place place = {0};
	char id[TT_ID];

	if (identity->rank)
		return open_star(identity, settings, &place, NULL, news, out);
	totum_status status = tt_unique_id_make(settings, id, &doors);
	if (status)
		return status;
	status = tt_unique_id_read(id, identity->root, identity->secret);
	if (!status)
		status = news->tell(news->context, id);
	if (!status)
		status = tt_exchange_of_id(identity, settings, &doors, out);
	tt_doors_close(&doors);
	return status;
}
