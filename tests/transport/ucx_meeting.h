/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx_meeting.h - the suite over UCX: the including file says by which of its transports.
 *
 * UCX does not survive a fork, so each rank makes its listener itself and writes its blob to a
 * board that all share.
 */
#ifndef UCX_MEETING_H
#define UCX_MEETING_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "transport/suite/suite.h"
#include "transport/ucx.h"

/*
 * Leaks are looked for in ucx_strangers: here UCX forgets some memory when it cannot reach a peer
 * that has died, and its thread, which may be ending, makes the search itself crash.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static void configure(void); /* the including file's: sets UCX's variables */

struct board {
	bool threads;
	atomic_int written; /* counted behind a blob, read before the blobs are */
	unsigned char blobs[SUITE_RANKS * TT_UCX_BLOB];
};

/* In a process of its own: this one is to fork without UCX. */
static void skip_without_ucx(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		static unsigned char blob[TT_UCX_BLOB];
		struct tt_ucx_listener *listener;
		size_t bytes;
		if (tt_ucx_listen(&listener, blob, &bytes)) {
			printf("skipped: %s\n", totum_errmsg());
			fflush(stdout);
			_exit(77);
		}
		tt_ucx_unlisten(listener);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void *prepare(int nranks, bool threads)
{
	struct board *board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)nranks;
	if (board == MAP_FAILED)
		abort();
	configure();
	skip_without_ucx();
	board->threads = threads;
	return board;
}

static bool meet(void *prepared, struct place *place)
{
	struct board *board = prepared;
	struct tt_ucx_context *context = calloc(1, sizeof *context);
	size_t bytes;
	uint64_t began = tt_clock_ns();

	if (tt_ucx_listen(&context->listener, board->blobs + place->rank * TT_UCX_BLOB, &bytes)) {
		fprintf(stderr, "%s\n", totum_errmsg());
		return false;
	}
	atomic_fetch_add(&board->written, 1); /* pairs with the load below */
	while (atomic_load(&board->written) < place->nranks) {
		if (tt_clock_ns() - began > 60000000000)
			return false;
		nap(0.001);
	}
	context->rank = place->rank;
	context->nranks = place->nranks;
	context->blobs = board->blobs;
	context->stride = TT_UCX_BLOB;
	context->secret = "the suite's";
	context->secret_bytes = 11;
	context->timeout_ns = (uint64_t)(place->timeout * 1e9);
	place->context = context;
	place->transport = &tt_transport_ucx;
	place->own = context;
	return true;
}

static void leave(struct place *place)
{
	free(place->own);
}

static void forget(void *prepared, int nranks)
{
	(void)nranks;
	munmap(prepared, sizeof(struct board));
}

#endif
