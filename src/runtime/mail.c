/* SPDX-License-Identifier: BSD-3-Clause */
/* mail - heads, bytes, receipts, and who gets what. */
#include "runtime/mail.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "host/source.h"
#include "transport/transport.h"

enum head_kind { BYTES_FOLLOW = 1, OFFER, RECEIPT };
enum { OFFER_FROM = 64 << 10 };

struct head {
	uint32_t kind;
	int32_t tag;
	uint64_t bytes;
	uint32_t dtype, unused;
	uint64_t id; /* of the sender's posting: an offer's receipt returns it */
	struct tt_source source;
};

/* What goes out: a head and perhaps bytes; a receipt belongs to nobody. */
struct tt_posting {
	struct head head;
	struct tt_transfer_state transfer;
	struct tt_span spans[2];
	struct tt_letter *letter;
	struct tt_posting *next;
	bool receipted;
};

/* A message that came before its receive. */
struct arrival {
	struct head head;
	int peer;
	unsigned char *bytes; /* NULL: offered, or empty */
	bool complete;
	struct tt_letter *taker; /* the receive that waits for the bytes to be complete */
	struct arrival *next;
};

/* What comes from one peer: a head, then where its bytes go. */
struct inbox {
	struct head head;
	struct tt_transfer_state transfer;
	struct tt_span span;
	bool in_bytes;
	struct tt_letter *letter; /* the bytes go straight into its buffer; or */
	struct arrival *arrival;  /* they are kept */
};

struct tt_mail {
	const struct tt_transport *transport;
	struct tt_endpoint *endpoint;
	struct tt_posting *out;
	struct tt_letter *receives, **last_receive;
	struct arrival *arrivals, **last_arrival;
	struct inbox inboxes[];
};

static totum_status expect_head(struct tt_mail *mail, int peer)
{
	struct inbox *inbox = &mail->inboxes[peer];

	inbox->in_bytes = false;
	inbox->span = (struct tt_span){(unsigned char *)&inbox->head, sizeof inbox->head};
	inbox->transfer = (struct tt_transfer_state){.spans = &inbox->span, .nspans = 1, .peer = peer, .idle = true};
	return mail->transport->receive(mail->endpoint, &inbox->transfer);
}

totum_status tt_mail_open(totum_comm *comm)
{
	int n = comm->host.nranks;

	if (comm->mail)
		return TOTUM_OK;
	size_t size = sizeof(struct tt_mail) + (size_t)n * sizeof(struct inbox);
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
			status = expect_head(mail, peer);
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
		struct arrival *arrival = mail->arrivals;
		mail->arrivals = arrival->next;
		free(arrival->bytes);
		free(arrival);
	}
	free(mail);
	comm->mail = NULL;
}

/* --- sending ----------------------------------------------------------------------------------------------- */

static totum_status post_head(struct tt_mail *mail, int peer, const struct head *head, struct tt_letter *letter)
{
	struct tt_posting *posting = calloc(1, sizeof *posting);

	if (!posting)
		return tt_fail_memory(sizeof *posting, "a message");
	posting->head = *head;
	posting->letter = letter;
	posting->spans[0] = (struct tt_span){(unsigned char *)&posting->head, sizeof posting->head};
	if (head->kind == BYTES_FOLLOW && head->bytes)
		posting->spans[1] = (struct tt_span){letter->buffer, letter->bytes};
	posting->transfer = (struct tt_transfer_state){.spans = posting->spans, .nspans = posting->spans[1].bytes ? 2 : 1,
						       .peer = peer, .idle = !letter};
	posting->head.id = head->kind == RECEIPT ? head->id : (uint64_t)(uintptr_t)posting;
	posting->next = mail->out;
	mail->out = posting;
	if (letter)
		letter->posting = posting;
	return mail->transport->send(mail->endpoint, &posting->transfer);
}

static totum_status post_send(totum_comm *comm, struct tt_letter *letter)
{
	struct head head = {.kind = BYTES_FOLLOW, .tag = letter->tag, .bytes = letter->bytes, .dtype = letter->dtype};

	if (letter->bytes >= OFFER_FROM)
		head.source = tt_source_of(&comm->host, letter->buffer, letter->bytes);
	if (head.source.kind != TT_SOURCE_NONE)
		head.kind = OFFER;
	return post_head(comm->mail, letter->peer, &head, letter);
}

/* Postings that are out: a message's bytes have left the buffer, or its receipt has come. */
static void retire_postings(struct tt_mail *mail)
{
	for (struct tt_posting **link = &mail->out; *link;) {
		struct tt_posting *posting = *link;
		if (!posting->transfer.done || (posting->head.kind == OFFER && !posting->receipted)) {
			link = &posting->next;
			continue;
		}
		if (posting->letter) {
			posting->letter->done = true;
			posting->letter->posting = NULL;
		}
		*link = posting->next;
		free(posting);
	}
}

/* --- receiving --------------------------------------------------------------------------------------------- */

static bool fits(const struct tt_letter *letter, int peer, const struct head *head)
{
	return (letter->peer == TOTUM_ANY || letter->peer == peer) && (letter->tag == TOTUM_ANY || letter->tag == head->tag);
}

static void unlink_receive(struct tt_mail *mail, struct tt_letter *letter)
{
	struct tt_letter **link = &mail->receives;

	while (*link != letter)
		link = &(*link)->next;
	*link = letter->next;
	if (!*link)
		mail->last_receive = link;
}

static struct tt_letter *find_receive(struct tt_mail *mail, int peer, const struct head *head)
{
	for (struct tt_letter *letter = mail->receives; letter; letter = letter->next)
		if (fits(letter, peer, head)) {
			unlink_receive(mail, letter);
			return letter;
		}
	return NULL;
}

/* Refuses a message that the receive cannot hold; the bytes are then dropped where they are. */
static bool accept_head(struct tt_letter *letter, int peer, const struct head *head)
{
	size_t element = totum_dtype_size(letter->dtype);
	const char *name = totum_dtype_name((totum_dtype)head->dtype);

	letter->done = true;
	if (letter->message)
		*letter->message = (totum_message){peer, head->tag, head->bytes / element};
	if (head->bytes <= letter->bytes && head->dtype == (uint32_t)letter->dtype)
		return true;
	letter->status = tt_fail(TOTUM_EMISMATCH, "the message from rank %d with tag %d has %" PRIu64 " bytes of %s, but the receive takes at "
				 "most %zu of %s; it is dropped", peer, head->tag, head->bytes, name ? name : "an unknown dtype",
				 letter->bytes, totum_dtype_name(letter->dtype));
	letter->refusal = strdup(totum_errmsg());
	return false;
}

static totum_status read_offer(totum_comm *comm, struct tt_letter *letter, int peer, const struct head *head)
{
	struct head receipt = {.kind = RECEIPT, .id = head->id};
	totum_status status = TOTUM_OK;

	if (accept_head(letter, peer, head))
		status = tt_source_read(&comm->host, peer, &head->source, 0, letter->buffer, head->bytes, false);
	return status ? status : post_head(comm->mail, peer, &receipt, NULL);
}

static totum_status keep(struct tt_mail *mail, struct inbox *inbox, int peer)
{
	struct arrival *arrival = calloc(1, sizeof *arrival);
	bool follows = inbox->head.kind == BYTES_FOLLOW && inbox->head.bytes;

	if (arrival && follows)
		arrival->bytes = malloc(inbox->head.bytes);
	if (!arrival || (follows && !arrival->bytes)) {
		free(arrival);
		return tt_fail_memory(inbox->head.bytes, "a message that no receive waits for");
	}
	arrival->head = inbox->head;
	arrival->peer = peer;
	arrival->complete = !follows;
	*mail->last_arrival = arrival;
	mail->last_arrival = &arrival->next;
	inbox->arrival = arrival;
	return TOTUM_OK;
}

static totum_status expect_bytes(struct tt_mail *mail, struct inbox *inbox, int peer, unsigned char *to)
{
	inbox->in_bytes = true;
	inbox->span = (struct tt_span){to, inbox->head.bytes};
	inbox->transfer = (struct tt_transfer_state){.spans = &inbox->span, .nspans = 1, .peer = peer, .idle = true};
	return mail->transport->receive(mail->endpoint, &inbox->transfer);
}

/* A message's head is here. */
static totum_status open_head(totum_comm *comm, struct inbox *inbox, int peer)
{
	struct tt_mail *mail = comm->mail;
	struct head *head = &inbox->head;

	if (head->kind == RECEIPT) {
		((struct tt_posting *)(uintptr_t)head->id)->receipted = true;
		return expect_head(mail, peer);
	}
	struct tt_letter *letter = find_receive(mail, peer, head);
	inbox->letter = NULL;
	inbox->arrival = NULL;
	if (letter && head->kind == OFFER) {
		totum_status status = read_offer(comm, letter, peer, head);
		return status ? status : expect_head(mail, peer);
	}
	bool accepted = letter && accept_head(letter, peer, head);
	if (accepted && head->bytes) { /* done is said when the bytes are here */
		letter->done = false;
		inbox->letter = letter;
		return expect_bytes(mail, inbox, peer, letter->buffer);
	}
	if (!letter || (!accepted && head->bytes)) {
		totum_status status = keep(mail, inbox, peer);
		if (status)
			return status;
		if (letter) /* refused: the bytes must come out of the channel, for nobody */
			inbox->arrival->taker = letter;
		if (!inbox->arrival->complete)
			return expect_bytes(mail, inbox, peer, inbox->arrival->bytes);
	}
	return expect_head(mail, peer);
}

static void drop_arrival(struct tt_mail *mail, struct arrival *arrival)
{
	struct arrival **link = &mail->arrivals;

	while (*link != arrival)
		link = &(*link)->next;
	*link = arrival->next;
	if (!*link)
		mail->last_arrival = link;
	free(arrival->bytes);
	free(arrival);
}

/* A kept message and its receive have found each other, and its bytes are complete. */
static totum_status hand_over(totum_comm *comm, struct arrival *arrival, struct tt_letter *letter)
{
	totum_status status = TOTUM_OK;

	if (arrival->head.kind == OFFER)
		status = read_offer(comm, letter, arrival->peer, &arrival->head);
	else if (!letter->refusal && accept_head(letter, arrival->peer, &arrival->head) && arrival->bytes)
		memcpy(letter->buffer, arrival->bytes, arrival->head.bytes);
	drop_arrival(comm->mail, arrival);
	return status;
}

static totum_status open_inbox(totum_comm *comm, int peer)
{
	struct inbox *inbox = &comm->mail->inboxes[peer];

	while (inbox->transfer.done) {
		totum_status status;
		if (!inbox->in_bytes) {
			status = open_head(comm, inbox, peer);
		} else {
			struct arrival *arrival = inbox->arrival;
			if (inbox->letter)
				inbox->letter->done = true;
			else
				arrival->complete = true;
			status = arrival && arrival->taker ? hand_over(comm, arrival, arrival->taker) : TOTUM_OK;
			if (!status)
				status = expect_head(comm->mail, peer);
		}
		if (status)
			return status;
	}
	return TOTUM_OK;
}

static totum_status post_receive(totum_comm *comm, struct tt_letter *letter)
{
	struct tt_mail *mail = comm->mail;

	for (struct arrival *arrival = mail->arrivals; arrival; arrival = arrival->next) {
		if (arrival->taker || !fits(letter, arrival->peer, &arrival->head))
			continue;
		arrival->taker = letter;
		return arrival->complete ? hand_over(comm, arrival, letter) : TOTUM_OK;
	}
	letter->next = NULL;
	*mail->last_receive = letter;
	mail->last_receive = &letter->next;
	return TOTUM_OK;
}

/* --- going on ---------------------------------------------------------------------------------------------- */

totum_status tt_mail_go(totum_comm *comm)
{
	struct tt_mail *mail = comm->mail;
	bool moved = true;
	totum_status status = TOTUM_OK;

	while (!status && moved) {
		status = mail->transport->progress(mail->endpoint, &moved);
		for (int peer = 0; peer < comm->host.nranks && moved && !status; peer++)
			if (peer != comm->host.rank)
				status = open_inbox(comm, peer);
	}
	retire_postings(mail);
	if (status && !atomic_load_explicit(&comm->host.head->failed, memory_order_relaxed))
		status = tt_host_fail(&comm->host, status, comm->host.rank, "%s", totum_errmsg());
	return status;
}

bool tt_mail_busy(const totum_comm *comm)
{
	return comm->mail->out || comm->mail->receives;
}

/* To itself: the two letters meet in this rank's memory, as a message that is complete. */
static totum_status post_to_self(totum_comm *comm, struct tt_letter *letter)
{
	struct inbox inbox = {.head = {.kind = BYTES_FOLLOW, .tag = letter->tag, .bytes = letter->bytes, .dtype = letter->dtype}};
	struct tt_letter *receive = find_receive(comm->mail, comm->host.rank, &inbox.head);
	totum_status status = keep(comm->mail, &inbox, comm->host.rank);

	if (status)
		return status;
	if (letter->bytes)
		memcpy(inbox.arrival->bytes, letter->buffer, letter->bytes);
	inbox.arrival->complete = true;
	letter->done = true;
	return receive ? hand_over(comm, inbox.arrival, receive) : TOTUM_OK;
}

totum_status tt_mail_post(totum_comm *comm, struct tt_letter *letter)
{
	totum_status status = tt_mail_open(comm);

	if (status)
		return status;
	if (!letter->sends)
		status = post_receive(comm, letter);
	else if (letter->peer == comm->host.rank)
		status = post_to_self(comm, letter);
	else
		status = post_send(comm, letter);
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
	totum_status status = mail->transport->wait(mail->endpoint, since);

	if (status || tt_clock_ns() - since < TT_CHECK_NS)
		return status;
	if (letter->peer == TOTUM_ANY)
		return check_anyone(comm, letter, since);
	return tt_host_check(&comm->host, since, waits_for, &wanted);
}
