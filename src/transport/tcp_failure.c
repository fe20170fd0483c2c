/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_failure - a peer that is waited for and gone, and the deadline.
 *
 * This is asked only when nothing could be moved, so whatever had come from a peer before it went
 * has been taken.  The connections of a peer end together, unless the network cut only one of them:
 * that one's bytes will never come either, and the others are given a second.
 */
#include <stdio.h>
#include <string.h>

#include "transport/tcp_parts.h"

static const uint64_t second = 1000000000;

bool tt_tcp_waits(const struct tt_tcp_peer *peer)
{
	return tt_transfers_wanted(&peer->sends) || tt_transfers_wanted(&peer->receives);
}

static const struct tt_tcp_conn *takes_no_more(const struct tt_endpoint *endpoint,
					       const struct tt_tcp_peer *peer)
{
	for (int i = 0; i < endpoint->streams; i++) {
		const struct tt_tcp_conn *conn = peer->conns[i];
		if (conn && (conn->no_write || conn->ended || conn->hung))
			return conn;
	}
	return NULL;
}

static const struct tt_tcp_conn *brings_no_more(const struct tt_endpoint *endpoint,
						const struct tt_tcp_peer *peer, uint64_t now)
{
	const struct tt_tcp_conn *ended = NULL;
	bool all = true;

	for (int i = 0; i < endpoint->streams; i++) {
		const struct tt_tcp_conn *conn = peer->conns[i];
		if (!conn)
			continue;
		if (conn->ended && (!ended || conn->ended_ns < ended->ended_ns))
			ended = conn;
		all &= conn->ended;
	}
	return ended && (all || now - ended->ended_ns > second) ? ended : NULL;
}

static totum_status check_peer(struct tt_endpoint *endpoint, int rank, uint64_t now)
{
	const struct tt_tcp_peer *peer = &endpoint->peers[rank];
	bool sends = tt_transfers_wanted(&peer->sends),
	     receives = tt_transfers_wanted(&peer->receives);
	const struct tt_tcp_conn *gone = sends ? takes_no_more(endpoint, peer) : NULL;

	if (!gone && receives)
		gone = brings_no_more(endpoint, peer, now);
	if (gone)
		return tt_fail(TOTUM_ELOST,
			       "rank %d on host %s has closed its connection or died "
			       "while rank %d %s it (%s%s%s); see its own output for why",
			       rank, peer->card.host, endpoint->rank,
			       receives ? "waits for" : "sends to", gone->text,
			       gone->error ? ": " : "", gone->error ? strerror(gone->error) : "");
	if ((sends || receives) && peer->dead)
		return tt_fail(TOTUM_ELOST,
			       "rank %d on host %s has ended or died before rank %d "
			       "could connect to it (%s); see its own output for why",
			       rank, peer->card.host, endpoint->rank, peer->why);
	return TOTUM_OK;
}

/* "rank 1 on host a, rank 4 on host b (no connection: ..)"; 0 when nobody is waited for. */
static size_t list_late(const struct tt_endpoint *endpoint, char *list, size_t size)
{
	size_t at = 0;

	for (int rank = 0; rank < endpoint->nranks && at + 220 < size; rank++) {
		const struct tt_tcp_peer *peer = &endpoint->peers[rank];
		if (!tt_tcp_waits(peer))
			continue;
		at += (size_t)snprintf(list + at, size - at, "%srank %d on host %s", at ? ", " : "",
				       rank, peer->card.host);
		if (!peer->conns[0])
			at += (size_t)snprintf(list + at, size - at, " (no connection%s%s)",
					       peer->why[0] ? ", " : "", peer->why);
	}
	return at;
}

totum_status tt_tcp_check(struct tt_endpoint *endpoint, uint64_t idle_since, uint64_t now)
{
	char late[640];

	for (int rank = 0; rank < endpoint->nranks; rank++) {
		totum_status status = check_peer(endpoint, rank, now);
		if (status)
			return status;
	}
	if (now < idle_since || now - idle_since < endpoint->timeout_ns ||
	    !list_late(endpoint, late, sizeof late))
		return TOTUM_OK;
	return tt_fail(TOTUM_ETIMEOUT,
		       "rank %d waited %.3g s for %s; "
		       "find out why these are late, or raise TOTUM_TIMEOUT",
		       endpoint->rank, (double)endpoint->timeout_ns * 1e-9, late);
}
