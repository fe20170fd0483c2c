/* SPDX-License-Identifier: BSD-3-Clause */
/* terms - one place for what is said of a meeting that fails, however the ranks meet. */
#include "launch/terms.h"

#include <stdio.h>
#include <string.h>

static const double longest_meeting = 120;

uint64_t tt_terms_patience(const struct tt_settings *settings)
{
	double seconds = settings->timeout < longest_meeting ? settings->timeout : longest_meeting;

	return (uint64_t)(seconds * 1e9);
}

totum_status tt_terms_check(const struct tt_identity *me, const struct tt_settings *settings,
			    const struct tt_terms *theirs, bool taken)
{
	if (theirs->nranks != me->nranks)
		return tt_fail(TOTUM_EINVAL,
			       "rank %d was told of %d ranks, rank %d of %d; start "
			       "all ranks with the same size",
			       theirs->rank, theirs->nranks, me->rank, me->nranks);
	if (theirs->rank < 0 || theirs->rank >= me->nranks || theirs->rank == me->rank || taken)
		return tt_fail(TOTUM_EINVAL,
			       "two processes say they are rank %d; give every "
			       "process a rank of its own",
			       theirs->rank);
	if (strncmp(theirs->algo, settings->algo, sizeof theirs->algo))
		return tt_fail(TOTUM_EINVAL,
			       "TOTUM_ALGO is \"%.95s\" on rank %d and \"%.95s\" "
			       "on rank %d; set it alike on all ranks",
			       theirs->algo, theirs->rank, settings->algo, me->rank);
	return TOTUM_OK;
}

totum_status tt_terms_missing(int nranks, bool (*is_here)(const void *, int), const void *context,
			      const char *todo)
{
	char list[200] = "";
	size_t at = 0;
	int missing = 0, listed = 0;

	for (int rank = 0; rank < nranks; rank++) {
		if (is_here(context, rank))
			continue;
		missing++;
		if (at + 32 >= sizeof list)
			continue;
		at += (size_t)snprintf(list + at, sizeof list - at, "%s%d", at ? ", " : "", rank);
		listed++;
	}
	if (missing > listed)
		snprintf(list + at, sizeof list - at, " and %d more", missing - listed);
	return tt_fail(TOTUM_ETIMEOUT, "rank %s of %d did not come to the rendezvous; %s", list,
		       nranks, todo);
}

totum_status tt_terms_died(int rank, int nranks)
{
	return tt_fail(TOTUM_ELOST,
		       "rank %d of %d died at the rendezvous; see its own output for "
		       "why",
		       rank, nranks);
}
