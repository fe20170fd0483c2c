/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx_wire.h - the blob of a listener, and the messages of the transport.  Little endian; every
 * field is checked.
 *
 * A message is the header of an active message, and only a FRAME has data behind it.
 *
 *   HELLO   from a rank that wants to move something: who, to whom, a nonce
 *   PROOF   the answer to a HELLO, and to the first PROOF: both nonces and the sender's proof
 *   FRAME   bytes of the pair's stream and where in it they belong
 *   CREDIT  how far receives have been started, and how many eager bytes have found their place
 *   BYE     there will be no more; the other one says HEARD when all that was before it has come
 *
 * A proof is that of tcp (tcp_wire.h), where the lower rank is the initiator: HMAC-SHA256, by the
 * job's secret, of both ranks, both nonces and the ids of both endpoints.  UCX does not say who
 * sent a message; so whatever comes behind the proofs carries the first half of its sender's, and
 * without it is not believed.  Nobody can know that but who has read what went between these two.
 */
#ifndef TT_UCX_WIRE_H
#define TT_UCX_WIRE_H

#include "transport/tcp_wire.h"
#include "transport/ucx.h"

enum { TT_UCX_TOKEN = 16, TT_UCX_HEAD = 104 };

enum tt_ucx_kind {
	TT_UCX_HELLO = 1,
	TT_UCX_PROOF,
	TT_UCX_FRAME,
	TT_UCX_CREDIT,
	TT_UCX_BYE,
	TT_UCX_HEARD
};

struct tt_ucx_message {
	enum tt_ucx_kind kind;
	int from;
	int nranks, to;                                        /* HELLO */
	unsigned char nonce[TT_TCP_NONCE], echo[TT_TCP_NONCE]; /* HELLO, PROOF: own; PROOF: other's */
	unsigned char proof[TT_TCP_PROOF];                     /* PROOF; behind it the token only */
	uint64_t at;                                           /* FRAME: its place */
	uint64_t posted, placed;                               /* CREDIT */
};

/* Returns the length of the header. */
size_t tt_ucx_message_write(const struct tt_ucx_message *message,
			    unsigned char bytes[static TT_UCX_HEAD]);
/* Pure.  What is wrong with a header of n bytes that came to rank `to` of nranks, or NULL. */
const char *tt_ucx_message_read(const unsigned char *bytes, size_t n, int to, int nranks,
				struct tt_ucx_message *message);

/* Of two ranks: [0] is the lower one's. */
struct tt_ucx_pair {
	int nranks, ranks[2];
	const unsigned char *nonces[2], *ids[2];
	const void *secret;
	size_t secret_bytes;
};
/* False when the cryptographic library refuses. */
bool tt_ucx_prove(const struct tt_ucx_pair *pair, bool lower,
		  unsigned char proof[static TT_TCP_PROOF]);
bool tt_ucx_same(const unsigned char *a, const unsigned char *b, size_t bytes);

/* What a blob says. */
struct tt_ucx_card {
	unsigned char id[TT_TCP_ID]; /* random: this endpoint and no other */
	char host[TT_TCP_HOST];
	const unsigned char *address; /* UCX's own, in the blob */
	size_t bytes;
};

enum { TT_UCX_ADDRESS = TT_UCX_BLOB - 8 - TT_TCP_ID - TT_TCP_HOST };

/* card->bytes is at most TT_UCX_ADDRESS.  Returns the length of the blob. */
size_t tt_ucx_card_write(const struct tt_ucx_card *card, unsigned char blob[static TT_UCX_BLOB]);
/* Pure; a blob that has n bytes at most.  TOTUM_EINVAL with a sentence. */
totum_status tt_ucx_card_read(const unsigned char *blob, size_t n, struct tt_ucx_card *card);

#endif
