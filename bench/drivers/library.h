/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * library.h - what a measured library looks like to the driver: five functions, one file a library.
 *
 * The driver (driver.c) owns everything that must be the same for all: sizes, contents, checks,
 * clocks and the order of things.  A shim (totum.c, mpi.c, oneccl.cpp, gloo.c, limit.c, link.c)
 * translates a call and nothing more.  All functions end the process with a sentence by driver_fail
 * when the library refuses.
 */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum collective { ALLGATHER, REDUCE_SCATTER, ALLREDUCE, BROADCAST, ALLTOALL, BARRIER, COLLECTIVES };

/* Where the buffers lie.  PRIVATE is the driver's own memory; the others are a shim's affair. */
enum memory { PRIVATE, SHARED, WINDOW, PLAIN_COPY, STREAMED_COPY, FLAGS, RING, CHAIN, MEMORIES };

enum { VERSION_TEXT = 200 };

struct job {
	int rank, nranks;
	char version[VERSION_TEXT]; /* one line: the library's name and version as it tells them */
};

/*
 * count is in bytes, of reductions in f32 (which are summed): what a rank contributes to ALLGATHER,
 * gets from REDUCE_SCATTER, sends to each rank in ALLTOALL; the whole message of ALLREDUCE and
 * BROADCAST.  The root is rank 0, and a BROADCAST works in recv on all ranks (send == recv).
 */
struct call {
	enum collective what;
	enum memory memory;
	size_t count;
	const struct job *job;
	void *send, *recv;
};

/* Joins the job.  Collective, the first call of all. */
void library_start(struct job *job);
/*
 * Points call->send and call->recv to memory of the kind call->memory, which is not PRIVATE; it
 * lasts until the next such call of that kind or to the end.  Collective.  False when the library
 * has none for such a call.
 */
bool library_memory(struct call *call, size_t send_bytes, size_t recv_bytes);
/* Makes ready what calls with these arguments need; frees what was made for the last. */
void library_prepare(const struct call *call);
/* Does the collective once and returns when recv holds the result. */
void library_call(const struct call *call);
/* Leaves the job.  Collective. */
void library_end(void);

/* Runs the commands that come through the socket named by COMPARE_SOCKET; returns the exit code. */
int driver_run(void);
/* Tells bench/compare the sentence, and ends the process. */
__attribute__((format(printf, 1, 2), noreturn)) void driver_fail(const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
