/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_wire.h - what goes over a connection: the handshake, then frames.  Little endian; every field
 * is checked.
 *
 *   initiator                                       responder
 *   HELLO: who, to whom, which stream, a nonce  ->
 *                                              <-   CHALLENGE: a nonce, proof of the responder
 *   PROOF: of the initiator                     ->
 *                                              <-   READY, when the responder is the higher rank
 *   GO, or nothing and the end                 <- ->  from the lower rank
 *   frames                                     <- ->  frames
 *
 * A proof is HMAC-SHA256, by the job's secret, of whose proof it is, the HELLO, the responder's
 * nonce and the ids of both endpoints: it holds for these two ranks in these two endpoints and this
 * connection, and is worth nothing in another one.  Of connections that race - several addresses,
 * or both sides at once - the lower rank alone chooses, by its GO.
 *
 * After the handshake what one rank sends to another is a stream of bytes, cut into frames that say
 * where in it they belong, so that several connections can carry it.
 */
#ifndef TT_TCP_WIRE_H
#define TT_TCP_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/tcp_address.h"

enum {
	TT_TCP_NONCE = 32,
	TT_TCP_PROOF = 32,
	TT_TCP_HELLO = 64,
	TT_TCP_CHALLENGE = TT_TCP_NONCE + TT_TCP_PROOF,
	TT_TCP_WORD = 8, /* READY and GO */
	TT_TCP_FRAME = 24,
	TT_TCP_LONGEST = 1 << 30 /* bytes of a frame */
};

struct tt_tcp_hello {
	int nranks, from, to, stream;
	unsigned char nonce[TT_TCP_NONCE];
};

void tt_tcp_hello_write(const struct tt_tcp_hello *hello, unsigned char bytes[static TT_TCP_HELLO]);
/*
 * Pure.  What is wrong with the first n bytes of a HELLO to rank `to` of nranks, in a few words;
 * NULL: nothing so far, and with all TT_TCP_HELLO bytes *hello is filled.
 */
const char *tt_tcp_hello_read(const unsigned char *bytes, size_t n, int to, int nranks, int streams,
			      struct tt_tcp_hello *hello);

extern const unsigned char tt_tcp_ready[TT_TCP_WORD], tt_tcp_go[TT_TCP_WORD];

/* What a proof is made from; ids are those of the endpoints' cards. */
struct tt_tcp_proof_of {
	const void *secret;
	size_t secret_bytes;
	const unsigned char *hello, *nonce; /* of the initiator, of the responder */
	const unsigned char *initiator_id, *responder_id;
};
/* False when the cryptographic library refuses. */
bool tt_tcp_prove(const struct tt_tcp_proof_of *of, bool initiator,
		  unsigned char proof[static TT_TCP_PROOF]);
bool tt_tcp_proves(const struct tt_tcp_proof_of *of, bool initiator,
		   const unsigned char proof[static TT_TCP_PROOF]);

struct tt_tcp_frame {
	uint32_t bytes; /* 1..TT_TCP_LONGEST */
	uint64_t at;    /* in the pair's stream */
	uint32_t crc;   /* of the bytes, where checksums are on */
};

void tt_tcp_frame_write(const struct tt_tcp_frame *frame, bool checksum,
			unsigned char bytes[static TT_TCP_FRAME]);
/*
 * Pure.  A frame on a connection whose frames so far end at `after`; `exact`: it must begin there,
 * because there is one connection.  What is wrong with it, or NULL.
 */
const char *tt_tcp_frame_read(const unsigned char bytes[static TT_TCP_FRAME], bool checksum,
			      uint64_t after, bool exact, struct tt_tcp_frame *frame);

#endif
