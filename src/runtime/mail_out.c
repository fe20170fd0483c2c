/* SPDX-License-Identifier: BSD-3-Clause */
/* mail_out - outgoing messages: small ones with their bytes, large ones with an offer to read. */
#include <stdlib.h>

#include "runtime/mail_parts.h"

enum { OFFER_FROM = 64 << 10 };

totum_status tt_mail_out(struct tt_mail *mail, int peer, const struct tt_message_head *head,
			 struct tt_letter *letter)
{
	struct tt_posting *posting = calloc(1, sizeof *posting);

	if (!posting)
		return tt_fail_memory(sizeof *posting, "a message");
	posting->head = *head;
	posting->letter = letter;
	posting->spans[0] = (struct tt_span){(unsigned char *)&posting->head, sizeof posting->head};
	if (head->kind == TT_MESSAGE_BYTES && head->bytes)
		posting->spans[1] = (struct tt_span){letter->buffer, letter->bytes};
	posting->transfer = (struct tt_transfer_state){.spans = posting->spans,
						       .nspans = posting->spans[1].bytes ? 2 : 1,
						       .peer = peer,
						       .idle = !letter};
	posting->head.id = head->kind == TT_MESSAGE_RECEIPT ? head->id : ++mail->posted;
	posting->next = mail->out;
	mail->out = posting;
	if (letter)
		letter->posting = posting;
	return mail->transport->send(mail->endpoint, &posting->transfer);
}

totum_status tt_mail_send(totum_comm *comm, struct tt_letter *letter)
{
	struct tt_message_head head = {.kind = TT_MESSAGE_BYTES,
				       .tag = letter->tag,
				       .bytes = letter->bytes,
				       .dtype = letter->dtype};

	if (letter->bytes >= OFFER_FROM && !tt_comm_far(comm, letter->peer))
		head.source =
			tt_source_of(&comm->host, letter->buffer, letter->bytes, TT_COPY_BY_ONE);
	if (head.source.kind != TT_SOURCE_NONE)
		head.kind = TT_MESSAGE_OFFER;
	return tt_mail_out(comm->mail, letter->peer, &head, letter);
}

void tt_mail_receipt(struct tt_mail *mail, int peer, uint64_t id)
{
	for (struct tt_posting *posting = mail->out; posting; posting = posting->next)
		if (posting->head.kind == TT_MESSAGE_OFFER && posting->head.id == id &&
		    posting->transfer.peer == peer)
			posting->receipted = true;
}

/* Postings that are out: a message's bytes have left the buffer, or its receipt has come. */
void tt_mail_retire(totum_comm *comm)
{
	for (struct tt_posting **link = &comm->mail->out; *link;) {
		struct tt_posting *posting = *link;
		if (!posting->transfer.done ||
		    (posting->head.kind == TT_MESSAGE_OFFER && !posting->receipted)) {
			link = &posting->next;
			continue;
		}
		if (posting->letter) {
			posting->letter->posting = NULL;
			tt_mail_end(comm, posting->letter);
		}
		*link = posting->next;
		free(posting);
	}
}
