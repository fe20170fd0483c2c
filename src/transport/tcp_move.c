/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_move - frames: straight from the sender's spans into the socket, and from the
 * socket into the receiver's.
 *
 * A connection that is free takes the next bytes of the stream as its frame; what has been cut
 * is never given to another one.  A frame's bytes may belong to receives that have not been
 * started: then they stay in the socket, and the network holds the sender back.  Since every
 * connection carries its frames in the order of the stream, the first byte that is missing is
 * always at the front of one of them, and nothing can wait in a circle.  Only the TT_TCP_IN
 * bytes behind a head are copied once more.
 *
 * Bytes with a checksum count when the whole frame has been checked.  A frame that reaches beyond
 * what has been asked for is checked on a stage, since the receiver may ask for its end only when
 * it has seen its beginning.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "transport/crc32c.h"
#include "transport/tcp_parts.h"

enum {
	IOVS = 64,
	STRIPE = 128 << 10,      /* a frame is at least so long before others share the load */
	LONGEST_STRIPE = 1 << 20
};

static uint32_t crc_of(struct tt_place cursor, uint64_t bytes, uint32_t crc)
{
	tt_place_settle(&cursor);
	while (bytes) {
		struct tt_span run = tt_place_run(&cursor, bytes);
		crc = tt_crc32c(crc, run.at, run.bytes);
		cursor.in_span += run.bytes;
		bytes -= run.bytes;
		tt_place_settle(&cursor);
	}
	return crc;
}

void tt_tcp_finish(struct tt_endpoint *endpoint, struct tt_tcp_peer *peer)
{
	struct tt_transfer_state *transfer;
	bool expected = peer->receives.head;

	while ((transfer = peer->sends.head) && tt_transfers_pop(&peer->sends)) {
		tt_place_leave(&peer->cut, transfer);
		for (int i = 0; i < endpoint->streams; i++)
			if (peer->conns[i])
				tt_place_leave(&peer->conns[i]->from, transfer);
		transfer->done = true;
		endpoint->moved = true;
		endpoint->glances = TT_TCP_GLANCES;
	}
	while ((transfer = peer->receives.head) && tt_transfers_pop(&peer->receives)) {
		for (int i = 0; i < endpoint->streams; i++)
			if (peer->conns[i])
				tt_place_leave(&peer->conns[i]->to, transfer);
		transfer->done = true;
		endpoint->moved = true;
		endpoint->glances = 0;
	}
	endpoint->expecting -= expected && !peer->receives.head;
}

/* --- out ------------------------------------------------------------------------------------- */

static void cut_frame(struct tt_tcp_conn *conn, struct tt_tcp_peer *peer)
{
	struct tt_endpoint *endpoint = conn->endpoint;
	uint64_t bytes = peer->sends.end - peer->cut_at, most = TT_TCP_LONGEST;

	if (endpoint->streams > 1) {
		most = bytes / (uint64_t)endpoint->streams;
		most = most < STRIPE ? STRIPE : most > LONGEST_STRIPE ? LONGEST_STRIPE : most;
	}
	if (endpoint->checksum && most > TT_TCP_CHECKED)
		most = TT_TCP_CHECKED;
	bytes = bytes < most ? bytes : most;
	struct tt_tcp_frame frame = {.bytes = (uint32_t)bytes, .at = peer->cut_at};
	if (!peer->cut.transfer)
		peer->cut = tt_transfers_find(&peer->sends, peer->cut_at);
	if (endpoint->checksum)
		frame.crc = crc_of(peer->cut, bytes, 0);
	tt_tcp_frame_write(&frame, endpoint->checksum, conn->head);
	conn->head_left = TT_TCP_FRAME;
	conn->out_left = bytes;
	conn->out_at = peer->cut_at;
	conn->from = peer->cut;
	tt_place_skip(&peer->cut, bytes);
	peer->cut_at += bytes;
}

/* A part of the frame; false when the socket takes no more. */
static bool send_some(struct tt_tcp_conn *conn, struct tt_tcp_peer *peer)
{
	struct iovec parts[IOVS];
	int n = conn->head_left != 0;

	parts[0] = (struct iovec){conn->head + TT_TCP_FRAME - conn->head_left, conn->head_left};
	n += tt_place_vector(conn->from, conn->out_left, parts + n, IOVS - n);
	ssize_t sent = tt_tcp_write(conn, parts, n);
	if (sent < 0 && errno == EINTR)
		return true;
	if (sent < 0) {
		conn->writable = false;
		if (errno != EAGAIN) {
			conn->no_write = true;
			conn->error = errno;
		}
		return false;
	}
	size_t head = (size_t)sent < conn->head_left ? (size_t)sent : conn->head_left,
	       bytes = (size_t)sent - head;
	conn->head_left -= head;
	if (bytes) {
		tt_transfers_credit(&peer->sends, conn->out_at, bytes);
		tt_place_skip(&conn->from, bytes);
		conn->out_at += bytes;
		conn->out_left -= bytes;
	}
	conn->endpoint->moved = true;
	return true;
}

/* True when there may be more to do at once. */
static bool move_out(struct tt_tcp_conn *conn, struct tt_tcp_peer *peer)
{
	int turns = 0;

	while (conn->writable && !conn->no_write && turns++ < TT_TCP_TURNS) {
		if (!conn->head_left && !conn->out_left) {
			if (peer->cut_at == peer->sends.end)
				return false;
			cut_frame(conn, peer);
		}
		if (!send_some(conn, peer))
			return false;
	}
	return turns > TT_TCP_TURNS;
}

/* --- in -------------------------------------------------------------------------------------- */

static totum_status bad_frame(const struct tt_tcp_conn *conn, const char *why)
{
	const struct tt_endpoint *endpoint = conn->endpoint;

	return tt_fail(TOTUM_ESYSTEM,
		       "what rank %d gets from rank %d on host %s (%s) is damaged: %s; "
		       "look at this link, its drivers and its hosts' memory",
		       endpoint->rank, conn->peer, endpoint->peers[conn->peer].card.host,
		       conn->text, why);
}

static totum_status begin_frame(struct tt_tcp_conn *conn, struct tt_tcp_peer *peer)
{
	const struct tt_endpoint *endpoint = conn->endpoint;
	const char *wrong = tt_tcp_frame_read(conn->in + conn->in_at, endpoint->checksum,
					      conn->frame_end, endpoint->streams == 1,
					      &conn->frame);

	if (!wrong && endpoint->checksum && conn->frame.bytes > TT_TCP_CHECKED)
		wrong = "a frame has an impossible length";
	if (!wrong && peer->receives.head && conn->frame.at < peer->receives.head->begins)
		wrong = "a frame comes twice";
	if (wrong)
		return bad_frame(conn, wrong);
	conn->in_at += TT_TCP_FRAME;
	conn->frame_at = conn->frame.at;
	conn->frame_end = conn->frame.at + conn->frame.bytes;
	conn->frame_crc = 0;
	conn->in_frame = true;
	conn->to.transfer = NULL;
	conn->staging = endpoint->checksum && conn->frame_end > peer->receives.end;
	conn->stage_at = conn->staged = 0;
	if (conn->staging && !conn->stage)
		conn->stage = malloc(TT_TCP_CHECKED);
	return conn->staging && !conn->stage
		       ? tt_fail_memory(TT_TCP_CHECKED, "a frame that is checked")
		       : TOTUM_OK;
}

/* `bytes` of the frame have come to the cursor; with a checksum they count once it is whole. */
static totum_status arrived(struct tt_tcp_conn *conn, struct tt_tcp_peer *peer, size_t bytes)
{
	bool checksum = conn->endpoint->checksum && !conn->staging;

	if (checksum)
		conn->frame_crc = crc_of(conn->to, bytes, conn->frame_crc);
	tt_place_skip(&conn->to, bytes);
	conn->frame_at += bytes;
	conn->endpoint->moved = true;
	bool whole = conn->frame_at == conn->frame_end;
	if (whole && checksum && conn->frame_crc != conn->frame.crc)
		return bad_frame(conn, "the bytes of a frame have a wrong checksum");
	if (whole)
		conn->in_frame = false;
	if (checksum && !whole)
		return TOTUM_OK;
	if (!tt_transfers_credit(&peer->receives, checksum ? conn->frame.at : conn->frame_at - bytes,
		    checksum ? conn->frame.bytes : bytes))
		return bad_frame(conn, "a part of a frame comes twice");
	return TOTUM_OK;
}

/* Into place, from what has been read ahead or staged. */
static size_t place(struct tt_tcp_conn *conn, const unsigned char *from, size_t ahead,
		    uint64_t room)
{
	size_t bytes = ahead < room ? ahead : (size_t)room;

	tt_place_put(conn->to, from, bytes);
	return bytes;
}

/* The rest of a frame onto the stage; *more is false when it must wait for the network. */
static totum_status stage(struct tt_tcp_conn *conn, bool *more)
{
	size_t ahead = conn->in_end - conn->in_at, missing = conn->frame.bytes - conn->staged;

	if (!ahead) {
		*more = tt_tcp_read_ahead(conn);
		return TOTUM_OK;
	}
	ahead = ahead < missing ? ahead : missing;
	memcpy(conn->stage + conn->staged, conn->in + conn->in_at, ahead);
	conn->in_at += ahead;
	conn->staged += ahead;
	conn->endpoint->moved = true;
	if (conn->staged == conn->frame.bytes &&
	    tt_crc32c(0, conn->stage, conn->staged) != conn->frame.crc)
		return bad_frame(conn, "the bytes of a frame have a wrong checksum");
	return TOTUM_OK;
}

/* Into place and, when the frame ends in it, a little ahead; returns the bytes in place or 0. */
static size_t read_into_place(struct tt_tcp_conn *conn, uint64_t room)
{
	struct iovec parts[IOVS];
	int n = tt_place_vector(conn->to, room, parts, IOVS - 1);
	uint64_t asked = 0;

	for (int i = 0; i < n; i++)
		asked += parts[i].iov_len;
	if (asked == conn->frame_end - conn->frame_at)
		parts[n++] = (struct iovec){conn->in, TT_TCP_IN};
	ssize_t got = tt_tcp_read(conn, parts, n);
	if (got < 0 && errno == EINTR)
		return 0;
	if (got <= 0) {
		conn->readable = false;
		if (got < 0 && errno == EAGAIN)
			return 0;
		conn->ended = true;
		conn->error = got < 0 ? errno : 0;
		conn->ended_ns = tt_clock_ns();
		return 0;
	}
	size_t placed = (uint64_t)got < asked ? (size_t)got : (size_t)asked;
	conn->in_at = 0;
	conn->in_end = (size_t)got - placed;
	return placed;
}

/* Some bytes of the frame; *more is false when it must wait for the network or for a receive. */
static totum_status read_frame(struct tt_tcp_conn *conn, struct tt_tcp_peer *peer, bool *more)
{
	uint64_t posted = peer->receives.end,
		 room = posted > conn->frame_at ? posted - conn->frame_at : 0;

	if (room > conn->frame_end - conn->frame_at)
		room = conn->frame_end - conn->frame_at;
	if (conn->staging && conn->staged < conn->frame.bytes)
		return stage(conn, more);
	*more = room && (conn->staging || conn->in_end > conn->in_at || conn->readable);
	if (!*more)
		return TOTUM_OK;
	tt_place_settle(&conn->to);
	if (!conn->to.transfer)
		conn->to = tt_transfers_find(&peer->receives, conn->frame_at);
	size_t bytes;
	if (conn->staging) {
		bytes = place(conn, conn->stage + conn->stage_at, conn->staged - conn->stage_at,
			      room);
		conn->stage_at += bytes;
	} else if (conn->in_end > conn->in_at) {
		bytes = place(conn, conn->in + conn->in_at, conn->in_end - conn->in_at, room);
		conn->in_at += bytes;
	} else {
		bytes = read_into_place(conn, room);
	}
	return bytes ? arrived(conn, peer, bytes) : TOTUM_OK;
}

static totum_status move_in(struct tt_tcp_conn *conn, struct tt_tcp_peer *peer, bool *again)
{
	totum_status status = TOTUM_OK;

	*again = true;
	for (int turns = 0; turns < 2 * TT_TCP_TURNS && !status; turns++) {
		bool more = true;
		if (conn->in_frame)
			status = read_frame(conn, peer, &more);
		else if (conn->in_end - conn->in_at >= TT_TCP_FRAME)
			status = begin_frame(conn, peer);
		else
			more = tt_tcp_read_ahead(conn);
		if (!more) {
			*again = false;
			break;
		}
	}
	return status;
}

totum_status tt_tcp_move(struct tt_tcp_conn *conn)
{
	struct tt_endpoint *endpoint = conn->endpoint;
	struct tt_tcp_peer *peer = &endpoint->peers[conn->peer];
	bool again_in, again_out = move_out(conn, peer);
	totum_status status = move_in(conn, peer, &again_in);

	tt_tcp_finish(endpoint, peer);
	if (again_in || again_out)
		tt_tcp_try(conn);
	return status;
}
