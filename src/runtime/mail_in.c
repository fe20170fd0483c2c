/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mail_in - messages that come: heads find the first receive that fits, receives the first message
 * that was kept.
 *
 * The bytes of a matched message go straight from the transport into the receive's buffer; those of
 * a message that no receive waits for are kept, whole, until one does.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/mail_parts.h"

totum_status tt_mail_expect(struct tt_mail *mail, int peer)
{
	struct tt_inbox *inbox = &mail->inboxes[peer];

	inbox->in_bytes = false;
	inbox->span = (struct tt_span){(unsigned char *)&inbox->head, sizeof inbox->head};
	inbox->transfer = (struct tt_transfer_state){
		.spans = &inbox->span, .nspans = 1, .peer = peer, .idle = true};
	return mail->transport->receive(mail->endpoint, &inbox->transfer);
}

static bool fits(const struct tt_letter *letter, int peer, const struct tt_message_head *head)
{
	return (letter->peer == TOTUM_ANY || letter->peer == peer) &&
	       (letter->tag == TOTUM_ANY || letter->tag == head->tag);
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

static struct tt_letter *find_receive(struct tt_mail *mail, int peer,
				      const struct tt_message_head *head)
{
	for (struct tt_letter *letter = mail->receives; letter; letter = letter->next)
		if (fits(letter, peer, head)) {
			unlink_receive(mail, letter);
			return letter;
		}
	return NULL;
}

/* Refuses what the receive cannot hold: its bytes are for nobody.  The letter is not done yet. */
static bool accept_head(struct tt_letter *letter, int peer, const struct tt_message_head *head)
{
	size_t element = totum_dtype_size(letter->dtype);
	const char *name = totum_dtype_name((totum_dtype)head->dtype);

	letter->got = (totum_message){peer, head->tag, head->bytes / element};
	letter->got_bytes = head->bytes;
	if (letter->message)
		*letter->message = letter->got;
	if (head->bytes <= letter->bytes && head->dtype == (uint32_t)letter->dtype)
		return true;
	letter->status = tt_fail(TOTUM_EMISMATCH,
				 "the message from rank %d with tag %d has %" PRIu64 " bytes of "
				 "%s, but the receive takes at most %zu of %s; it is dropped",
				 peer, head->tag, head->bytes, name ? name : "an unknown dtype",
				 letter->bytes, totum_dtype_name(letter->dtype));
	letter->refusal = strdup(totum_errmsg());
	return false;
}

static totum_status read_offer(totum_comm *comm, struct tt_letter *letter, int peer,
			       const struct tt_message_head *head)
{
	struct tt_message_head receipt = {.kind = TT_MESSAGE_RECEIPT, .id = head->id};
	totum_status status = TOTUM_OK;

	if (accept_head(letter, peer, head))
		status = tt_source_read(&comm->host, tt_comm_place(comm, peer), &head->source, 0, letter->buffer,
					head->bytes, false);
	if (status)
		return status;
	tt_mail_end(comm, letter);
	return tt_mail_out(comm->mail, peer, &receipt, NULL);
}

static totum_status keep(struct tt_mail *mail, struct tt_inbox *inbox, int peer)
{
	struct tt_arrival *arrival = calloc(1, sizeof *arrival);
	bool follows = inbox->head.kind == TT_MESSAGE_BYTES && inbox->head.bytes;

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

static totum_status expect_bytes(struct tt_mail *mail, struct tt_inbox *inbox, int peer,
				 unsigned char *to)
{
	inbox->in_bytes = true;
	inbox->span = (struct tt_span){to, inbox->head.bytes};
	inbox->transfer = (struct tt_transfer_state){
		.spans = &inbox->span, .nspans = 1, .peer = peer, .idle = true};
	return mail->transport->receive(mail->endpoint, &inbox->transfer);
}

/* A message's head is here. */
static totum_status open_head(totum_comm *comm, struct tt_inbox *inbox, int peer)
{
	struct tt_mail *mail = comm->mail;
	struct tt_message_head *head = &inbox->head;

	if (head->kind == TT_MESSAGE_RECEIPT) {
		tt_mail_receipt(mail, peer, head->id);
		return tt_mail_expect(mail, peer);
	}
	if (head->kind == TT_MESSAGE_OFFER && tt_comm_far(comm, peer))
		return tt_fail(TOTUM_ESYSTEM,
			       "rank %d on another host offers memory to be read in place; "
			       "do all ranks run the same totum?",
			       peer);
	struct tt_letter *letter = find_receive(mail, peer, head);
	inbox->letter = NULL;
	inbox->arrival = NULL;
	if (letter && head->kind == TT_MESSAGE_OFFER) {
		totum_status status = read_offer(comm, letter, peer, head);
		return status ? status : tt_mail_expect(mail, peer);
	}
	bool accepted = letter && accept_head(letter, peer, head);
	if (letter && !head->bytes) {
		tt_mail_end(comm, letter);
		return tt_mail_expect(mail, peer);
	}
	if (accepted) {
		inbox->letter = letter;
		return expect_bytes(mail, inbox, peer, letter->buffer);
	}
	totum_status status = keep(mail, inbox, peer);
	if (status)
		return status;
	/* refused: the bytes must come out of the channel before it is done */
	inbox->arrival->taker = letter;
	return inbox->arrival->complete ? tt_mail_expect(mail, peer)
					: expect_bytes(mail, inbox, peer, inbox->arrival->bytes);
}

static void drop_arrival(struct tt_mail *mail, struct tt_arrival *arrival)
{
	struct tt_arrival **link = &mail->arrivals;

	while (*link != arrival)
		link = &(*link)->next;
	*link = arrival->next;
	if (!*link)
		mail->last_arrival = link;
	free(arrival->bytes);
	free(arrival);
}

/* A kept message and its receive have found each other, and its bytes are complete. */
static totum_status hand_over(totum_comm *comm, struct tt_arrival *arrival,
			      struct tt_letter *letter)
{
	totum_status status = TOTUM_OK;

	if (arrival->head.kind == TT_MESSAGE_OFFER) {
		status = read_offer(comm, letter, arrival->peer, &arrival->head);
	} else {
		if (!letter->refusal && accept_head(letter, arrival->peer, &arrival->head) &&
		    arrival->bytes)
			memcpy(letter->buffer, arrival->bytes, arrival->head.bytes);
		tt_mail_end(comm, letter);
	}
	drop_arrival(comm->mail, arrival);
	return status;
}

totum_status tt_mail_open_inbox(totum_comm *comm, int peer)
{
	struct tt_inbox *inbox = &comm->mail->inboxes[peer];

	while (inbox->transfer.done) {
		totum_status status;
		if (!inbox->in_bytes) {
			status = open_head(comm, inbox, peer);
		} else {
			struct tt_arrival *arrival = inbox->arrival;
			if (inbox->letter)
				tt_mail_end(comm, inbox->letter);
			else
				arrival->complete = true;
			status = arrival && arrival->taker
					 ? hand_over(comm, arrival, arrival->taker)
					 : TOTUM_OK;
			if (!status)
				status = tt_mail_expect(comm->mail, peer);
		}
		if (status)
			return status;
	}
	return TOTUM_OK;
}

totum_status tt_mail_receive(totum_comm *comm, struct tt_letter *letter)
{
	struct tt_mail *mail = comm->mail;

	for (struct tt_arrival *arrival = mail->arrivals; arrival; arrival = arrival->next) {
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

/* To itself: the two letters meet in this rank's memory, as a message that is complete. */
totum_status tt_mail_send_self(totum_comm *comm, struct tt_letter *letter)
{
	struct tt_inbox inbox = {.head = {.kind = TT_MESSAGE_BYTES,
					  .tag = letter->tag,
					  .bytes = letter->bytes,
					  .dtype = letter->dtype}};
	struct tt_letter *receive = find_receive(comm->mail, comm->rank, &inbox.head);
	totum_status status = keep(comm->mail, &inbox, comm->rank);

	if (status)
		return status;
	if (letter->bytes)
		memcpy(inbox.arrival->bytes, letter->buffer, letter->bytes);
	inbox.arrival->complete = true;
	tt_mail_end(comm, letter);
	return receive ? hand_over(comm, inbox.arrival, receive) : TOTUM_OK;
}
