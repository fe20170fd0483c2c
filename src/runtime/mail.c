/* SPDX-License-Identifier: BSD-3-Clause */
/* mail - opening, going on, waiting, and closing a communicator's messages. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "host/failure.h"
#include "runtime/mail_parts.h"
#include "runtime/notice.h"
#include "runtime/reach.h"
#include "runtime/rest.h"
#include "transport/memory.h"

static totum_status open_endpoint(totum_comm *comm, struct tt_mail *mail)
{
	struct tt_memory_context memory = {.host = &comm->host, .lane = TT_LANE_MESSAGES};
	struct tt_reach_context reach = {comm, TT_LANE_MESSAGES, TT_WAY_MESSAGES};
	totum_status status = comm->spread && !comm->notices ? tt_notices_open(comm) : TOTUM_OK;

	if (status)
		return status;
	mail->transport = comm->spread ? &tt_transport_reach : &tt_transport_memory;
	return mail->transport->open(comm->spread ? (void *)&reach : &memory, &mail->endpoint);
}

totum_status tt_mail_open(totum_comm *comm)
{
	int n = comm->nranks;

	if (comm->mail)
		return TOTUM_OK;
	size_t size = sizeof(struct tt_mail) + (size_t)n * sizeof(struct tt_inbox);
	struct tt_mail *mail = calloc(1, size);
	if (!mail)
		return tt_fail_memory(size, "messages");
	totum_status status = open_endpoint(comm, mail);
	if (status) {
		free(mail);
		return status;
	}
	mail->last_receive = &mail->receives;
	mail->last_arrival = &mail->arrivals;
	for (int peer = 0; peer < n && !status; peer++)
		if (peer != comm->rank)
			status = tt_mail_expect(mail, peer);
	comm->mail = mail;
	return status;
}

void tt_mail_close(totum_comm *comm)
{
	struct tt_mail *mail = comm->mail;

	if (!mail)
		return;
	mail->transport->close(mail->endpoint);
	while (mail->out) {
		struct tt_posting *posting = mail->out;
		mail->out = posting->next;
		free(posting);
	}
	while (mail->arrivals) {
		struct tt_arrival *arrival = mail->arrivals;
		mail->arrivals = arrival->next;
		free(arrival->bytes);
		free(arrival);
	}
	free(mail);
	comm->mail = NULL;
}

/* Letters of failed calls may be gone, so nothing moves on a communicator that has failed. */
static totum_status check_failed(const totum_comm *comm)
{
	/* acquire: pairs with the release in tt_host_fail */
	return atomic_load_explicit(&comm->host.head->failed, memory_order_acquire)
		       ? tt_host_failed(&comm->host)
		       : TOTUM_OK;
}

totum_status tt_mail_go(totum_comm *comm)
{
	struct tt_mail *mail = comm->mail;
	bool moved = true;
	totum_status status = check_failed(comm);

	while (!status && moved) {
		status = mail->transport->progress(mail->endpoint, &moved);
		mail->moves += moved;
		for (int peer = 0; peer < comm->nranks && moved && !status; peer++)
			if (peer != comm->rank)
				status = tt_mail_open_inbox(comm, peer);
	}
	if (!status)
		tt_mail_retire(comm);
	if (status && !atomic_load_explicit(&comm->host.head->failed, memory_order_relaxed))
		status = tt_host_fail(&comm->host, status, comm->rank, "%s", totum_errmsg());
	return status;
}

bool tt_mail_busy(const totum_comm *comm)
{
	const struct tt_mail *mail = comm->mail;

	if (mail->out || mail->receives)
		return true;
	/* what has found its receive and is still coming */
	for (int peer = 0; peer < comm->nranks; peer++) {
		const struct tt_inbox *inbox = &mail->inboxes[peer];
		if (inbox->in_bytes && (inbox->letter || (inbox->arrival && inbox->arrival->taker)))
			return true;
	}
	return false;
}

uint64_t tt_mail_mark(const totum_comm *comm)
{
	return comm->mail->moves;
}

void tt_mail_end(totum_comm *comm, struct tt_letter *letter)
{
	letter->done = true;
	if (!letter->sends && tt_comm_far(comm, letter->got.peer))
		comm->mail->inboxes[letter->got.peer].transfer.idle = true;
	tt_recorder_delivered(comm, letter);
}

totum_status tt_mail_post(totum_comm *comm, struct tt_letter *letter)
{
	totum_status status = tt_mail_open(comm);

	if (status)
		return status;
	if (check_failed(comm))
		return tt_letter_failed(comm, letter);
	tt_recorder_posted(comm, letter);
	if (letter->sends) {
		letter->got = (totum_message){.peer = letter->peer, .tag = letter->tag};
		letter->got_bytes = letter->bytes;
	}
	if (!letter->sends)
		status = tt_mail_receive(comm, letter);
	else if (letter->peer == comm->rank)
		status = tt_mail_send_self(comm, letter);
	else
		status = tt_mail_send(comm, letter);
	if (status)
		return status;
	return tt_mail_go(comm) ? tt_letter_failed(comm, letter) : TOTUM_OK;
}

struct wanted {
	totum_comm *comm;
	const struct tt_letter *letter;
};

/* What a rank has sent before it went still counts, so the channels are looked at once more. */
static bool waits_for(const void *context, int near)
{
	const struct wanted *wanted = context;
	int peer = tt_host_name(&wanted->comm->host, near);

	if (wanted->letter->peer != peer || peer == wanted->comm->rank)
		return false;
	return !wanted->letter->done && !tt_mail_go(wanted->comm) && !wanted->letter->done;
}

/* "from rank 1", "to rank 2", "from any rank". */
static const char *name_peer(const struct tt_letter *letter, char out[static 32])
{
	if (letter->peer == TOTUM_ANY)
		return "from any rank";
	snprintf(out, 32, "%s rank %d", letter->sends ? "to" : "from", letter->peer);
	return out;
}

static const char *name_tag(const struct tt_letter *letter, char out[static 32])
{
	if (letter->tag == TOTUM_ANY)
		return "any tag";
	snprintf(out, 32, "tag %d", letter->tag);
	return out;
}

totum_status tt_letter_failed(totum_comm *comm, const struct tt_letter *letter)
{
	size_t element = totum_dtype_size(letter->dtype);
	char what[128], peer[32], tag[32];
	totum_status status;

	snprintf(what, sizeof what, "%s(%zu x %s, %s, %s)", letter->sends ? "send" : "recv",
		 letter->bytes / element, totum_dtype_name(letter->dtype), name_peer(letter, peer),
		 name_tag(letter, tag));
	status = tt_host_failed_in(&comm->host, what);
	tt_notices_tell(comm, status);
	tt_recorder_failed(comm, status);
	return status;
}

static totum_status late(totum_comm *comm, const struct tt_letter *letter)
{
	struct tt_host *host = &comm->host;
	double seconds = (double)host->timeout_ns * 1e-9;
	char peer[TT_ABSENT + TT_NOTICE_TEXT], tag[32], state[TT_NOTICE_TEXT];

	if (letter->peer == TOTUM_ANY)
		return tt_host_fail(host, TOTUM_ETIMEOUT, -1,
				    "rank %d waited %.3g s for a message with %s from any rank; "
				    "find out who should have sent it, or raise TOTUM_TIMEOUT",
				    comm->rank, seconds, name_tag(letter, tag));
	if (tt_comm_far(comm, letter->peer))
		snprintf(peer, sizeof peer, "%d on host %s%s", letter->peer,
			 comm->spread->cards[letter->peer].host,
			 tt_notices_describe(comm, letter->peer, state));
	else
		tt_host_describe(host, tt_comm_place(comm, letter->peer), peer);
	if (letter->sends)
		return tt_host_fail(host, TOTUM_ETIMEOUT, -1,
				    "rank %d waited %.3g s for its message of %zu bytes with %s to "
				    "be received by rank %s; find out why it is late, or raise "
				    "TOTUM_TIMEOUT", comm->rank, seconds, letter->bytes,
				    name_tag(letter, tag), peer);
	return tt_host_fail(host, TOTUM_ETIMEOUT, -1,
			    "rank %d waited %.3g s for a message with %s from rank %s; find out "
			    "why it is late, or raise TOTUM_TIMEOUT", comm->rank, seconds,
			    name_tag(letter, tag), peer);
}

/* A receive from anyone is lost when nobody is left who could send. */
static totum_status check_anyone(totum_comm *comm, const struct tt_letter *letter)
{
	struct tt_host *host = &comm->host;
	int left = 0;

	for (int peer = 0; peer < host->nranks; peer++)
		left += peer != host->rank && !tt_host_gone(host, peer);
	left += comm->nranks - host->nranks; /* nobody connects to all hosts to find out */
	totum_status status = tt_mail_go(comm);
	if (status || letter->done || left)
		return status;
	return tt_host_fail(host, TOTUM_ELOST, -1,
			    "rank %d waits for a message from any rank, but all others have gone",
			    comm->rank);
}

/*
 * A receive from another host: only while somebody wants it does its peer's end matter, and what has
 * come since the last look, or to another thread's, is taken before.
 */
static totum_status check_far(totum_comm *comm, const struct tt_letter *letter)
{
	struct tt_mail *mail = comm->mail;
	totum_status status = tt_mail_go(comm);

	if (status || letter->done)
		return status;
	if (!letter->sends)
		mail->inboxes[letter->peer].transfer.idle = false;
	tt_notices_ask(comm, letter->peer);
	return mail->transport->check(mail->endpoint, tt_clock_ns());
}

/* Bytes of the letter that have not moved yet, for comparison; 0 while it is not on its way. */
static uint64_t left_of(const totum_comm *comm, const struct tt_letter *letter)
{
	const struct tt_mail *mail = comm->mail;

	if (letter->sends)
		return letter->posting ? letter->posting->transfer.left : 0;
	for (int peer = 0; peer < comm->nranks; peer++)
		if (mail->inboxes[peer].letter == letter && mail->inboxes[peer].in_bytes)
			return mail->inboxes[peer].transfer.left;
	return 0;
}

totum_status tt_mail_look(totum_comm *comm, const struct tt_letter *letter)
{
	struct wanted wanted = {comm, letter};

	if (letter->peer == TOTUM_ANY)
		return check_anyone(comm, letter);
	if (tt_comm_far(comm, letter->peer))
		return check_far(comm, letter);
	/* now: who has gone, not who is late */
	return tt_host_check(&comm->host, tt_clock_ns(), waits_for, &wanted);
}

/* The transport's wait has a deadline too, whose sentence knows no messages: it stays below it. */
static totum_status sleep_on_bell(totum_comm *comm, struct tt_waiting *waiting)
{
	tt_waiting_begin(waiting, tt_mail_mark(comm), false);
	uint64_t now = tt_clock_ns(), most = comm->host.timeout_ns / 2;
	return comm->mail->transport->wait(
		comm->mail->endpoint, now - waiting->since > most ? now - most : waiting->since);
}

totum_status tt_mail_pause(totum_comm *comm, struct tt_letter *letter, uint64_t *since,
			   struct tt_waiting *waiting)
{
	totum_status status = TOTUM_OK;

	if (comm->first || tt_others_wait(comm)) /* no one word tells of calls and messages */
		tt_rest(comm, waiting);
	else
		status = sleep_on_bell(comm, waiting);
	uint64_t now = tt_clock_ns();
	if (status || now - *since < TT_CHECK_NS)
		return status;
	status = tt_mail_look(comm, letter);
	if (status || letter->done)
		return status;
	uint64_t left = left_of(comm, letter);
	if (left != letter->left)
		*since = now;
	letter->left = left;
	return now - *since < comm->host.timeout_ns ? TOTUM_OK : late(comm, letter);
}
