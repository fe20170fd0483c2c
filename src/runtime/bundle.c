/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bundle - finds the runs of all-gathers in a group.
 *
 * All ranks made the same calls and so find the same runs; if not, the fingerprint of the bundle, which hashes those
 * of its members, differs.
 */
#include "runtime/bundle.h"

#include <stdlib.h>
#include <xxhash.h>

static bool fits(const struct tt_work *work)
{
	enum tt_operation operation = tt_call_operation(&work->task.call);
	bool direct = work->task.call.algorithm == 0;

	return !work->started && direct && (operation == TT_OP_ALLGATHER || operation == TT_OP_ALLGATHERV);
}

/* The first nworks of a queue; one allocation holds the bundle, its members and their fingerprints' hash. */
static struct tt_bundle *bundle_of(struct tt_work *first, int nworks)
{
	struct tt_bundle *bundle = calloc(1, sizeof *bundle + (size_t)nworks * sizeof(struct tt_task *));
	uint64_t hash = 0, count = 0;

	if (!bundle)
		return NULL;
	struct tt_task **members = (struct tt_task **)(bundle + 1);
	for (int i = 0; i < nworks; i++, first = first->next) {
		members[i] = &first->task;
		hash = XXH3_64bits_withSeed(&first->task.call, sizeof first->task.call, hash);
		count += first->task.call.count;
	}
	bundle->nworks = nworks;
	bundle->task.kind = tt_task_direct(TT_OP_GROUP);
	bundle->task.call = tt_call(TT_OP_GROUP, TOTUM_U8, 0, 0, count);
	bundle->task.call.sizes = hash;
	bundle->task.members = members;
	bundle->task.nmembers = nworks;
	return bundle;
}

void tt_bundle_group(totum_comm *comm)
{
	for (struct tt_work *work = comm->first; work;) {
		struct tt_work *end = work;
		int run = 0;
		for (; end && fits(end); end = end->next)
			run++;
		if (run > 1)
			work->bundle = bundle_of(work, run);
		work = run ? end : work->next;
	}
}
