/* SPDX-License-Identifier: BSD-3-Clause */
/* notice_parts.h - what the files of the notices share: a notice, and the state with each peer. */
#ifndef TT_NOTICE_PARTS_H
#define TT_NOTICE_PARTS_H

#include "runtime/comm.h"
#include "runtime/notice.h"

enum { TT_REMEMBERED = 64 };

enum tt_notice_kind { TT_NOTICE_FAILURE = 1, TT_NOTICE_QUESTION, TT_NOTICE_STATE, TT_NOTICE_SHRINK };

struct tt_notice {
	uint32_t kind;
	int32_t status, culprit; /* of a failure */
	int32_t waits_for;       /* a rank, -1: none */
	uint64_t number;         /* of the call that its sender is in; to shrink: of survivors */
	uint64_t said;           /* the number that the sender's sentences give to that call */
	struct tt_fingerprint call;
	char sentence[TT_FAILURE];
};

struct tt_correspondent {
	struct tt_notice in, out, state; /* state: the last that it has said of itself */
	struct tt_transfer_state receive, send;
	struct tt_span in_span, out_span;
	bool sending;
	uint64_t asked;               /* when, 0: never */
	bool answered;                /* since then */
};

struct tt_notices {
	const struct tt_transport *transport;
	struct tt_endpoint *endpoint;
	void *kept;                   /* of a trade: transfers to those who died in it stay posted */
	int waits_for;                /* whom this rank waits for, -1: nobody */
	int shrinker;                 /* has come to a shrink, though this rank knows of no failure */
	uint64_t shrinks;             /* since when, 0: nobody has */
	uint64_t number;              /* of this rank's call */
	struct tt_fingerprint calls[TT_REMEMBERED]; /* call k at k % TT_REMEMBERED */
	uint64_t said[TT_REMEMBERED];               /* and the number it has in sentences */
	struct tt_correspondent with[];  /* [nranks]; those of this host are not used */
};

/* Posts the receive of the next notice from a peer, idle. */
totum_status tt_notices_expect(struct tt_notices *notices, int peer);
/* False when one is under way to the peer still. */
bool tt_notices_send(struct tt_notices *notices, int peer, const struct tt_notice *notice);

#endif
