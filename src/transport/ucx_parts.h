/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx_parts.h - what the files of the transport share: peers, operations of UCX, the endpoint.
 *
 * UCX calls back from its progress alone; what comes is taken there, and the peer put on the list
 * of those that are served afterwards.
 */
#ifndef TT_UCX_PARTS_H
#define TT_UCX_PARTS_H

#include "transport/transfers.h"
#include "transport/ucx_library.h"
#include "transport/ucx_wire.h"

enum {
	TT_UCX_AM = 1,           /* the id of the active message */
	TT_UCX_IOVS = 32,
	/* eager data of a message: fits one packet of the transports that have small ones */
	TT_UCX_EAGER = 8000,
	/* eager bytes that have not found their place: what a receiver stages at most, and what
	   networks hold of a rank that has left */
	TT_UCX_WINDOW = 32 << 10,
	/* from here on straight into place, once the receive has been started */
	TT_UCX_DIRECT = 32 << 10,
	TT_UCX_LONGEST = 4 << 20, /* of a frame that goes straight */
	TT_UCX_DIRECTS = 4,       /* of them under way to a peer */
	TT_UCX_CONTROLS = 4       /* messages without data under way to a peer */
};

struct tt_ucx_listener {
	const struct tt_ucx_calls *calls;
	ucp_context_h context;
	ucp_worker_h worker;
	int events; /* the worker's own descriptor: readable when something comes */
	unsigned char id[TT_TCP_ID];
};

/* Something that UCX has not finished. */
struct tt_ucx_op {
	struct tt_endpoint *endpoint;
	struct tt_ucx_op *next, **link; /* of the endpoint's */
	struct tt_ucx_peer *peer;
	enum { TT_UCX_CONTROL, TT_UCX_SEND, TT_UCX_RECEIVE } what;
	bool direct;
	uint64_t at; /* in the pair's stream */
	size_t bytes;
	unsigned char head[TT_UCX_HEAD];
	ucp_dt_iov_t *parts;            /* few, or memory of its own */
	ucp_dt_iov_t few[TT_UCX_IOVS];
};

/* Bytes that came before their receive was started. */
struct tt_ucx_chunk {
	struct tt_ucx_chunk *next;
	uint64_t at;
	size_t bytes, taken;
	unsigned char data[];
};

struct tt_ucx_peer {
	struct tt_ucx_card card;
	/* the connection */
	ucp_ep_h ep;               /* NULL: none */
	bool broken;               /* it cannot be used any more, and is to be closed */
	bool greeted, open;        /* a HELLO has gone; both have proved themselves */
	bool dead, gone, left;     /* could not be reached; its connection broke; it said BYE */
	bool heard;                /* it has all that this rank had sent before its BYE */
	bool asks, answers;        /* it waits for HEARD; a PROOF is to be sent */
	unsigned char nonce[TT_TCP_NONCE];    /* this rank's */
	unsigned char answered[TT_TCP_NONCE]; /* the peer's, of the last PROOF that was sent */
	unsigned char mine[TT_TCP_PROOF], theirs[TT_TCP_PROOF];
	uint64_t want_ns, failed_ns, tried_ns, greeted_ns, probe_ns; /* 0: none */
	char why[128];             /* of the last attempt that failed, or of its end */
	/* bytes */
	struct tt_transfers sends, receives;
	struct tt_place cut;       /* what has not been given to UCX */
	uint64_t cut_at;
	uint64_t posted;           /* so far it has started receives */
	uint64_t eager, eager_placed; /* sent so; of these it has placed */
	int directs, controls;     /* under way to it */
	struct tt_ucx_chunk *stage;
	uint64_t staged, arrived, placed; /* bytes on the stage; in all; eager ones in place */
	uint64_t told_posted, told_placed;
	bool queued;
	struct tt_ucx_peer *next_try;
};

struct tt_endpoint {
	int rank, nranks;
	struct tt_ucx_listener *listener;
	const struct tt_ucx_calls *calls;
	ucp_worker_h worker;
	struct tt_ucx_peer *peers;    /* [nranks] */
	unsigned char *addresses;     /* of the cards */
	void *secret;
	size_t secret_bytes;
	uint64_t timeout_ns, timers_ns;
	struct tt_ucx_op *ops, *spare; /* under way; memory for more */
	struct tt_ucx_peer *try_peers;
	bool moved, closing;
	totum_status failed;          /* a sentence has been set */
};

static inline int tt_ucx_rank(const struct tt_endpoint *endpoint, const struct tt_ucx_peer *peer)
{
	return (int)(peer - endpoint->peers);
}

/* --- ucx_op.c -------------------------------------------------------------------------------- */

/* NULL with the endpoint failed when there is no memory. */
struct tt_ucx_op *tt_ucx_op_new(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer);
/* Sends the message with op->bytes in nparts parts, and owns op from now on. */
void tt_ucx_op_send(struct tt_ucx_op *op, const struct tt_ucx_message *message, int nparts);
/* Receives the data of a direct frame into its parts. */
void tt_ucx_op_receive(struct tt_ucx_op *op, void *data, int nparts);
/* A message without data; false when there are too many under way, or no memory. */
bool tt_ucx_say(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer,
		struct tt_ucx_message *message);
void tt_ucx_ops_free(struct tt_endpoint *endpoint);
void tt_ucx_try_peer(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer);

/* --- ucx_connect.c --------------------------------------------------------------------------- */

/* Begins to connect, or goes on, when the peer is not open. */
void tt_ucx_connect(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer, uint64_t now);
void tt_ucx_hear_hello(struct tt_endpoint *endpoint, const struct tt_ucx_message *message);
void tt_ucx_hear_proof(struct tt_endpoint *endpoint, const struct tt_ucx_message *message);
/* Sends what is due of the handshake. */
void tt_ucx_answer(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer);
/* The connection cannot be used any more. */
void tt_ucx_broke(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer, ucs_status_t status);
void tt_ucx_timers(struct tt_endpoint *endpoint, uint64_t now);

/* --- ucx_move.c ------------------------------------------------------------------------------ */

/* Takes whatever comes; the handler of the active message. */
ucs_status_t tt_ucx_heard(void *endpoint, const void *header, size_t header_bytes, void *data,
			  size_t bytes, const ucp_am_recv_param_t *param);
/* New transfers, credits, frames. */
void tt_ucx_serve(struct tt_endpoint *endpoint, struct tt_ucx_peer *peer);
/* UCX is done with it. */
void tt_ucx_moved(struct tt_ucx_op *op);

/* --- ucx_leave.c ----------------------------------------------------------------------------- */

/* A request to be freed when UCX has closed the connection; `gently`: what was sent goes first. */
ucs_status_ptr_t tt_ucx_close(const struct tt_endpoint *endpoint, ucp_ep_h ep, bool gently);
/* The end of all connections, the worker and the context; `done`: what was sent is to arrive. */
void tt_ucx_leave(struct tt_endpoint *endpoint, bool done);

/* --- ucx_failure.c --------------------------------------------------------------------------- */

bool tt_ucx_waits(const struct tt_ucx_peer *peer);
/* Who is waited for and gone, and the deadline. */
totum_status tt_ucx_check(struct tt_endpoint *endpoint, uint64_t idle_since, uint64_t now);

#endif
