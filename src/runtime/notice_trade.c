/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * notice_trade - the survivors of each host, by its lowest one, to the lowest one of every other.
 *
 * Nobody knows who lives elsewhere, so a host's ranks are tried in order: one that lives is the
 * lowest survivor and answers, one that is dead refuses or has closed its connections, and then the
 * next one's turn comes.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "runtime/notice_parts.h"
#include "runtime/spread.h"

enum { NAP_NS = 200000 };

/* The talk with one other host. */
struct talk {
	int host, peer;       /* the rank that is tried, -1: all have died */
	bool told;            /* the notice has been given to the transport, */
	struct tt_span out[2];
	struct tt_transfer_state payload; /* and what follows it */
	struct tt_survivors theirs;
	bool reading, done;
	struct tt_span in[2];
	struct tt_transfer_state receive;
};

struct trade {
	totum_comm *comm;
	struct tt_notices *notices;
	const struct tt_survivors *mine;
	struct talk *talks;   /* [ntalks] */
	int ntalks;
};

/* The host's next rank after the one that was tried. */
static void turn_to_next(const totum_comm *comm, struct talk *talk)
{
	int rank = talk->peer + 1;

	while (rank < comm->nranks && comm->spread->host_of[rank] != talk->host)
		rank++;
	talk->peer = rank < comm->nranks ? rank : -1;
	talk->told = talk->reading = false;
	talk->done = talk->peer < 0;
}

static totum_status tell(struct trade *trade, struct talk *talk)
{
	struct tt_notice notice = {.kind = TT_NOTICE_SHRINK, .number = (uint64_t)trade->mine->n};
	size_t n = (size_t)trade->mine->n;

	if (!tt_notices_send(trade->notices, talk->peer, &notice))
		return TOTUM_OK;
	talk->told = true;
	talk->out[0] = (struct tt_span){(unsigned char *)trade->mine->ranks, n * sizeof(int)};
	talk->out[1] = (struct tt_span){(unsigned char *)trade->mine->cards,
					n * sizeof(struct tt_card)};
	talk->payload = (struct tt_transfer_state){
		.spans = talk->out, .nspans = 2, .peer = talk->peer, .idle = true};
	return trade->notices->transport->send(trade->notices->endpoint, &talk->payload);
}

static void forget(struct tt_survivors *survivors)
{
	free(survivors->ranks);
	free(survivors->cards);
	*survivors = (struct tt_survivors){0};
}

/* A notice has come: that of the trade, or one that was on its way before the failure. */
static totum_status hear(struct trade *trade, struct talk *talk)
{
	struct tt_notices *notices = trade->notices;
	const struct tt_notice *notice = &notices->with[talk->peer].in;
	uint64_t n = notice->number;

	if (notice->kind != TT_NOTICE_SHRINK)
		return tt_notices_expect(notices, talk->peer);
	if (!n)
		return tt_fail(TOTUM_ELOST,
			       "rank %d on host %s has given up totum_comm_shrink, in which another "
			       "rank was lost; its own error says which; end the job",
			       talk->peer, trade->comm->spread->cards[talk->peer].host);
	if (n > (uint64_t)trade->comm->nranks)
		return tt_fail(TOTUM_ESYSTEM, "rank %d speaks of %llu survivors on its host; do "
			       "all ranks run the same totum?", talk->peer,
			       (unsigned long long)n);
	talk->theirs = (struct tt_survivors){(int)n, malloc(n * sizeof(int)),
					     malloc(n * sizeof(struct tt_card))};
	if (!talk->theirs.ranks || !talk->theirs.cards)
		return tt_fail_memory(n * sizeof(struct tt_card), "the survivors");
	talk->in[0] = (struct tt_span){(unsigned char *)talk->theirs.ranks, n * sizeof(int)};
	talk->in[1] = (struct tt_span){(unsigned char *)talk->theirs.cards,
				       n * sizeof(struct tt_card)};
	talk->receive = (struct tt_transfer_state){
		.spans = talk->in, .nspans = 2, .peer = talk->peer, .idle = true};
	talk->reading = true;
	return notices->transport->receive(notices->endpoint, &talk->receive);
}

/* Every one of the host's, and no other. */
static totum_status check_ranks(const totum_comm *comm, const struct talk *talk)
{
	for (int i = 0; i < talk->theirs.n; i++) {
		int rank = talk->theirs.ranks[i], before = i ? talk->theirs.ranks[i - 1] : -1;
		if (rank <= before || rank >= comm->nranks ||
		    comm->spread->host_of[rank] != talk->host)
			return tt_fail(TOTUM_ESYSTEM, "rank %d speaks of a survivor that is not on "
				       "its host; do all ranks run the same totum?", talk->peer);
	}
	return TOTUM_OK;
}

/* Asked about one peer at a time: the transport says that somebody is lost, not who. */
static bool is_lost(struct trade *trade, struct talk *talk)
{
	struct tt_notices *notices = trade->notices;
	struct tt_transfer_state *wanted =
		talk->reading ? &talk->receive : &notices->with[talk->peer].receive;

	wanted->idle = false;
	bool lost = notices->transport->check(notices->endpoint, tt_clock_ns()) == TOTUM_ELOST;
	wanted->idle = true;
	return lost;
}

static totum_status advance(struct trade *trade, struct talk *talk)
{
	totum_status status = talk->told ? TOTUM_OK : tell(trade, talk);

	if (!status && !talk->reading && trade->notices->with[talk->peer].receive.done)
		status = hear(trade, talk);
	if (!status && talk->reading && talk->receive.done) {
		talk->done = talk->told && talk->payload.done;
		return talk->done ? check_ranks(trade->comm, talk) : TOTUM_OK;
	}
	if (!status && is_lost(trade, talk)) {
		forget(&talk->theirs);
		turn_to_next(trade->comm, talk);
	}
	return status;
}

static totum_status talk_to_all(struct trade *trade)
{
	const struct tt_notices *notices = trade->notices;
	uint64_t began = tt_clock_ns(), timeout = trade->comm->host.timeout_ns;

	for (;;) {
		bool moved;
		int waits = -1;
		totum_status status = notices->transport->progress(notices->endpoint, &moved);
		for (int i = 0; i < trade->ntalks && !status; i++) {
			if (trade->talks[i].done)
				continue;
			status = advance(trade, &trade->talks[i]);
			waits = trade->talks[i].done ? waits : trade->talks[i].peer;
		}
		if (status || waits < 0)
			return status;
		if (tt_clock_ns() - began > timeout)
			return tt_fail(TOTUM_ETIMEOUT,
				       "rank %d waited %.3g s in totum_comm_shrink for rank %d on "
				       "host %s, which lives but has not called it",
				       trade->comm->rank, (double)timeout * 1e-9, waits,
				       trade->comm->spread->cards[waits].host);
		if (!moved)
			nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
	}
}

/* One after the other, in order of rank. */
static totum_status merge(const struct trade *trade, struct tt_survivors *all)
{
	int n = trade->mine->n, nranks = trade->comm->nranks;

	for (int i = 0; i < trade->ntalks; i++)
		n += trade->talks[i].theirs.n;
	*all = (struct tt_survivors){0, malloc((size_t)n * sizeof(int)),
				     malloc((size_t)n * sizeof(struct tt_card))};
	const struct tt_card **cards = calloc((size_t)nranks, sizeof *cards);
	if (!all->ranks || !all->cards || !cards) {
		forget(all);
		free(cards);
		return tt_fail_memory((size_t)n * sizeof(struct tt_card), "the survivors");
	}
	for (int t = -1; t < trade->ntalks; t++) {
		const struct tt_survivors *some = t < 0 ? trade->mine : &trade->talks[t].theirs;
		for (int i = 0; i < some->n; i++)
			cards[some->ranks[i]] = &some->cards[i];
	}
	for (int rank = 0; rank < nranks; rank++) {
		if (!cards[rank])
			continue;
		all->ranks[all->n] = rank;
		all->cards[all->n++] = *cards[rank];
	}
	free(cards);
	return TOTUM_OK;
}

totum_status tt_notices_trade(totum_comm *comm, const struct tt_survivors *mine,
			      struct tt_survivors *all)
{
	totum_status status = comm->notices ? TOTUM_OK : tt_notices_open(comm);

	if (status)
		return status;
	struct trade trade = {.comm = comm, .notices = comm->notices, .mine = mine};
	trade.talks = calloc((size_t)comm->spread->nhosts, sizeof *trade.talks);
	if (!trade.talks)
		return tt_fail_memory((size_t)comm->spread->nhosts * sizeof *trade.talks,
				      "the survivors");
	for (int host = 0; host < comm->spread->nhosts; host++) {
		if (host == comm->spread->host_of[comm->rank])
			continue;
		struct talk *talk = &trade.talks[trade.ntalks++];
		*talk = (struct talk){.host = host, .peer = -1};
		turn_to_next(comm, talk);
	}
	status = talk_to_all(&trade);
	if (!status)
		status = merge(&trade, all);
	if (status) { /* what is under way refers to what the caller and this function free */
		tt_notices_give_up(comm, status);
		tt_notices_close(comm);
	}
	for (int i = 0; i < trade.ntalks; i++)
		forget(&trade.talks[i].theirs);
	if (comm->notices)
		comm->notices->kept = trade.talks;
	else
		free(trade.talks);
	return status;
}
