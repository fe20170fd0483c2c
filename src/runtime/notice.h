/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * notice.h - what ranks of different hosts say to each other when something is wrong: small letters
 * of fixed length, on a way of their own, so that they never stand behind bytes that do not move.
 *
 *   FAILURE   the communicator has failed, with its sentence; one rank of a host tells all others
 *   QUESTION  I have been waiting for you for a while, in this call: which is yours?
 *   STATE     the answer
 *   SHRINK    of this host so many live, and their cards follow; none: this rank has given up
 *
 * On one host the shared head and the desks say all this.  Nobody connects for a notice before
 * something is wrong.  A question and its answer carry the fingerprints of calls, so that ranks
 * which wait for each other because they made different calls find out.
 */
#ifndef TT_NOTICE_H
#define TT_NOTICE_H

#include "host/host.h"
#include "transport/transport.h"

struct totum_comm;

/* Made with the first call between hosts. */
struct tt_notices;
totum_status tt_notices_open(struct totum_comm *comm);
void tt_notices_close(struct totum_comm *comm); /* not open is legal */

/* A call begins, behind tt_host_begin: remembered, to be compared with those of peers that ask. */
void tt_notices_call(struct totum_comm *comm, const struct tt_fingerprint *call);
/* Number of this rank's latest call between hosts: equal calls have equal numbers everywhere. */
uint64_t tt_notices_number(const struct totum_comm *comm);
/* The fingerprint of this rank's call of that number; NULL when it has been forgotten or is to come. */
const struct tt_fingerprint *tt_notices_recall(const struct totum_comm *comm, uint64_t number);
/* Reads what has come and answers.  A failure told or found is that of the communicator. */
totum_status tt_notices_go(struct totum_comm *comm);
/* This rank has been waiting for a while: are those of its host in the same calls? */
totum_status tt_notices_look(struct totum_comm *comm);
/* Whom this rank waits for, -1: nobody; it is told to those that ask. */
void tt_notices_show_wait(struct totum_comm *comm, int peer);
/*
 * This rank waits for peer, of another host, since a while: asks it now and then, and shows that it
 * waits for it.
 */
void tt_notices_ask(struct totum_comm *comm, int peer);
/* Has peer, of another host, said that it waits for another one than this rank? */
bool tt_notices_waits(const struct totum_comm *comm, int peer);
/*
 * If the communicator has failed, tells the ranks of other hosts, once a host; does nothing when
 * there are none.  Takes as long as they need to listen, at most a second.  status is what this
 * rank is about to return; its sentence stays.
 */
void tt_notices_tell(struct totum_comm *comm, totum_status status);
/* What survivors of one host say to those of another: who they are, and how they are reached. */
struct tt_card;
struct tt_survivors {
	int n;
	int *ranks;            /* [n], ascending; malloc */
	struct tt_card *cards; /* [n], malloc */
};
/*
 * The communicator has failed.  Collective over the lowest survivors of all hosts: mine are those
 * of this host, borrowed; `all` becomes those of all hosts, in order of rank.  A host is left out
 * when nobody on it lives.  Waits until the deadline for one who lives but does not come;
 * TOTUM_ELOST when one has given up.  When it fails it gives up itself, and closes the notices.
 */
totum_status tt_notices_trade(struct totum_comm *comm, const struct tt_survivors *mine,
			      struct tt_survivors *all);
/*
 * This rank's shrink has failed with status, whose sentence stays: the lowest survivors of other
 * hosts need not wait for it.  Takes at most a second.
 */
void tt_notices_give_up(struct totum_comm *comm, totum_status status);

/*
 * ", in call 4, barrier(), waits for rank 2" as far as the peer has said, or ", has not answered".
 */
enum { TT_NOTICE_TEXT = 192 };
const char *tt_notices_describe(const struct totum_comm *comm, int peer,
				char out[static TT_NOTICE_TEXT]);

#endif
