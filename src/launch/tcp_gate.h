/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcp_gate.h - who keeps the door of a meeting by TCP, and who knocks at it.
 *
 * The keeper is rank 0, or the rank whose process made a unique id.
 */
#ifndef TT_TCP_GATE_H
#define TT_TCP_GATE_H

#include "launch/exchange_parts.h"
#include "launch/place.h"

/* Sockets that listen. */
struct tt_doors {
	int n;
	int fds[TT_PLACES];
};

/*
 * On the addresses that the place names, where this host has them, else on all; port 0: one that
 * the system chooses, the same for all of them, into place->port.  A port that is taken is waited
 * for, not for long.
 */
totum_status tt_doors_open(struct tt_place *place, struct tt_doors *out);
void tt_doors_close(struct tt_doors *doors);

/*
 * Lets in all other ranks of the job: fds[rank] is the connection of each, -1 its own.  Strangers
 * are sent away.  When it fails all who have come are told, and there are no connections left.  The
 * doors stay the caller's.
 */
totum_status tt_gate_keep(const struct tt_identity *me, const struct tt_settings *settings,
			  const struct tt_place *place, const struct tt_doors *doors, int fds[]);

/*
 * The other side: connects, however long it takes until the keeper is there, and is welcome;
 * *keeper is the keeper's rank.  With news (may be NULL) me->secret and *place are what is told
 * last, and somebody of another secret is no failure: he may be of an earlier run.
 */
totum_status tt_gate_knock(struct tt_identity *me, const struct tt_settings *settings,
			   struct tt_place *place, const struct tt_news *news, int *fd,
			   int *keeper);

/* The address numbers of a place's host; TOTUM_ESYSTEM, NULL when the resolver has none. */
struct addrinfo;
totum_status tt_place_resolve(const char *host, int port, struct addrinfo **out);

#endif
