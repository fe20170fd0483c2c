/* SPDX-License-Identifier: BSD-3-Clause */
/* place.h - a root "tcp://HOST:PORT": where ranks meet by TCP. */
#ifndef TT_PLACE_H
#define TT_PLACE_H

#include "launch/identity.h"

enum { TT_PLACES = 8 };

/*
 * HOST is a name, an IPv4 address or an IPv6 address in brackets, or several of them with commas
 * between.  A "#NAME" behind the port is part of what ranks must know to be of one job.
 */
struct tt_place {
	char root[TT_ROOT];  /* as it was given, without the name */
	char hosts[TT_ROOT]; /* hosts, each ended by a zero */
	const char *host[TT_PLACES];
	int nhosts, port;
	char name[TT_ROOT];
};

/* Pure.  Is the root meant to be one, with or without "tcp://" before it? */
bool tt_place_looks_like(const char *root);
/* Pure; TOTUM_EINVAL with a sentence that names the root.  host[] points into *out. */
totum_status tt_place_parse(const char *root, struct tt_place *out);

#endif
