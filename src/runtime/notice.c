/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * notice - telling, asking and answering.
 *
 * A receive for the next notice is always posted for every rank of another host, and idle: it does
 * not connect.  Of the notices to a peer one is under way at a time; an answer or a question that
 * finds another one under way is left out, since it will be asked again, and a failure waits.
 */
#include "runtime/notice_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "host/failure.h"
#include "runtime/spread.h"

/* A rank that waits for nobody may do so soon, and it matters whether it does: it is asked sooner. */
static const uint64_t ask_again_ns = 500000000, ask_sooner_ns = 50000000, nap_ns = 200000;
/* Telling ends after so long, or after so long without anybody listening. */
static const uint64_t tell_for_ns = 1000000000, tell_quiet_ns = 600000000;

totum_status tt_notices_expect(struct tt_notices *notices, int peer)
{
	struct tt_correspondent *with = &notices->with[peer];

	with->in_span = (struct tt_span){(unsigned char *)&with->in, sizeof with->in};
	with->receive = (struct tt_transfer_state){
		.spans = &with->in_span, .nspans = 1, .peer = peer, .idle = true};
	return notices->transport->receive(notices->endpoint, &with->receive);
}

totum_status tt_notices_open(totum_comm *comm)
{
	size_t bytes = sizeof(struct tt_notices) +
		       (size_t)comm->nranks * sizeof(struct tt_correspondent);
	struct tt_notices *notices = calloc(1, bytes);

	if (!notices)
		return tt_fail_memory(bytes, "notices between hosts");
	notices->waits_for = -1;
	totum_status status = tt_spread_open(comm->spread, comm->job, TT_WAY_NOTICES,
					     &notices->transport, &notices->endpoint);
	if (status) {
		free(notices);
		return status;
	}
	comm->notices = notices;
	for (int peer = 0; peer < comm->nranks && !status; peer++)
		if (tt_comm_far(comm, peer))
			status = tt_notices_expect(notices, peer);
	if (status)
		tt_notices_close(comm);
	return status;
}

void tt_notices_close(totum_comm *comm)
{
	if (!comm->notices)
		return;
	comm->notices->transport->close(comm->notices->endpoint);
	free(comm->notices->kept);
	free(comm->notices);
	comm->notices = NULL;
}

/* Where the other ranks of the host find it when they wait for too long. */
static void post(struct tt_desk *desk, uint64_t number, const struct tt_fingerprint *call)
{
	uint64_t parts[3] = {(uint64_t)call->kind << 32 | call->algorithm, call->count, call->sizes};
	uint32_t turn = atomic_load_explicit(&desk->call_turn, memory_order_relaxed);

	atomic_store_explicit(&desk->call_turn, turn + 1, memory_order_relaxed);
	/* release: who has read a part finds the turn changed; pairs with the acquires in read_post */
	atomic_store_explicit(&desk->call_number, number, memory_order_release);
	for (int i = 0; i < 3; i++)
		atomic_store_explicit(&desk->call_parts[i], parts[i], memory_order_release);
	/* release: the parts are there; pairs with the acquire in read_post */
	atomic_store_explicit(&desk->call_turn, turn + 2, memory_order_release);
}

/* The number of the call that is posted; 0: none, or another one is just being posted. */
static uint64_t read_post(const struct tt_desk *desk, struct tt_fingerprint *call)
{
	/* acquire: pairs with the release at the end of post */
	uint32_t turn = atomic_load_explicit(&desk->call_turn, memory_order_acquire);
	/* acquire: before the second look at the turn; pairs with the releases of parts in post */
	uint64_t parts[3], number = atomic_load_explicit(&desk->call_number, memory_order_acquire);

	for (int i = 0; i < 3; i++)
		parts[i] = atomic_load_explicit(&desk->call_parts[i], memory_order_acquire);
	if (turn % 2 || turn != atomic_load_explicit(&desk->call_turn, memory_order_relaxed))
		return 0;
	*call = (struct tt_fingerprint){.kind = (uint32_t)(parts[0] >> 32),
					.algorithm = (uint32_t)parts[0],
					.count = parts[1],
					.sizes = parts[2]};
	return number;
}

void tt_notices_call(totum_comm *comm, const struct tt_fingerprint *call)
{
	struct tt_notices *notices = comm->notices;

	notices->number++;
	notices->calls[notices->number % TT_REMEMBERED] = *call;
	notices->said[notices->number % TT_REMEMBERED] = comm->host.calls;
	notices->waits_for = -1;
	post(comm->host.desk, notices->number, call);
}

uint64_t tt_notices_number(const totum_comm *comm)
{
	return comm->notices->number;
}

const struct tt_fingerprint *tt_notices_recall(const totum_comm *comm, uint64_t number)
{
	const struct tt_notices *notices = comm->notices;

	if (!number || number > notices->number || notices->number - number >= TT_REMEMBERED)
		return NULL;
	return &notices->calls[number % TT_REMEMBERED];
}

bool tt_notices_send(struct tt_notices *notices, int peer, const struct tt_notice *notice)
{
	struct tt_correspondent *with = &notices->with[peer];

	if (with->sending && !with->send.done)
		return false;
	with->out = *notice;
	with->out_span = (struct tt_span){(unsigned char *)&with->out, sizeof with->out};
	with->send = (struct tt_transfer_state){
		.spans = &with->out_span, .nspans = 1, .peer = peer, .idle = true};
	with->sending = !notices->transport->send(notices->endpoint, &with->send);
	return with->sending;
}

static struct tt_notice own_state(const struct tt_notices *notices, enum tt_notice_kind kind)
{
	return (struct tt_notice){
		.kind = kind,
		.waits_for = notices->waits_for,
		.number = notices->number,
		.said = notices->said[notices->number % TT_REMEMBERED],
		.call = notices->calls[notices->number % TT_REMEMBERED],
	};
}

/* The peer is in a call that this rank has made too, or makes now: the same? */
static totum_status compare(totum_comm *comm, int peer, uint64_t number,
			    const struct tt_fingerprint *theirs)
{
	const struct tt_fingerprint *call = tt_notices_recall(comm, number);
	char when[48];

	if (!call || tt_call_same(call, theirs))
		return TOTUM_OK;
	snprintf(when, sizeof when, ", both as call %" PRIu64,
		 comm->notices->said[number % TT_REMEMBERED]);
	return tt_host_differ(&comm->host, comm->rank, call, peer, theirs, when);
}

totum_status tt_notices_look(totum_comm *comm)
{
	totum_status status = TOTUM_OK;

	for (int i = 0; i < comm->spread->here && !status; i++) {
		struct tt_fingerprint call;
		uint64_t number = read_post(tt_area_desk(comm->host.area, i), &call);

		if (number && comm->spread->named[i] != comm->rank)
			status = compare(comm, comm->spread->named[i], number, &call);
	}
	return status;
}

static totum_status hear_failure(totum_comm *comm, struct tt_notice *notice)
{
	notice->sentence[sizeof notice->sentence - 1] = 0;
	/* its host tells everybody, so that this one need not */
	atomic_store_explicit(&comm->host.head->told, 1, memory_order_relaxed);
	return tt_host_fail(&comm->host,
			    notice->status < 0 ? (totum_status)notice->status : TOTUM_ELOST,
			    notice->culprit, "%s", notice->sentence);
}

static totum_status read_notice(totum_comm *comm, int peer)
{
	struct tt_notices *notices = comm->notices;
	struct tt_correspondent *with = &notices->with[peer];

	if (with->in.kind == TT_NOTICE_FAILURE)
		return hear_failure(comm, &with->in);
	if (with->in.kind == TT_NOTICE_SHRINK) { /* which stays for the trade */
		notices->shrinker = peer;
		notices->shrinks = notices->shrinks ? notices->shrinks : tt_clock_ns();
		return TOTUM_OK;
	}
	with->state = with->in;
	with->answered |= with->in.kind == TT_NOTICE_STATE;
	if (with->in.kind == TT_NOTICE_QUESTION) {
		struct tt_notice answer = own_state(notices, TT_NOTICE_STATE);
		tt_notices_send(notices, peer, &answer);
	}
	totum_status status = compare(comm, peer, with->state.number, &with->state.call);
	return status ? status : tt_notices_expect(notices, peer);
}

/*
 * Who had heard of the failure before this rank can be faster at the shrink than the failure's own
 * letter, from another host.  That comes, unless its sender dies too.
 */
static totum_status expect_failure(totum_comm *comm)
{
	const struct tt_notices *notices = comm->notices;

	if (!notices->shrinks || tt_clock_ns() - notices->shrinks < 2 * tell_for_ns)
		return TOTUM_OK;
	return tt_host_fail(&comm->host, TOTUM_ELOST, -1,
			    "rank %d calls totum_comm_shrink, for which the communicator has "
			    "failed there; see its own error for why", notices->shrinker);
}

totum_status tt_notices_go(totum_comm *comm)
{
	struct tt_notices *notices = comm->notices;
	bool moved = true;
	totum_status status = TOTUM_OK;

	/* acquire: pairs with the release in tt_host_fail */
	while (moved && !status &&
	       !atomic_load_explicit(&comm->host.head->failed, memory_order_acquire)) {
		status = notices->transport->progress(notices->endpoint, &moved);
		for (int peer = 0; peer < comm->nranks && moved && !status; peer++)
			if (notices->with[peer].receive.done)
				status = read_notice(comm, peer);
	}
	return status ? status : expect_failure(comm);
}

void tt_notices_show_wait(totum_comm *comm, int peer)
{
	comm->notices->waits_for = peer;
}

bool tt_notices_waits(const totum_comm *comm, int peer)
{
	const struct tt_correspondent *with = &comm->notices->with[peer];

	return with->asked && with->state.number && with->state.waits_for >= 0 &&
	       with->state.waits_for != comm->rank;
}

void tt_notices_ask(totum_comm *comm, int peer)
{
	struct tt_notices *notices = comm->notices;
	struct tt_correspondent *with = &notices->with[peer];
	bool soon = with->answered && with->state.waits_for < 0;
	uint64_t now = tt_clock_ns();

	tt_notices_show_wait(comm, peer);
	if (with->asked && now - with->asked < (soon ? ask_sooner_ns : ask_again_ns))
		return;
	struct tt_notice question = own_state(notices, TT_NOTICE_QUESTION);
	if (tt_notices_send(notices, peer, &question)) {
		with->asked = now;
		with->answered = false;
	}
}

/* --- telling --------------------------------------------------------------------------------- */

/* Who has the failure's letter on its way; those that died of it need none. */
static int count_untold(const totum_comm *comm, const bool *given)
{
	const struct tt_notices *notices = comm->notices;
	int untold = 0;

	for (int peer = 0; peer < comm->nranks; peer++)
		if (tt_comm_far(comm, peer) && peer != comm->host.head->culprit)
			untold += !given[peer] || !notices->with[peer].send.done;
	return untold;
}

static void give(totum_comm *comm, const struct tt_notice *letter, bool *given)
{
	for (int peer = 0; peer < comm->nranks; peer++)
		if (tt_comm_far(comm, peer) && !given[peer] && peer != comm->host.head->culprit)
			given[peer] = tt_notices_send(comm->notices, peer, letter);
}

static void tell(totum_comm *comm, const struct tt_notice *letter)
{
	bool *given = calloc((size_t)comm->nranks, sizeof *given);
	uint64_t began = tt_clock_ns(), heard = began;
	int untold = comm->nranks;

	for (uint64_t now = began;
	     given && now - began < tell_for_ns && now - heard < tell_quiet_ns;
	     now = tt_clock_ns()) {
		bool moved;
		give(comm, letter, given);
		int left = count_untold(comm, given);
		heard = left < untold ? now : heard;
		untold = left;
		if (!left || comm->notices->transport->progress(comm->notices->endpoint, &moved))
			break;
		if (!moved)
			nanosleep(&(struct timespec){.tv_nsec = (long)nap_ns}, NULL);
	}
	free(given);
}

void tt_notices_tell(totum_comm *comm, totum_status status)
{
	struct tt_head *head = comm->host.head;
	char sentence[1024];

	/* acquire: pairs with the release in tt_host_fail */
	if (!comm->spread || !atomic_load_explicit(&head->failed, memory_order_acquire) ||
	    atomic_exchange_explicit(&head->told, 1, memory_order_relaxed))
		return;
	snprintf(sentence, sizeof sentence, "%s", totum_errmsg());
	bool open = comm->notices || !tt_notices_open(comm);
	struct tt_notice failure = {
		.kind = TT_NOTICE_FAILURE, .status = head->status, .culprit = head->culprit};
	memcpy(failure.sentence, head->sentence, sizeof failure.sentence);
	if (open)
		tell(comm, &failure);
	tt_fail(status, "%s", sentence);
}

void tt_notices_give_up(totum_comm *comm, totum_status status)
{
	struct tt_notice letter = {.kind = TT_NOTICE_SHRINK, .number = 0};
	char sentence[1024];

	snprintf(sentence, sizeof sentence, "%s", totum_errmsg());
	if (comm->notices || !tt_notices_open(comm))
		tell(comm, &letter);
	tt_fail(status, "%s", sentence);
}

const char *tt_notices_describe(const totum_comm *comm, int peer, char out[static TT_NOTICE_TEXT])
{
	const struct tt_correspondent *with = &comm->notices->with[peer];
	char call[TT_CALL_TEXT];

	if (with->asked && !with->answered) {
		snprintf(out, TT_NOTICE_TEXT, ", has not answered");
	} else if (!with->state.number) {
		out[0] = 0;
	} else {
		int at = snprintf(out, TT_NOTICE_TEXT, ", in call %" PRIu64 ", %s",
				  with->state.said, tt_call_describe(&with->state.call, call));
		if (with->state.waits_for >= 0)
			snprintf(out + at, TT_NOTICE_TEXT - (size_t)at, ", waits for rank %d",
				 with->state.waits_for);
	}
	return out;
}
