/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hazards.c - read after write, write after read, write after write, in time linear in what is
 * touched.
 *
 * Per unit: the last writer and a list of the readers since.  Zero means none, so that the tables
 * of a large all-to-all cost no memory where a rank touches nothing.  The pairs come out ordered by
 * the waiting step; a stable counting sort by the awaited step leaves equal pairs side by side,
 * where they are dropped.
 */
#include "schedule/hazards.h"

#include <stdlib.h>

#include "schedule/grow.h"

struct reader {
	int32_t step, next; /* next: 1 + index of another reader, or 0 */
};

struct pair {
	int32_t before, after;
};

struct tt_hazards {
	int32_t *writer; /* [nunits]: 1 + the last step that wrote, or 0 */
	int32_t *first;  /* [nunits]: 1 + index of the latest reader since, or 0 */
	struct reader *readers;
	int64_t nreaders, readers_capacity;
	struct pair *pairs;
	int64_t npairs, pairs_capacity;
};

totum_status tt_hazards_new(int64_t nunits, struct tt_hazards **out)
{
	struct tt_hazards *hazards = calloc(1, sizeof(*hazards));

	if (!hazards)
		return tt_fail_memory(sizeof(*hazards), "dependencies");
	hazards->writer = calloc((size_t)nunits, sizeof(*hazards->writer));
	hazards->first = calloc((size_t)nunits, sizeof(*hazards->first));
	if (!hazards->writer || !hazards->first) {
		tt_hazards_free(hazards);
		return tt_fail_memory(2 * (size_t)nunits * sizeof(int32_t), "dependencies");
	}
	*out = hazards;
	return TOTUM_OK;
}

void tt_hazards_free(struct tt_hazards *hazards)
{
	if (!hazards)
		return;
	free(hazards->writer);
	free(hazards->first);
	free(hazards->readers);
	free(hazards->pairs);
	free(hazards);
}

static totum_status add_pair(struct tt_hazards *hazards, int32_t before, int32_t after)
{
	const struct pair *last = hazards->npairs ? &hazards->pairs[hazards->npairs - 1] : NULL;

	if (last && last->before == before && last->after == after)
		return TOTUM_OK;
	struct pair *pairs =
		tt_grow(hazards->pairs, hazards->npairs, &hazards->pairs_capacity, sizeof(*pairs));

	if (!pairs)
		return tt_fail_memory(2 * (size_t)hazards->npairs * sizeof(*pairs), "dependencies");
	hazards->pairs = pairs;
	pairs[hazards->npairs++] = (struct pair){before, after};
	return TOTUM_OK;
}

totum_status tt_hazards_read(struct tt_hazards *hazards, int64_t unit, int32_t step)
{
	struct reader *readers = tt_grow(hazards->readers, hazards->nreaders,
					 &hazards->readers_capacity, sizeof(*readers));

	if (!readers)
		return tt_fail_memory(2 * (size_t)hazards->nreaders * sizeof(*readers),
				      "dependencies");
	hazards->readers = readers;
	if (hazards->nreaders == INT32_MAX)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "a rank sends more than %d pieces of blocks: use fewer pieces",
			       INT32_MAX);
	readers[hazards->nreaders] = (struct reader){step, hazards->first[unit]};
	hazards->first[unit] = (int32_t)++hazards->nreaders;
	return hazards->writer[unit] ? add_pair(hazards, hazards->writer[unit] - 1, step)
				     : TOTUM_OK;
}

totum_status tt_hazards_write(struct tt_hazards *hazards, int64_t unit, int32_t step)
{
	totum_status status = TOTUM_OK;
	int32_t reader = hazards->first[unit], writer = hazards->writer[unit];

	hazards->first[unit] = 0;
	hazards->writer[unit] = step + 1;
	/* The readers have waited for the last writer, so this step need not do so again. */
	if (!reader)
		return writer && writer != step + 1 ? add_pair(hazards, writer - 1, step)
						    : TOTUM_OK;
	for (; reader && !status; reader = hazards->readers[reader - 1].next)
		if (hazards->readers[reader - 1].step != step)
			status = add_pair(hazards, hazards->readers[reader - 1].step, step);
	return status;
}

/* Sorts the pairs by `before` into waiters, with start[s] the first of step s. */
static void distribute(const struct tt_hazards *hazards, int64_t nsteps, int64_t *start,
		       int32_t *waiters)
{
	for (int64_t i = 0; i < hazards->npairs; i++)
		start[hazards->pairs[i].before + 1]++;
	for (int64_t step = 0; step < nsteps; step++)
		start[step + 1] += start[step];
	for (int64_t i = 0; i < hazards->npairs; i++)
		waiters[start[hazards->pairs[i].before]++] = hazards->pairs[i].after;
	/* Filling has moved each start to the next one's place: move them back. */
	for (int64_t step = nsteps; step > 0; step--)
		start[step] = start[step - 1];
	start[0] = 0;
}

totum_status tt_hazards_finish(struct tt_hazards *hazards, struct tt_program *program)
{
	int64_t *start = calloc((size_t)program->nsteps + 2, sizeof(*start));
	int32_t *waiters = malloc(((size_t)hazards->npairs + 1) * sizeof(*waiters));
	int64_t kept = 0;

	if (!start || !waiters) {
		free(start);
		free(waiters);
		return tt_fail_memory((size_t)hazards->npairs * sizeof(*waiters), "dependencies");
	}
	distribute(hazards, program->nsteps, start, waiters);
	for (int64_t i = 0; i < program->nsteps; i++) {
		struct tt_step *step = &program->steps[i];

		step->first_waiter = kept;
		for (int64_t j = start[i]; j < start[i + 1]; j++) {
			if (kept > step->first_waiter && waiters[kept - 1] == waiters[j])
				continue;
			program->steps[waiters[j]].nwaits++;
			waiters[kept++] = waiters[j];
		}
		step->nwaiters = kept - step->first_waiter;
	}
	free(start);
	program->waiters = waiters;
	program->nwaiters = kept;
	return TOTUM_OK;
}
