/* SPDX-License-Identifier: BSD-3-Clause */
/* mail_parts.h - what the files of the mail share: heads, what goes out, comes in, is kept. */
#ifndef TT_MAIL_PARTS_H
#define TT_MAIL_PARTS_H

#include "host/source.h"
#include "runtime/mail.h"
#include "transport/transport.h"

enum tt_message_kind { TT_MESSAGE_BYTES = 1, TT_MESSAGE_OFFER, TT_MESSAGE_RECEIPT };
struct tt_message_head {
	uint32_t kind;
	int32_t tag;
	uint64_t bytes;
	uint32_t dtype, unused;
	uint64_t id; /* number of the sender's posting: an offer's receipt returns it */
	struct tt_source source;
};

/* What goes out: a head and perhaps bytes; a receipt belongs to nobody. */
struct tt_posting {
	struct tt_message_head head;
	struct tt_transfer_state transfer;
	struct tt_span spans[2];
	struct tt_letter *letter;
	struct tt_posting *next;
	bool receipted;
};

/* A message that came before its receive. */
struct tt_arrival {
	struct tt_message_head head;
	int peer;
	unsigned char *bytes; /* NULL: offered, or empty */
	bool complete;
	struct tt_letter *taker; /* the receive that waits for the bytes to be complete */
	struct tt_arrival *next;
};

/* What comes from one peer: a head, then where its bytes go. */
struct tt_inbox {
	struct tt_message_head head;
	struct tt_transfer_state transfer;
	struct tt_span span;
	bool in_bytes;
	struct tt_letter *letter; /* the bytes go straight into its buffer; or */
	struct tt_arrival *arrival;  /* they are kept */
};

struct tt_mail {
	const struct tt_transport *transport;
	struct tt_endpoint *endpoint;
	struct tt_posting *out;
	uint64_t posted; /* how many went out: the id of the latest */
	uint64_t moves;  /* how often something has moved */
	struct tt_letter *receives, **last_receive;
	struct tt_arrival *arrivals, **last_arrival;
	struct tt_inbox inboxes[];
};

/* mail_out.c: a head, and a letter's bytes behind it unless offered; a receipt has no letter. */
totum_status tt_mail_out(struct tt_mail *mail, int peer, const struct tt_message_head *head,
			 struct tt_letter *letter);
totum_status tt_mail_send(totum_comm *comm, struct tt_letter *letter);
/* A receipt has come from peer; one that fits nothing is ignored. */
void tt_mail_receipt(struct tt_mail *mail, int peer, uint64_t id);
/* Ends the letters whose bytes have left the buffer, or whose receipt has come. */
void tt_mail_retire(totum_comm *comm);

/* mail_in.c: a peer's next head; all that came from it; a receive that looks for its message. */
totum_status tt_mail_expect(struct tt_mail *mail, int peer);
totum_status tt_mail_open_inbox(totum_comm *comm, int peer);
totum_status tt_mail_receive(totum_comm *comm, struct tt_letter *letter);
/* To itself: the two letters meet in this rank's memory. */
totum_status tt_mail_send_self(totum_comm *comm, struct tt_letter *letter);

#endif
