/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_meeting.h - what goes over a connection of a meeting by TCP.
 *
 *   a rank                                          who keeps the door
 *   HELLO: its rank, a nonce                     ->
 *                                               <-  CHALLENGE: a nonce, proof of the keeper
 *   PROOF: of the rank; TERMS                    ->
 *                                               <-  WELCOME, or FAILURE with a sentence
 *                                               <-  GO when all are there, or FAILURE
 *   DATA of this rank                            -> each round
 *                                               <-  DATA of all ranks, or FAILURE
 *
 * Hello, challenge and proof are those of the transport (transport/tcp_wire.h), from a rank to
 * nobody of the job and on a stream that no transport has: a proof made for one is worth nothing
 * to the other.  In place of the endpoints' ids stands the hash of the job's name.
 */
#ifndef TT_TCP_MEETING_H
#define TT_TCP_MEETING_H

#include "launch/place.h"
#include "launch/terms.h"
#include "transport/tcp_wire.h"

enum {
	TT_MEETING_TERMS = 128,
	TT_MEETING_PROOF = TT_TCP_PROOF + TT_MEETING_TERMS,
	TT_MEETING_HEAD = 16,
	TT_MEETING_SENTENCE = 512
};

/* False when there are no random bytes.  The nonce is fresh each time. */
bool tt_meeting_hello_write(int rank, unsigned char bytes[static TT_TCP_HELLO]);
/* Pure.  What is wrong with the first n bytes of a HELLO, or NULL; the rank when it is whole. */
const char *tt_meeting_hello_read(const unsigned char *bytes, size_t n, int *rank);

void tt_meeting_terms_write(const struct tt_terms *terms,
			    unsigned char bytes[static TT_MEETING_TERMS]);
/* Pure.  All but the rank, which the HELLO has; nothing in them is checked. */
void tt_meeting_terms_read(const unsigned char bytes[static TT_MEETING_TERMS],
			   struct tt_terms *terms);

/* What keeps the job's name and secret for proofs. */
struct tt_meeting_key {
	const char *secret;
	unsigned char name[TT_TCP_ID];
};
struct tt_meeting_key tt_meeting_key(const struct tt_identity *identity,
				     const struct tt_place *place);
/* of a HELLO and the keeper's nonce; borrowed from all three */
struct tt_tcp_proof_of tt_meeting_proof_of(const struct tt_meeting_key *key,
					   const unsigned char *hello, const unsigned char *nonce);

enum tt_meeting_kind {
	TT_MEETING_WELCOME = 'W', /* its round is the rank that keeps the door */
	TT_MEETING_GO = 'G',
	TT_MEETING_DATA = 'D',
	TT_MEETING_FAILURE = 'F' /* its bytes are a sentence without an end, its status is < 0 */
};

struct tt_meeting_head {
	enum tt_meeting_kind kind;
	totum_status status;
	uint32_t round, bytes;
};

void tt_meeting_head_write(const struct tt_meeting_head *head,
			   unsigned char bytes[static TT_MEETING_HEAD]);
/* Pure.  False: these are not the bytes of a head. */
bool tt_meeting_head_read(const unsigned char bytes[static TT_MEETING_HEAD],
			  struct tt_meeting_head *head);
/* What a FAILURE is to this thread, from the head and the bytes behind it. */
totum_status tt_meeting_failed(const struct tt_meeting_head *head, const char *bytes);

/* --- over a socket that does not block ------------------------------------------------------- */

/* This thread's failure as a packet; returns its bytes. */
size_t tt_meeting_failure(totum_status status,
			  unsigned char packet[static TT_MEETING_HEAD + TT_MEETING_SENTENCE]);
/*
 * Waits until all n bytes have moved; n >= 0.  0, or ETIMEDOUT, or ECONNRESET when the other end
 * is gone, or another errno.
 */
int tt_meeting_send(int fd, const void *bytes, size_t n, uint64_t deadline);
int tt_meeting_receive(int fd, void *bytes, size_t n, uint64_t deadline);
/*
 * The next head on fd, whose kind and round must be these; the status and sentence of a FAILURE.
 * TOTUM_ELOST and TOTUM_ETIMEOUT when keeper, the rank that keeps the door, is gone or silent: then
 * head->kind is 0.
 */
totum_status tt_meeting_expect(int fd, enum tt_meeting_kind kind, uint32_t round, int keeper,
			       uint64_t deadline, struct tt_meeting_head *head);

#endif
