/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mail.h - messages between two ranks: matching by peer and tag on top of a transport.
 *
 * A message is a head and, unless it is large and can be read where it lies, its bytes.  A receive
 * for the next head is always posted for every peer; a head finds the first receive that fits or is
 * kept, bytes and all, until one does.  A large message's head offers its source (source.h): the
 * receiver reads it and answers with a receipt.
 */
#ifndef TT_MAIL_H
#define TT_MAIL_H

#include "runtime/comm.h"

/* One send or receive, the caller's until it is done. */
struct tt_letter {
	bool sends, done;
	int peer, tag;         /* of a receive perhaps TOTUM_ANY */
	totum_dtype dtype;
	void *buffer;
	size_t bytes;
	totum_message *message; /* of a receive, may be NULL */
	totum_status status;   /* when done; with a refusal unless the communicator has failed */
	char *refusal;         /* the sentence */
	totum_message got;     /* what came, or was sent; known when done */
	uint64_t got_bytes;
	uint64_t number;       /* the recorder's */
	uint64_t looked;       /* when totum_test took its last look, 0: never */
	uint64_t left;         /* bytes that had not moved at the last look */
	struct tt_posting *posting; /* the mail's own, while a send is under way */
	struct tt_letter *next;
};

/* Opens comm's mail when it is not open. */
totum_status tt_mail_open(totum_comm *comm);
void tt_mail_close(totum_comm *comm);
/* The letter is done, with its status, and what it got is known. */
void tt_mail_end(totum_comm *comm, struct tt_letter *letter);
/* Begins the letter and goes on with all mail as far as that needs no waiting. */
totum_status tt_mail_post(totum_comm *comm, struct tt_letter *letter);
totum_status tt_mail_go(totum_comm *comm);
/* Is there a send or receive that is not done? */
bool tt_mail_busy(const totum_comm *comm);
/* Changes whenever mail has moved. */
uint64_t tt_mail_mark(const totum_comm *comm);
/*
 * The look that whoever wants the letter takes from time to time: the loss of those that it waits
 * for, or any failure.
 */
totum_status tt_mail_look(totum_comm *comm, const struct tt_letter *letter);
/*
 * Waits a little for mail to move, and takes that look when *since, the beginning of the wait, is
 * some time ago.  The deadline counts from there, or from when bytes of the letter last moved,
 * which *since then becomes.
 */
struct tt_waiting;
totum_status tt_mail_pause(totum_comm *comm, struct tt_letter *letter, uint64_t *since,
			   struct tt_waiting *waiting);
/* The failure of the communicator, in the sentence of a message, for the caller and the record. */
totum_status tt_letter_failed(totum_comm *comm, const struct tt_letter *letter);

#endif
