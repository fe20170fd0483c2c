/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ucx_failure - a peer that is waited for and gone, and the deadline.
 *
 * This is asked only when nothing could be moved, so whatever had come from a peer before it went
 * has been taken.
 */
#include <stdio.h>

#include "transport/ucx_parts.h"

bool tt_ucx_waits(const struct tt_ucx_peer *peer)
{
	return tt_transfers_wanted(&peer->sends) || tt_transfers_wanted(&peer->receives);
}

static totum_status check_peer(struct tt_endpoint *endpoint, int rank)
{
	const struct tt_ucx_peer *peer = &endpoint->peers[rank];
	bool receives = tt_transfers_wanted(&peer->receives);

	if (!tt_ucx_waits(peer))
		return TOTUM_OK;
	if (peer->gone || peer->left)
		return tt_fail(TOTUM_ELOST,
			       "rank %d on host %s has closed its connection or died "
			       "while rank %d %s it%s%s%s; see its own output for why",
			       rank, peer->card.host, endpoint->rank,
			       receives ? "waits for" : "sends to", peer->why[0] ? " (" : "",
			       peer->why, peer->why[0] ? ")" : "");
	if (peer->dead)
		return tt_fail(TOTUM_ELOST,
			       "rank %d on host %s has ended or died before rank %d "
			       "could connect to it (%s); see its own output for why",
			       rank, peer->card.host, endpoint->rank, peer->why);
	return TOTUM_OK;
}

/* "rank 1 on host a, rank 4 on host b (no connection, ..)"; 0 when nobody is waited for. */
static size_t list_late(const struct tt_endpoint *endpoint, char *list, size_t size)
{
	size_t at = 0;

	for (int rank = 0; rank < endpoint->nranks && at + 220 < size; rank++) {
		const struct tt_ucx_peer *peer = &endpoint->peers[rank];
		if (!tt_ucx_waits(peer))
			continue;
		at += (size_t)snprintf(list + at, size - at, "%srank %d on host %s", at ? ", " : "",
				       rank, peer->card.host);
		if (!peer->open)
			at += (size_t)snprintf(list + at, size - at, " (no connection%s%s)",
					       peer->why[0] ? ", " : "", peer->why);
	}
	return at;
}

totum_status tt_ucx_check(struct tt_endpoint *endpoint, uint64_t idle_since, uint64_t now)
{
	char late[640];

	for (int rank = 0; rank < endpoint->nranks; rank++) {
		totum_status status = check_peer(endpoint, rank);
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
