/* SPDX-License-Identifier: BSD-3-Clause */
/* terms.h - what the ranks of a job must agree on when they meet, and the sentences when not. */
#ifndef TT_TERMS_H
#define TT_TERMS_H

#include "launch/identity.h"

enum { TT_ALGO = sizeof((struct tt_settings *)0)->algo };

/* What a rank says of itself. */
struct tt_terms {
	int rank, nranks;
	char algo[TT_ALGO];
};

/*
 * Does a rank fit the job of `me`, who keeps the door?  `taken`: a process of that rank has come
 * already.  TOTUM_EINVAL with a sentence for all ranks.
 */
totum_status tt_terms_check(const struct tt_identity *me, const struct tt_settings *settings,
			    const struct tt_terms *theirs, bool taken);
/* How long ranks wait for each other at a meeting, in nanoseconds. */
uint64_t tt_terms_patience(const struct tt_settings *settings);
/* TOTUM_ETIMEOUT, naming the ranks that is_here says have not come; `todo` ends the sentence. */
totum_status tt_terms_missing(int nranks, bool (*is_here)(const void *context, int rank),
			      const void *context, const char *todo);
/* TOTUM_ELOST. */
totum_status tt_terms_died(int rank, int nranks);

#endif
