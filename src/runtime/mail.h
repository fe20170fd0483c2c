/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mail.h - messages between two ranks: matching by peer and tag on top of a transport.
 *
 * A message is a head and, unless it is large and can be read where it lies, its bytes.  A receive for the next head
 * is always posted for every peer; a head finds the first receive that fits or is kept, bytes and all, until one does.
 * A large message's head offers its source (source.h): the receiver reads it and answers with a receipt.
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
	totum_status status;   /* when done; a sentence in refusal unless the communicator has failed */
	char *refusal;
	uint64_t tested;       /* when totum_test first found it not done, 0: not yet */
	struct tt_posting *posting; /* the mail's own, while a send is under way */
	struct tt_letter *next;
};

/* Opens comm's mail when it is not open. */
totum_status tt_mail_open(totum_comm *comm);
void tt_mail_close(totum_comm *comm);
/* Begins the letter and goes on with all mail as far as that needs no waiting. */
totum_status tt_mail_post(totum_comm *comm, struct tt_letter *letter);
totum_status tt_mail_go(totum_comm *comm);
/* Is there a send or receive that is not done? */
bool tt_mail_busy(const totum_comm *comm);
/*
 * The look that whoever waits for the letter since `since` takes from time to time: the failure of the communicator, the
 * loss of those that the letter waits for, or its deadline.
 */
totum_status tt_mail_check(totum_comm *comm, const struct tt_letter *letter, uint64_t since);
/* Waits a little for mail to move, and takes that look. */
totum_status tt_mail_pause(totum_comm *comm, const struct tt_letter *letter, uint64_t since);
/* The failure of the communicator, in the sentence of a message. */
totum_status tt_letter_failed(const totum_comm *comm, const struct tt_letter *letter);

#endif
