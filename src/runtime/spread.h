/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spread.h - how the ranks of a communicator are spread over hosts, and the doors by which those of
 * other hosts reach this one.
 */
#ifndef TT_SPREAD_H
#define TT_SPREAD_H

#include "base/hostname.h"
#include "schedule/placement.h"
#include "transport/network.h"

struct tt_job;

/* Calls, messages, and what is said when something is wrong go by ways of their own. */
enum tt_way { TT_WAY_COLLECTIVES, TT_WAY_MESSAGES, TT_WAY_NOTICES, TT_WAYS };

/* What a rank tells all others before a communicator over several hosts opens. */
struct tt_card {
	int32_t status; /* not 0: it could not open its doors, and nobody gets the communicator */
	char host[TT_HOST_NAME];
	uint64_t tuning; /* hash of the facts that its choices stand on */
	unsigned char blobs[TT_WAYS][TT_NETWORK_BLOB];
};

struct tt_doors {
	tt_network network;
	struct tt_network_door *at[TT_WAYS]; /* NULL once an endpoint has taken it */
};

/* A choice of algorithm that has been made: spread_choice.c. */
enum { TT_CHOSEN = 16 };
struct tt_chosen {
	int collective, root;
	uint64_t bytes;
	char algorithm[96]; /* "": none */
};

struct tt_spread {
	int rank, nranks, nhosts;
	int *host_of; /* [nranks]: 0 .. nhosts-1, numbered by their lowest rank */
	int *places;  /* [nranks]: among the ranks of this host, -1 of another one's */
	int *named;   /* [here]: the way back */
	int here;     /* ranks of this host */
	struct tt_card *cards; /* [nranks] */
	struct tt_doors doors;
	struct tt_placement placement; /* the same as host_of, for schedules */
	struct tt_chosen chosen[TT_CHOSEN];
	unsigned nchosen;
};

/* Fills the card in any case; its status says whether the doors are open. */
void tt_spread_listen(const struct tt_job *job, struct tt_doors *doors, struct tt_card *card);
void tt_spread_unlisten(struct tt_doors *doors); /* of none is legal */
/*
 * hosts[r] is any number that ranks of one host share, and no others.  Takes over the doors, and
 * cards (malloc), also on failure.
 */
totum_status tt_spread_new(int rank, int nranks, const int *hosts, struct tt_card *cards,
			   struct tt_doors *doors, struct tt_spread **out);
void tt_spread_free(struct tt_spread *spread); /* NULL is legal */
/* The endpoint of one of the ways, once. */
totum_status tt_spread_open(struct tt_spread *spread, const struct tt_job *job, enum tt_way way,
			    const struct tt_transport **transport, struct tt_endpoint **out);

#endif
