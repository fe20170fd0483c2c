/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shares - telling, mapping and dropping what the ranks share.
 *
 * Everything is mapped at the start of the job and not when it is first read, so that no call can
 * fail later for want of descriptors or addresses: what is offered can be read.
 */
#include "runtime/shares.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"

enum { SHARING_RANKS = 512 }; /* with more ranks the start would do nothing but open files */

void tt_shares_publish(struct tt_job *job, int rank)
{
	struct tt_share own;

	if (job->nranks <= SHARING_RANKS)
		tt_share_own(&own, &job->segment.head->ranks[rank].share);
}

bool tt_shares_map(struct tt_job *job, int rank, bool *any)
{
	uint64_t most = tt_segment_heap_bytes(&job->segment);
	struct tt_share_place mine;

	*any = false;
	for (int r = 0; r < job->nranks; r++) {
		const struct tt_share_place *place = &job->segment.head->ranks[r].share;
		struct tt_share *share = &job->heaps[r].share;
		if (!place->bytes)
			continue;
		*any = true;
		bool there =
			r == rank ? tt_share_own(share, &mine) : tt_share_map(share, place, most);
		if (!there) {
			tt_log("rank %d's large allocations cannot be mapped: %s", r,
			       strerror(errno));
			return false;
		}
		share->bytes = share->bytes < most ? share->bytes : most;
	}
	return true;
}

void tt_shares_drop(struct tt_job *job)
{
	for (int rank = 0; rank < job->nranks; rank++)
		tt_share_close(&job->heaps[rank].share);
}

void tt_shares_of_threads(struct tt_job *job)
{
	struct tt_share_place place;
	struct tt_share own;

	/* what one frees stays readable, so that a call that fails harms nobody */
	if (!tt_share_own(&own, &place))
		return;
	for (int rank = 0; rank < job->nranks; rank++)
		job->heaps[rank].share = own;
}
