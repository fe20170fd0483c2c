/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheduled_reached - which blocks of a failed all-gather its program has received.
 *
 * A block may come in pieces, by several steps: it is whole when no step that writes to it is left.
 */
#include <stdlib.h>

#include "host/reached.h"
#include "runtime/scheduled_parts.h"

struct block {
	uint64_t first, end; /* never the same */
	int rank;
	bool lacks;
};

static int by_first(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* The blocks that have bytes, in the order in which they lie; says how many. */
static size_t list_blocks(const struct tt_scheduled *plan, size_t n, struct block *blocks)
{
	size_t listed = 0;

	for (size_t rank = 0; rank < n; rank++)
		if (plan->blocks[n + rank])
			blocks[listed++] =
				(struct block){.first = plan->blocks[rank],
					       .end = plan->blocks[rank] + plan->blocks[n + rank],
					       .rank = (int)rank};
	qsort(blocks, listed, sizeof *blocks, by_first);
	return listed;
}

/* What overlaps the range lacks some of it. */
static void mark(struct block *blocks, size_t n, struct tt_range range)
{
	size_t low = 0, high = n;

	while (low < high) { /* the first that ends behind the range's beginning */
		size_t middle = low + (high - low) / 2;
		if (blocks[middle].end > range.offset)
			high = middle;
		else
			low = middle + 1;
	}
	for (; low < n && blocks[low].first < range.offset + range.length; low++)
		blocks[low].lacks = true;
}

void tt_scheduled_reached(const totum_comm *comm, const struct tt_work *work, unsigned char *out)
{
	const struct tt_scheduled *plan = work->plan;
	size_t n = (size_t)comm->nranks;
	/* before that nothing has been received, and the program's state is that of another work */
	struct block *blocks = plan && work->phase != TT_WORK_MEETS && work->phase != TT_WORK_BEGINS
				       ? malloc(n * sizeof *blocks)
				       : NULL;

	if (!blocks)
		return;
	const struct tt_program *program = plan->executor.program;
	size_t listed = list_blocks(plan, n, blocks);
	for (int64_t i = 0; i < program->nsteps; i++) {
		const struct tt_step *step = &program->steps[i];
		if (step->kind == TT_STEP_SEND || tt_executor_received(&plan->executor, i))
			continue;
		for (int64_t range = 0; range < step->nranges; range++)
			mark(blocks, listed, program->ranges[step->first_range + range]);
	}
	for (size_t i = 0; i < listed; i++)
		if (!blocks[i].lacks && blocks[i].rank != comm->rank)
			tt_ranks_add(out, blocks[i].rank);
	free(blocks);
}
