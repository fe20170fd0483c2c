/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * suite.h - what every transport must do, whatever carries its bytes: the contract of transport.h
 * as a program.
 *
 * A transport inherits the suite by a file that defines `world`: how the ranks of a case come to a
 * context that the transport opens from.  Each case is run by as many ranks as it says, in a world
 * of its own; the ranks are processes, so that one of them can be killed, or threads with
 * --threads, which the thread sanitizer can see.
 */
#ifndef SUITE_H
#define SUITE_H

#include <stdbool.h>
#include <stdint.h>

#include "transport/transport.h"

enum { SUITE_RANKS = 16 };

/* A rank in a world. */
struct place {
	int rank, nranks;
	double timeout; /* seconds, for the transport's deadline */
	/* set by world.meet: */
	const struct tt_transport *transport;
	const void *context; /* it opens from */
	void *own;           /* the world's */
	/* the suite's: */
	struct tt_endpoint *endpoint;
	uint64_t random;
};

struct world {
	const char *name;
	/* Before the ranks are; in the process that will fork them, or whose threads they are. */
	void *(*prepare)(int nranks, bool threads);
	/* On every rank; false after a message on standard error. */
	bool (*meet)(void *prepared, struct place *place);
	/* On every rank, after the endpoint is closed. */
	void (*leave)(struct place *place);
	/* Once, where prepare was called, when processes are forked, or threads have ended. */
	void (*forget)(void *prepared, int nranks);
};
extern const struct world world;

struct test_case {
	const char *name;
	int nranks;
	double timeout; /* of the transport, in seconds; 0: 60 */
	int victim;     /* this rank may be killed, which only processes can; 0: none */
	void (*run)(struct place *place);
	/* under chaos only: the victim kills itself at one of its first so many pieces */
	uint64_t killed_within;
	uint64_t fails_within; /* under chaos only: rank 1 fails likewise */
};
extern const struct test_case cases[]; /* ends with a NULL name */

/* --- for cases ------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3), noreturn))
void fail(const struct place *place, const char *format, ...);
void ok(const struct place *place, totum_status status);
/* A number below `below`, from the rank's own sequence. */
uint64_t pick(struct place *place, uint64_t below);
void nap(double seconds);
/* A word from one rank to others past the transport, once in a case: said, and waited for. */
void say(void);
void hear(void);
bool chaotic(void);

/* A run of bytes whose values depend on sender, receiver, number and index; guards around it. */
struct message {
	struct tt_transfer_state transfer;
	struct tt_span *spans;
	unsigned char *block, *bytes;
	size_t size;
	int from, to, number;
};
/* Made, cut into about nspans spans at random (some of them empty), and started. */
struct message *message_send(struct place *place, int to, int number, size_t size, int nspans);
struct message *message_receive(struct place *place, int from, int number, size_t size, int nspans);
/* The bytes of a message that is done, and the guards of any. */
void message_check(const struct place *place, const struct message *message);
void message_free(const struct place *place, struct message *message);

/* Goes on until all n are done, or the transport fails. */
totum_status finish(struct place *place, struct message *const *messages, int n);
/* finish, which must succeed, check and free. */
void complete(struct place *place, struct message **messages, int n);
/* finish, which must fail with `wanted` and a sentence that names `rank`. */
void must_fail(struct place *place, struct message *const *messages, int n, totum_status wanted,
	       int rank);

#endif
