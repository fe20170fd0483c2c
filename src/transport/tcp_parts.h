/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_parts.h - what the files of the transport share: connections, peers, the endpoint.
 *
 * Sockets never block and are watched edge-triggered: an event only sets a connection's flags and
 * puts it on the list of those to be tried; a connection comes off the list when it can do nothing
 * until the next event or transfer.
 */
#ifndef TT_TCP_PARTS_H
#define TT_TCP_PARTS_H

#include "transport/tcp_tls.h"
#include "transport/tcp_wire.h"
#include "transport/transfers.h"

enum {
	/* bytes read ahead: small messages need one system call for head and bytes */
	TT_TCP_IN = 4096,
	/* connections of strangers, who have not proved anything, at a time */
	TT_TCP_HALF_OPEN = 128,
	/* longest frame with a checksum, which is read twice and should stay in the cache */
	TT_TCP_CHECKED = 256 << 10,
	TT_TCP_EVENTS = 64,
	/* reads of an answer without an event, some microseconds together */
	TT_TCP_GLANCES = 16,
	/* system calls of a connection before another has its turn */
	TT_TCP_TURNS = 8
};
static const uint64_t tt_tcp_half_open_ns = 2000000000;

struct tt_tcp_listener {
	int n;
	int fds[TT_TCP_ADDRESSES];
	struct tt_tcp_card card;
};

enum tt_tcp_state {
	TT_TCP_CONNECTING,
	TT_TCP_WAIT_TLS,       /* both, when the connection is encrypted */
	TT_TCP_WAIT_HELLO,     /* responder */
	TT_TCP_WAIT_CHALLENGE, /* initiator */
	TT_TCP_WAIT_PROOF,     /* responder */
	TT_TCP_WAIT_READY,     /* initiator that is the lower rank */
	TT_TCP_WAIT_GO,        /* higher rank */
	TT_TCP_OPEN,
	TT_TCP_CLOSED
};

struct tt_tcp_conn {
	struct tt_endpoint *endpoint;
	struct tt_tcp_conn *next, **link;  /* of the endpoint's */
	struct tt_tcp_tls_conn *tls;       /* NULL: in the clear */
	struct tt_tcp_conn *next_try;
	enum tt_tcp_state state;
	int fd;
	bool queued;                       /* is on the list of those to be tried */
	bool readable, writable;           /* as far as is known */
	bool hung;                         /* the other side has closed; there may be bytes left */
	bool ended, no_write;              /* it has been read to its end; it takes no more bytes */
	int error;                         /* why, 0: an orderly end */
	uint64_t ended_ns, opened_ns;
	int peer, stream;                  /* peer -1: not known yet */
	bool initiator;
	int address;                       /* of the peer's card; initiator */
	char text[TT_TCP_TEXT];            /* of the other end */
	unsigned char hello[TT_TCP_HELLO], nonce[TT_TCP_NONCE];
	/* bytes read ahead */
	unsigned char in[TT_TCP_IN];
	size_t in_at, in_end;
	/* the frame that comes */
	bool in_frame;
	struct tt_tcp_frame frame;
	uint64_t frame_at, frame_end;      /* in the pair's stream: next byte, end of the frame */
	uint32_t frame_crc;
	bool staging;                      /* checked in stage first: not all of it has a place */
	unsigned char *stage;              /* TT_TCP_CHECKED bytes, NULL until needed */
	size_t stage_at, staged;
	struct tt_place to;
	/* the frame that goes */
	unsigned char head[TT_TCP_FRAME];
	size_t head_left, out_left;
	uint64_t out_at;
	struct tt_place from;
};

struct tt_tcp_peer {
	struct tt_tcp_card card;
	struct tt_tcp_conn *conns[TT_TCP_STREAMS]; /* NULL: none yet */
	struct tt_transfers sends, receives;
	struct tt_place cut;           /* what has not been given to a connection */
	uint64_t cut_at;
	bool queued;
	struct tt_tcp_peer *next_try;
	/* connecting */
	int attempts;                       /* under way */
	bool refused;                       /* an address of the current round has refused */
	uint64_t round_ns, next_round_ns, refused_since_ns; /* 0: none */
	bool dead;                          /* refuses connections for good */
	char why[128];                      /* of the last attempt that failed */
};

struct tt_endpoint {
	int rank, nranks, streams;
	bool checksum;
	struct tt_tcp_listener *listener;
	int epoll;
	struct tt_tcp_peer *peers; /* [nranks] */
	struct tt_tcp_tls *tls;    /* NULL: in the clear */
	void *secret;
	size_t secret_bytes;
	uint64_t timeout_ns, timers_ns;
	struct tt_tcp_conn *conns;
	int half_open;
	struct tt_tcp_conn *try_conns, *dead_conns;
	struct tt_tcp_peer *try_peers;
	bool moved, doors;         /* something was done; somebody may knock */
	int unlooked;              /* turns since the last look for events */
	int glances;               /* left since something was sent and nothing has come */
	int expecting;             /* peers that receives are under way from */
	struct tt_tcp_peer *expected; /* the last that one was started from; NULL: none was */
	totum_status failed;       /* a sentence has been set */
};

/* --- tcp_conn.c ------------------------------------------------------------------------------ */

/* A connection that owns fd and is watched; NULL with a status set. */
totum_status tt_tcp_conn_new(struct tt_endpoint *endpoint, int fd, enum tt_tcp_state state,
			     struct tt_tcp_conn **out);
/* Closes; it is freed when nothing can point to it any more. */
void tt_tcp_conn_drop(struct tt_tcp_conn *conn);
void tt_tcp_conn_free_dropped(struct tt_endpoint *endpoint);
void tt_tcp_try(struct tt_tcp_conn *conn);
void tt_tcp_try_peer(struct tt_endpoint *endpoint, struct tt_tcp_peer *peer);
/* Like readv and a sendmsg without signals. */
ssize_t tt_tcp_read(struct tt_tcp_conn *conn, const struct iovec *parts, int n);
ssize_t tt_tcp_write(struct tt_tcp_conn *conn, const struct iovec *parts, int n);
/* Reads ahead what fits; false when there was nothing. */
bool tt_tcp_read_ahead(struct tt_tcp_conn *conn);

/* --- tcp_handshake.c, tcp_connect.c ---------------------------------------------------------- */

/* Everybody who knocks is let into the hall. */
totum_status tt_tcp_accept(struct tt_endpoint *endpoint);
/* The next step of a connection that is not open yet. */
void tt_tcp_shake_hands(struct tt_tcp_conn *conn);
/* Ends an attempt or a stranger's visit, with its reason. */
void tt_tcp_give_up(struct tt_tcp_conn *conn, const char *why, bool refused);
/* The last step: the connection carries stream conn->stream from now on. */
void tt_tcp_opened(struct tt_tcp_conn *conn);
/* Begins to connect when there is no connection and nothing under way. */
void tt_tcp_want(struct tt_endpoint *endpoint, int peer, uint64_t now);
/* One stream to a known address of the peer. */
void tt_tcp_dial(struct tt_endpoint *endpoint, int peer, int stream, int address);
/* Deadlines of strangers, rounds of attempts. */
void tt_tcp_timers(struct tt_endpoint *endpoint, uint64_t now);

/* --- tcp_move.c ------------------------------------------------------------------------------ */

/* Ends the transfers at the head that have moved. */
void tt_tcp_finish(struct tt_endpoint *endpoint, struct tt_tcp_peer *peer);
/* Moves what an open connection can move. */
totum_status tt_tcp_move(struct tt_tcp_conn *conn);

/* --- tcp_failure.c --------------------------------------------------------------------------- */

/* Is there a transfer of the peer that is not done, and not idle? */
bool tt_tcp_waits(const struct tt_tcp_peer *peer);
/* Who is waited for and gone, and the deadline. */
totum_status tt_tcp_check(struct tt_endpoint *endpoint, uint64_t idle_since, uint64_t now);

#endif
