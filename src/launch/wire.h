/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h - the packets of the rendezvous and their local socket; one packet, one message. */
#ifndef TT_WIRE_H
#define TT_WIRE_H

#include "launch/terms.h"

/* From a rank to rank 0. */
struct tt_hello {
	uint64_t magic;
	int32_t rank, nranks;
	char secret[TT_SECRET];
	char algo[TT_ALGO];
};

/* From rank 0 to a rank, and back once joined: a status, its sentence, perhaps descriptors. */
struct tt_answer {
	int32_t status;
	char sentence[512];
};

extern const uint64_t tt_wire_magic;

/* A root's socket: listening (rank 0) and connected (others).  Deadlines are tt_clock_ns(). */
totum_status tt_wire_listen(const char *root, int *fd);
totum_status tt_wire_connect(const char *root, uint64_t deadline, int *fd);
/* Is the process at the other end of this user? */
bool tt_wire_same_user(int fd);

/* Blocking with a deadline; TOTUM_ETIMEOUT, or TOTUM_ELOST when the other end is gone. */
totum_status tt_wire_receive(int fd, void *packet, size_t bytes, uint64_t deadline);
/* TOTUM_ELOST: the other end has gone. */
totum_status tt_wire_send(int fd, const void *packet, size_t bytes);
/*
 * Sends the status given, with this thread's sentence when it is a failure, which stays the
 * sentence whether or not anybody hears it; fds may be NULL.
 */
totum_status tt_wire_answer(int fd, totum_status status, const int fds[2]);
/* The status of rank from's answer, its sentence set; fds (may be NULL) are -1 unless two came. */
totum_status tt_wire_answered(int fd, int from, uint64_t deadline, int fds[2]);

#endif
