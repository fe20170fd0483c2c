/* SPDX-License-Identifier: BSD-3-Clause */
/* rescue_parts.h - what the files of a rescue share: what each survivor says of the call. */
#ifndef TT_RESCUE_PARTS_H
#define TT_RESCUE_PARTS_H

#include "runtime/rescue.h"

/* Travels between the survivors. */
struct tt_claim {
	int32_t status;       /* not 0: this rank refuses, and knows why */
	int32_t rank, nranks; /* in the broken communicator */
	uint32_t kind;        /* the call */
	uint64_t count, sizes;
	int64_t number; /* which one of broken's calls this rank says that it is */
	int64_t latest; /* the last one that it has begun */
	int64_t failed; /* and the first one that it has not completed: latest, or one more */
};

struct tt_rescue {
	totum_comm *broken, *survivors;
	const struct tt_work *call;
	int n;                   /* survivors */
	size_t row;              /* bytes of a set of broken's ranks */
	struct tt_claim *claims; /* [n], by rank of survivors */
	int *place;              /* [broken->nranks]: the rank in survivors, -1: lost */
	unsigned char *mine;     /* [row]: whose blocks are here */
	unsigned char *all;      /* [n * row]: the same of all survivors */
	bool completed;          /* this rank had completed the call */
};

/* The number that this rank's recorder, and its sentences, give a call of a claim. */
static inline int64_t tt_rescue_recorded(const struct tt_rescue *rescue, int64_t number)
{
	return number + (int64_t)rescue->broken->uncounted;
}

/* --- rescue_claims.c --- */

/*
 * What this rank says of the call, and fills mine and completed; a refusal leaves its sentence in
 * totum_errmsg().
 */
struct tt_claim tt_rescue_claim(struct tt_rescue *rescue, int back);
/* Do all claims, with `why` for the refusal of this rank, fit together?  The same on all of them.
 */
totum_status tt_rescue_judge(struct tt_rescue *rescue, int *back, const char *why);

#endif
