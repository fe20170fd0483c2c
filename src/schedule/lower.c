/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lower.c - a schedule becomes the program of one rank.
 *
 * Round by round, what the rank sends and then what it receives: sends first, because they read the
 * state at the start of the round.  All that goes to one peer in a round is one step (one message),
 * in the order of the records, so that both ends cut the bytes alike; what the peer adds and what
 * it stores are two. O(records + blocks that the rank moves).
 */
#include <stdlib.h>

#include "schedule/cells.h"
#include "schedule/grow.h"
#include "schedule/hazards.h"
#include "schedule/program.h"

/* The transfers of one rank, round and direction, chained by peer in order of first appearance. */
struct batch {
	struct tt_transfer *transfers;
	int64_t *next; /* 1 + the next transfer of the same group, or 0 */
	int64_t count, capacity, next_capacity;
	struct group {
		int64_t head, tail, key;
	} * groups;
	int64_t ngroups, groups_capacity;
	int64_t *group_of; /* [2 * nranks]: 1 + the group of a peer and reduce flag, or 0 */
};

struct lowering {
	const struct tt_schedule *schedule;
	const struct tt_layout *layout;
	struct tt_program *program;
	int64_t steps_capacity, ranges_capacity;
	struct tt_cells cells;
	struct tt_hazards *hazards;
	struct batch batch;
};

static totum_status batch_add(struct batch *batch, const struct tt_transfer *transfer, int64_t peer)
{
	struct tt_transfer *transfers =
		tt_grow(batch->transfers, batch->count, &batch->capacity, sizeof(*transfers));
	int64_t key = 2 * peer + transfer->reduce;

	if (transfers)
		batch->transfers = transfers;
	int64_t *next = tt_grow(batch->next, batch->count, &batch->next_capacity, sizeof(*next));

	if (next)
		batch->next = next;
	struct group *groups =
		tt_grow(batch->groups, batch->ngroups, &batch->groups_capacity, sizeof(*groups));

	if (groups)
		batch->groups = groups;
	if (!transfers || !next || !groups)
		return tt_fail_memory(2 * (size_t)batch->count * sizeof(*transfers),
				      "the transfers of a round");
	if (!batch->group_of[key]) {
		groups[batch->ngroups] =
			(struct group){.head = batch->count, .tail = batch->count, .key = key};
		batch->group_of[key] = ++batch->ngroups;
	} else {
		struct group *group = &groups[batch->group_of[key] - 1];

		next[group->tail] = batch->count + 1;
		group->tail = batch->count;
	}
	transfers[batch->count] = *transfer;
	next[batch->count++] = 0;
	return TOTUM_OK;
}

static void batch_clear(struct batch *batch)
{
	for (int64_t i = 0; i < batch->ngroups; i++)
		batch->group_of[batch->groups[i].key] = 0;
	batch->ngroups = 0;
	batch->count = 0;
}

static void batch_free(struct batch *batch)
{
	free(batch->transfers);
	free(batch->next);
	free(batch->groups);
	free(batch->group_of);
}

static totum_status batch_collect(struct lowering *lowering, int64_t round, bool sending)
{
	const struct tt_schedule *schedule = lowering->schedule;
	struct tt_round_walk walk = {0};
	const struct tt_record *record;
	int64_t rank = lowering->program->rank;
	totum_status status = TOTUM_OK;

	batch_clear(&lowering->batch);
	while (!status && tt_round_next(schedule, round, &walk, &record)) {
		struct tt_transfer transfer;
		bool mine = sending ? tt_record_send(schedule, record, round, rank, &transfer)
				    : tt_record_receive(schedule, record, round, rank, &transfer);

		if (mine)
			status = batch_add(&lowering->batch, &transfer,
					   sending ? transfer.to : transfer.from);
	}
	return status;
}

static totum_status add_range(struct lowering *lowering, struct tt_step *step,
			      struct tt_range range)
{
	struct tt_program *program = lowering->program;
	struct tt_range *last = step->nranges ? &program->ranges[program->nranges - 1] : NULL;

	step->bytes += range.length;
	if (last && last->offset + last->length == range.offset) {
		last->length += range.length;
		return TOTUM_OK;
	}
	struct tt_range *ranges = tt_grow(program->ranges, program->nranges,
					  &lowering->ranges_capacity, sizeof(*ranges));

	if (!ranges)
		return tt_fail_memory(2 * (size_t)program->nranges * sizeof(*ranges),
				      "the ranges of a program");
	program->ranges = ranges;
	ranges[program->nranges++] = range;
	step->nranges++;
	return TOTUM_OK;
}

static totum_status touch(struct lowering *lowering, bool sending, int64_t block,
			  const struct tt_transfer *transfer)
{
	const struct tt_cells *cells = &lowering->cells;
	int32_t step = (int32_t)lowering->program->nsteps;
	int64_t end = cells->of_piece[transfer->piece + transfer->npieces];
	totum_status status = TOTUM_OK;

	for (int64_t cell = cells->of_piece[transfer->piece]; cell < end && !status; cell++) {
		int64_t unit = block * cells->count + cell, piece = cells->start[cell];

		/* A small block leaves some cells empty: two steps do not conflict in these. */
		if (!tt_layout_range(lowering->layout, block, piece, cells->start[cell + 1] - piece,
				     lowering->schedule->pieces)
			     .length)
			continue;
		status = sending ? tt_hazards_read(lowering->hazards, unit, step)
				 : tt_hazards_write(lowering->hazards, unit, step);
	}
	return status;
}

static totum_status add_transfer(struct lowering *lowering, struct tt_step *step,
				 const struct tt_transfer *transfer)
{
	for (int64_t i = 0; i < transfer->blocks.count; i++) {
		int64_t block = tt_blocks_at(&transfer->blocks, i);
		struct tt_range range =
			tt_layout_range(lowering->layout, block, transfer->piece, transfer->npieces,
					lowering->schedule->pieces);

		if (!range.length)
			continue;
		totum_status status = add_range(lowering, step, range);

		if (!status)
			status = touch(lowering, step->kind == TT_STEP_SEND, block, transfer);
		if (status)
			return status;
	}
	return TOTUM_OK;
}

static totum_status add_step(struct lowering *lowering, int64_t round, bool sending,
			     const struct group *group)
{
	const struct batch *batch = &lowering->batch;
	struct tt_program *program = lowering->program;
	enum tt_step_kind receive = group->key % 2 ? TT_STEP_REDUCE : TT_STEP_RECEIVE;
	struct tt_step step = {.kind = sending ? TT_STEP_SEND : receive,
			       .peer = (int32_t)(group->key / 2),
			       .round = round,
			       .first_range = program->nranges};

	if (program->nsteps == INT32_MAX)
		return tt_fail(TOTUM_EUNSUPPORTED, "the program of a rank has at most %d steps",
			       INT32_MAX);
	for (int64_t i = group->head + 1; i; i = batch->next[i - 1]) {
		totum_status status = add_transfer(lowering, &step, &batch->transfers[i - 1]);

		if (status)
			return status;
	}
	if (!step.bytes)
		return TOTUM_OK;
	struct tt_step *steps =
		tt_grow(program->steps, program->nsteps, &lowering->steps_capacity, sizeof(*steps));

	if (!steps)
		return tt_fail_memory(2 * (size_t)program->nsteps * sizeof(*steps),
				      "the steps of a program");
	program->steps = steps;
	steps[program->nsteps++] = step;
	return TOTUM_OK;
}

static totum_status add_round(struct lowering *lowering, int64_t round, bool sending)
{
	totum_status status = batch_collect(lowering, round, sending);

	for (int64_t i = 0; !status && i < lowering->batch.ngroups; i++)
		status = add_step(lowering, round, sending, &lowering->batch.groups[i]);
	return status;
}

static totum_status prepare(struct lowering *lowering, int64_t rank)
{
	const struct tt_schedule *schedule = lowering->schedule;
	size_t keys = 2 * (size_t)schedule->nranks;

	lowering->program = calloc(1, sizeof(*lowering->program));
	lowering->batch.group_of = calloc(keys, sizeof(*lowering->batch.group_of));
	if (!lowering->program || !lowering->batch.group_of)
		return tt_fail_memory(keys * sizeof(*lowering->batch.group_of), "a program");
	lowering->program->rank = rank;
	lowering->program->nranks = schedule->nranks;
	totum_status status = tt_cells_make(schedule, &lowering->cells);

	if (!status)
		status = tt_hazards_new(schedule->nblocks * lowering->cells.count,
					&lowering->hazards);
	return status;
}

static totum_status check(const struct tt_schedule *schedule, int64_t rank,
			  const struct tt_layout *layout)
{
	if (!schedule->first_record)
		return tt_fail(TOTUM_EUSAGE, "schedule '%s' must be sealed before it is lowered",
			       schedule->name);
	if (rank < 0 || rank >= schedule->nranks)
		return tt_fail(TOTUM_EINVAL,
			       "rank %lld has no program in schedule '%s' for %lld ranks",
			       (long long)rank, schedule->name, (long long)schedule->nranks);
	if (layout->nblocks != schedule->nblocks || !layout->element)
		return tt_fail(TOTUM_EINVAL,
			       "a layout of %lld blocks of %llu-byte elements does not fit "
			       "schedule '%s' with %lld blocks",
			       (long long)layout->nblocks, (unsigned long long)layout->element,
			       schedule->name, (long long)schedule->nblocks);
	return TOTUM_OK;
}

totum_status tt_program_lower(const struct tt_schedule *schedule, int64_t rank,
			      const struct tt_layout *layout, struct tt_program **out)
{
	struct lowering lowering = {.schedule = schedule, .layout = layout};
	totum_status status = check(schedule, rank, layout);

	if (!status)
		status = prepare(&lowering, rank);
	for (int64_t round = 0; !status && round < schedule->rounds; round++) {
		status = add_round(&lowering, round, true);
		if (!status)
			status = add_round(&lowering, round, false);
	}
	if (!status)
		status = tt_hazards_finish(lowering.hazards, lowering.program);
	tt_hazards_free(lowering.hazards);
	tt_cells_free(&lowering.cells);
	batch_free(&lowering.batch);
	if (status)
		tt_program_free(lowering.program);
	else
		*out = lowering.program;
	return status;
}
