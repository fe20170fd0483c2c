/* SPDX-License-Identifier: BSD-3-Clause */
/* loopback.h - the suite over sockets of this host: the including file says which and how. */
#ifndef LOOPBACK_H
#define LOOPBACK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/suite/suite.h"
#include "transport/tcp.h"

static const struct tt_tcp_options loopback;

/* All listeners are made before the ranks, and each rank closes those of the others. */
struct meeting {
	bool threads;
	struct tt_tcp_listener *listeners[SUITE_RANKS];
	unsigned char blobs[SUITE_RANKS * TT_TCP_BLOB];
};

static void *prepare(int nranks, bool threads)
{
	struct meeting *meeting = calloc(1, sizeof *meeting);

	meeting->threads = threads;
	for (int rank = 0; rank < nranks; rank++)
		if (tt_tcp_listen(&loopback, &meeting->listeners[rank],
				  meeting->blobs + rank * TT_TCP_BLOB)) {
			printf("skipped: %s\n", totum_errmsg());
			exit(77);
		}
	return meeting;
}

static bool meet(void *prepared, struct place *place)
{
	struct meeting *meeting = prepared;
	struct tt_tcp_context *context = calloc(1, sizeof *context);

	for (int rank = 0; rank < place->nranks && !meeting->threads; rank++)
		if (rank != place->rank)
			tt_tcp_unlisten(meeting->listeners[rank]);
	*context = (struct tt_tcp_context){
		.rank = place->rank,
		.nranks = place->nranks,
		.listener = meeting->listeners[place->rank],
		.blobs = meeting->blobs,
		.secret = "the suite's",
		.secret_bytes = 11,
		.timeout_ns = (uint64_t)(place->timeout * 1e9),
	};
	place->context = context;
	place->transport = &tt_transport_tcp;
	place->own = context;
	return true;
}

static void leave(struct place *place)
{
	free(place->own); /* a process's copy of the meeting ends with it */
}

static void forget(void *prepared, int nranks)
{
	struct meeting *meeting = prepared;

	for (int rank = 0; rank < nranks && !meeting->threads; rank++)
		tt_tcp_unlisten(meeting->listeners[rank]);
	free(meeting);
}

#endif
