/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify_column.c - all hops of one part of one block, found without looking at the others.
 *
 * A shift that sends blocks r-first-i*stride sends block b from the ranks b+first+i*stride, an
 * exchange from the ranks b^flip^s: the senders of a block are as easy to list as the blocks of a
 * sender.  Moves have no such form; an index lists those of each block, for as many blocks at a
 * time as fit a budget. Per cell: O(records + rounds); per column: O(its hops, and the rounds of
 * shifts and exchanges).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof/verify_internal.h"
#include "schedule/grow.h"
#include "schedule/modular.h"

enum { INDEX_BUDGET = 1 << 25 }; /* entries of the index of moves at a time */

struct activity {
	int64_t round;
	const struct tt_record *record;
};

struct columns {
	const struct tt_schedule *schedule;
	struct tt_cells cells;
	int64_t cell;
	/* Shifts and exchanges of the cell, round by round. */
	struct activity *activities;
	int64_t nactivities, activities_capacity;
	/* Moves of the cell by block: those of block b are moves[start[b - low]..]; for low <= b <
	 * high. */
	int64_t *count; /* [nblocks + 1]; of the cell */
	int64_t *start; /* as count, but from `low` on */
	uint32_t *moves;
	int64_t low, high;
	/* The column at hand. */
	struct tt_hop *hops;
	int64_t nhops, hops_capacity;
};

static bool covers(const struct columns *columns, const struct tt_record *record)
{
	int64_t first = columns->cells.of_piece[record->piece];
	int64_t end = columns->cells.of_piece[record->piece + record->npieces];

	return columns->cell >= first && columns->cell < end;
}

static totum_status list_activities(struct columns *columns)
{
	const struct tt_schedule *schedule = columns->schedule;

	columns->nactivities = 0;
	for (int64_t round = 0; round < schedule->rounds; round++) {
		struct tt_round_walk walk = {0};
		const struct tt_record *record;

		while (tt_round_next(schedule, round, &walk, &record)) {
			if (record->primitive == TT_MOVE || !covers(columns, record))
				continue;
			struct activity *grown =
				tt_grow(columns->activities, columns->nactivities,
					&columns->activities_capacity, sizeof(*grown));

			if (!grown)
				return tt_fail_memory((size_t)columns->nactivities * sizeof(*grown),
						      "a proof");
			columns->activities = grown;
			grown[columns->nactivities++] = (struct activity){round, record};
		}
	}
	return TOTUM_OK;
}

/* Calls for every (move, block) of the cell with low <= block < high: counts, or fills the index.
 */
static void scan_moves(struct columns *columns, bool filling)
{
	const struct tt_schedule *schedule = columns->schedule;

	for (int64_t i = 0; i < schedule->nrecords; i++) {
		const struct tt_record *record = &schedule->records[i];
		struct tt_transfer transfer;

		if (record->primitive != TT_MOVE || !covers(columns, record))
			continue;
		tt_record_send(schedule, record, record->round, record->move.from, &transfer);
		for (int64_t j = 0; j < transfer.blocks.count; j++) {
			int64_t block = tt_blocks_at(&transfer.blocks, j);

			if (!filling)
				columns->count[block]++;
			else if (block >= columns->low && block < columns->high)
				columns->moves[columns->start[block - columns->low]++] =
					(uint32_t)i;
		}
	}
}

/* Indexes the moves of as many blocks from `low` on as the budget allows, at least one. */
static totum_status index_moves(struct columns *columns, int64_t low, int64_t end)
{
	int64_t total = 0, high = low;

	for (; high < end && (high == low || total + columns->count[high] <= INDEX_BUDGET);
	     high++) {
		columns->start[high - low] = total;
		total += columns->count[high];
	}
	columns->low = low;
	columns->high = high;
	free(columns->moves);
	columns->moves = malloc(((size_t)total + 1) * sizeof(*columns->moves));
	if (!columns->moves)
		return tt_fail_memory((size_t)total * sizeof(*columns->moves), "a proof");
	if (total)
		scan_moves(columns, true);
	/* Filling has moved each start to the next block's place: move them back. */
	memmove(columns->start + 1, columns->start, (size_t)(high - low) * sizeof(*columns->start));
	columns->start[0] = 0;
	return TOTUM_OK;
}

static totum_status add_hop(struct columns *columns, struct tt_hop hop)
{
	struct tt_hop *hops =
		tt_grow(columns->hops, columns->nhops, &columns->hops_capacity, sizeof(*hops));

	if (!hops)
		return tt_fail_memory(2 * (size_t)columns->nhops * sizeof(*hops), "a proof");
	columns->hops = hops;
	hops[columns->nhops++] = hop;
	return TOTUM_OK;
}

static totum_status add_shift(struct columns *columns, const struct activity *activity,
			      int64_t block)
{
	const struct tt_record *record = activity->record;
	int64_t n = columns->schedule->nranks;
	int64_t stride = tt_wrap(record->shift.stride, n);
	int64_t turns = tt_wrap(record->shift.step, n) * ((activity->round - record->round) % n);
	int64_t from = (block + tt_wrap(record->shift.first, n) + turns) % n;
	int64_t distance = tt_wrap(record->shift.distance, n);
	totum_status status = TOTUM_OK;

	for (int64_t i = 0; i < record->shift.count && !status; i++) {
		int64_t to = from + distance < n ? from + distance : from + distance - n;

		status = add_hop(columns, (struct tt_hop){.round = activity->round,
							  .from = (int32_t)from,
							  .to = (int32_t)to,
							  .reduce = record->reduce});
		from = from + stride < n ? from + stride : from + stride - n;
	}
	return status;
}

static totum_status add_exchange(struct columns *columns, const struct activity *activity,
				 int64_t block)
{
	const struct tt_record *record = activity->record;
	int64_t field = record->exchange.field, subset = 0;
	totum_status status;

	do {
		int64_t from = block ^ record->exchange.flip ^ subset;

		status = add_hop(columns,
				 (struct tt_hop){.round = activity->round,
						 .from = (int32_t)from,
						 .to = (int32_t)(from ^ record->exchange.mask),
						 .reduce = record->reduce});
		subset =
			(subset - field) & field; /* the next larger subset of field; 0 after all */
	} while (subset && !status);
	return status;
}

static totum_status add_move(struct columns *columns, const struct tt_record *record)
{
	return add_hop(columns, (struct tt_hop){.round = record->round,
						.from = (int32_t)record->move.from,
						.to = (int32_t)record->move.to,
						.reduce = record->reduce});
}

/* Merges the activities and the block's moves by round. */
static totum_status list_hops(struct columns *columns, int64_t block)
{
	const struct tt_record *records = columns->schedule->records;
	int64_t a = 0, m = columns->start[block - columns->low];
	int64_t end = columns->start[block - columns->low + 1];
	totum_status status = TOTUM_OK;

	columns->nhops = 0;
	while (!status && (a < columns->nactivities || m < end)) {
		if (m < end && (a == columns->nactivities ||
				records[columns->moves[m]].round < columns->activities[a].round)) {
			status = add_move(columns, &records[columns->moves[m++]]);
			continue;
		}
		const struct activity *activity = &columns->activities[a++];

		status = activity->record->primitive == TT_SHIFT
				 ? add_shift(columns, activity, block)
				 : add_exchange(columns, activity, block);
	}
	return status;
}

static totum_status check_block(struct columns *columns, int64_t block, tt_column_check *check,
				void *state)
{
	struct tt_column column = {.block = block, .cell = columns->cell};
	totum_status status = list_hops(columns, block);

	if (status)
		return status;
	column.hops = columns->hops;
	column.nhops = columns->nhops;
	if (columns->cells.count == 1)
		snprintf(column.name, sizeof(column.name), "block %lld", (long long)block);
	else
		snprintf(column.name, sizeof(column.name), "block %lld pieces %d..%d/%d",
			 (long long)block, columns->cells.start[columns->cell],
			 columns->cells.start[columns->cell + 1], columns->schedule->pieces);
	return check(state, &column);
}

static totum_status check_cell(struct columns *columns, int64_t end, tt_column_check *check,
			       void *state)
{
	totum_status status = list_activities(columns);

	memset(columns->count, 0, (size_t)columns->schedule->nblocks * sizeof(*columns->count));
	scan_moves(columns, false);
	for (int64_t block = 0; block < end && !status; block++) {
		if (block == 0 || block == columns->high)
			status = index_moves(columns, block, end);
		if (!status)
			status = check_block(columns, block, check, state);
	}
	return status;
}

totum_status tt_columns(const struct tt_schedule *schedule, bool block_0_only,
			tt_column_check *check, void *state)
{
	struct columns columns = {.schedule = schedule};
	size_t entries = (size_t)schedule->nblocks + 1;
	totum_status status = tt_cells_make(schedule, &columns.cells);

	columns.count = calloc(entries, sizeof(*columns.count));
	columns.start = calloc(entries, sizeof(*columns.start));
	if (!status && (!columns.count || !columns.start))
		status = tt_fail_memory(2 * entries * sizeof(*columns.count), "a proof");
	for (; !status && columns.cell < columns.cells.count; columns.cell++)
		status = check_cell(&columns, block_0_only ? 1 : schedule->nblocks, check, state);
	tt_cells_free(&columns.cells);
	free(columns.activities);
	free(columns.count);
	free(columns.start);
	free(columns.moves);
	free(columns.hops);
	return status;
}
