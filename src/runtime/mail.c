/* SPDX-License-Identifier: BSD-3-Clause */
/* mail - opening, going on, waiting, and closing a communicator's messages. */
#include <stdlib.h>

#include "base/clock.h"
#include "runtime/mail_parts.h"
#include "transport/memory.h"

totum_status tt_mail_open(totum_comm *comm)
{
	int n = comm->host.nranks;

	if (comm->mail)
		return TOTUM_OK;
	size_t size = sizeof(struct tt_mail) + (size_t)n * sizeof(struct tt_inbox);
	struct tt_mail *mail = calloc(1, size);
	if (!mail)
		return tt_fail_memory(size, "messages");
	mail->transport = &tt_transport_memory;
	totum_status status = mail->transport->open(&(struct tt_memory_context){&comm->host, TT_LANE_MESSAGES}, &mail->endpoint);
	if (status) {
		free(mail);
		return status;
	}
	mail->last_receive = &mail->receives;
	mail->last_arrival = &mail->arrivals;
	for (int peer = 0; peer < n && !status; peer++)
		if (peer != comm->host.rank)
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

/* Letters of calls that have failed may be gone, so nothing moves on a communicator that has failed. */
static totum_status check_failed(const totum_comm *comm)
{
	/* acquire: pairs with the release in tt_host_fail */
	return atomic_load_explicit(&comm->host.head->failed, memory_order_acquire) ? tt_host_failed(&comm->host) : TOTUM_OK;
}

totum_status tt_mail_go(totum_comm *comm)
{
	struct tt_mail *mail = comm->mail;
	bool moved = true;
	totum_status status = check_failed(comm);

	while (!status && moved) {
		status = mail->transport->progress(mail->endpoint, &moved);
		for (int peer = 0; peer < comm->host.nranks && moved && !status; peer++)
			if (peer != comm->host.rank)
				status = tt_mail_open_inbox(comm, peer);
	}
	if (!status)
		tt_mail_retire(mail);
	if (status && !atomic_load_explicit(&comm->host.head->failed, memory_order_relaxed))
		status = tt_host_fail(&comm->host, status, comm->host.rank, "%s", totum_errmsg());
	return status;
}

bool tt_mail_busy(const totum_comm *comm)
{
	const struct tt_mail *mail = comm->mail;

	if (mail->out || mail->receives)
		return true;
	for (int peer = 0; peer < comm->host.nranks; peer++) { /* what has found its receive and is still coming */
		const struct tt_inbox *inbox = &mail->inboxes[peer];
		if (inbox->in_bytes && (inbox->letter || (inbox->arrival && inbox->arrival->taker)))
			return true;
	}
	return false;
}

totum_status tt_mail_post(totum_comm *comm, struct tt_letter *letter)
{
	totum_status status = tt_mail_open(comm);

	if (!status)
		status = check_failed(comm);
	if (status)
		return status;
	if (!letter->sends)
		status = tt_mail_receive(comm, letter);
	else if (letter->peer == comm->host.rank)
		status = tt_mail_send_self(comm, letter);
	else
		status = tt_mail_send(comm, letter);
	return status ? status : tt_mail_go(comm);
}

struct wanted {
	totum_comm *comm;
	const struct tt_letter *letter;
};

/* What a rank has sent before it went still counts, so the channels are looked at once more. */
static bool waits_for(const void *context, int peer)
{
	const struct wanted *wanted = context;

	if (wanted->letter->peer != peer || peer == wanted->comm->host.rank)
		return false;
	return !wanted->letter->done && !tt_mail_go(wanted->comm) && !wanted->letter->done;
}

/* A receive from anyone is lost when nobody is left who could send. */
static totum_status check_anyone(totum_comm *comm, const struct tt_letter *letter, uint64_t since)
{
	struct tt_host *host = &comm->host;
	int left = 0;

	for (int peer = 0; peer < host->nranks; peer++)
		left += peer != host->rank && !tt_host_gone(host, peer);
	totum_status status = tt_mail_go(comm);
	if (status || letter->done)
		return status;
	if (!left)
		return tt_host_fail(host, TOTUM_ELOST, -1, "rank %d waits for a message from any rank, but all others have gone", host->rank);
	if (tt_clock_ns() - since < host->timeout_ns)
		return TOTUM_OK;
	return tt_host_fail(host, TOTUM_ETIMEOUT, -1, "rank %d waited %.3g s for a message with tag %d from any rank; find out who should "
			    "have sent it, or raise TOTUM_TIMEOUT", host->rank, (double)host->timeout_ns * 1e-9, letter->tag);
}

totum_status tt_mail_pause(totum_comm *comm, const struct tt_letter *letter, uint64_t since)
{
	struct tt_mail *mail = comm->mail;
	struct wanted wanted = {comm, letter};
	totum_status status = TOTUM_OK;

	if (comm->first) /* no one word tells of calls and messages */
		tt_host_nap(&comm->host, since);
	else
		status = mail->transport->wait(mail->endpoint, since);
	if (status || tt_clock_ns() - since < TT_CHECK_NS)
		return status;
	if (letter->peer == TOTUM_ANY)
		return check_anyone(comm, letter, since);
	return tt_host_check(&comm->host, since, waits_for, &wanted);
}
