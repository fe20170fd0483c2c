/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bundle - finds the runs of all-gathers, and of all-reduces, in a group.
 *
 * All ranks made the same calls and so find the same runs; if not, the fingerprint of the bundle,
 * which hashes those of its members, differs.
 */
#include "runtime/bundle.h"

#include <stdlib.h>
#include <xxhash.h>

/* most bytes of a bundle of reductions where everyone reducing everything is much */
enum { REDUCED = 64 << 10 };

/* The operation of the bundle that a work can be part of, 0: none. */
static enum tt_operation bundle_for(const totum_comm *comm, const struct tt_work *work)
{
	if (!work || work->started || work->task.call.algorithm || comm->spread)
		return 0;
	switch (tt_call_operation(&work->task.call)) {
	case TT_OP_ALLGATHER:
	case TT_OP_ALLGATHERV:
		return TT_OP_GROUP;
	case TT_OP_ALLREDUCE:
		return tt_allreduce_is_whole(&comm->host, &work->task) ? TT_OP_GROUP_REDUCE : 0;
	default:
		return 0;
	}
}

/* How many works from `first` on are one bundle. */
static int run_of(const totum_comm *comm, const struct tt_work *first, enum tt_operation operation)
{
	size_t bytes = 0;
	int run = 0;

	for (const struct tt_work *work = first; operation && bundle_for(comm, work) == operation;
	     work = work->next) {
		bytes += work->task.bytes;
		if (run && operation == TT_OP_GROUP_REDUCE && comm->nranks > 2 &&
		    bytes > REDUCED)
			break;
		run++;
	}
	return run;
}

/* The first nworks of a queue; one allocation for it, its members and their fingerprints. */
static struct tt_bundle *bundle_of(struct tt_work *first, int nworks, enum tt_operation operation)
{
	struct tt_bundle *bundle =
		calloc(1, sizeof *bundle + (size_t)nworks * sizeof(struct tt_task *));
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
	bundle->task.kind = tt_task_direct(operation);
	bundle->task.call = tt_call(operation, TOTUM_U8, 0, 0, count);
	bundle->task.call.sizes = hash;
	bundle->task.members = members;
	bundle->task.nmembers = nworks;
	return bundle;
}

void tt_bundle_group(totum_comm *comm)
{
	for (struct tt_work *work = comm->first; work;) {
		enum tt_operation operation = bundle_for(comm, work);
		int run = run_of(comm, work, operation);
		if (run > 1)
			work->bundle = bundle_of(work, run, operation);
		do {
			work = work->next;
		} while (--run > 0);
	}
}
