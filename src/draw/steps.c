/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * steps - the step table: who has what after each round.
 *
 *             | 0       | 1       | 2       | 3
 *     start   | A       | B       | C       | D
 *     round 1 | A,D     | B,A     | C,B     | D,C
 *
 * Three forms, the first that fits is taken: all blocks in order of arrival; all blocks in block
 * order with runs as "A-D"; only what is new in the round, with runs.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "draw/draw.h"
#include "draw/grid.h"
#include "draw/names.h"
#include "draw/replay.h"

enum form { ARRIVALS, RUNS, NEWS, FORMS };

static const char *const notes[FORMS] = {
	[ARRIVALS] = NULL,
	[RUNS] = "Blocks are listed in their order, runs of them as first-last.",
	[NEWS] = "Each row lists what is new at a rank, runs of blocks as first-last.",
};

/* The pieces of a block that a rank has to show, equal neighbours together. */
static void write_block(const struct tt_schedule *schedule, const struct tt_replay *replay,
			int64_t rank, int64_t block, const char *separator, FILE *out)
{
	uint64_t ranks, next;
	int64_t end;

	for (int64_t piece = 0; piece < schedule->pieces; piece = end) {
		bool shown = tt_replay_piece(replay, rank, block, piece, &ranks);

		for (end = piece + 1; end < schedule->pieces; end++)
			if (tt_replay_piece(replay, rank, block, end, &next) != shown ||
			    next != ranks)
				break;
		if (!shown)
			continue;
		fputs(separator, out);
		tt_name_pieces(schedule, block, piece, end - piece, out);
		if (!ranks)
			fputc('?', out);
		else if (ranks != tt_replay_complete(replay))
			tt_name_sum(ranks, out);
		separator = ",";
	}
}

static bool whole(const struct tt_schedule *schedule, const struct tt_replay *replay, int64_t rank,
		  int64_t block)
{
	uint64_t ranks;

	for (int64_t piece = 0; piece < schedule->pieces; piece++) {
		tt_replay_piece(replay, rank, block, piece, &ranks);
		if (ranks != tt_replay_complete(replay))
			return false;
	}
	return true;
}

static int ascending(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Sorts the blocks and writes three or more whole neighbours as a run. */
static void write_runs(const struct tt_schedule *schedule, const struct tt_replay *replay,
		       int64_t rank, int64_t *blocks, int64_t count, FILE *out)
{
	int64_t end;

	qsort(blocks, (size_t)count, sizeof(*blocks), ascending);
	for (int64_t i = 0; i < count; i = end) {
		const char *separator = i ? "," : "";

		end = i + 1;
		while (whole(schedule, replay, rank, blocks[i]) && end < count &&
		       blocks[end] == blocks[end - 1] + 1 &&
		       whole(schedule, replay, rank, blocks[end]))
			end++;
		if (end - i < 3)
			end = i + 1;
		write_block(schedule, replay, rank, blocks[i], separator, out);
		if (end - i >= 3) {
			fputc('-', out);
			tt_name_block(schedule, blocks[end - 1], out);
		}
	}
}

/*
 * What a rank had to show before the round, block by block, as a number that changes with every
 * piece: to tell what is new.
 */
static uint64_t fingerprint(const struct tt_schedule *schedule, const struct tt_replay *replay,
			    int64_t rank, int64_t block)
{
	uint64_t sum = 0, ranks;

	for (int64_t piece = 0; piece < schedule->pieces; piece++) {
		bool shown = tt_replay_piece(replay, rank, block, piece, &ranks);

		sum = (sum + shown) * UINT64_C(0x9E3779B97F4A7C15) + ranks;
	}
	return sum;
}

struct table {
	const struct tt_schedule *schedule;
	struct tt_replay *replay;
	struct tt_grid *grid;
	enum form form;
	int64_t *blocks;  /* [nblocks], scratch */
	uint64_t *before; /* [rank][nblocks], for NEWS */
};

static void write_cell(struct table *table, int64_t rank, FILE *out)
{
	const struct tt_schedule *schedule = table->schedule;
	int64_t count = tt_replay_count(table->replay, rank), chosen = 0;
	uint64_t *before = &table->before[rank * schedule->nblocks];

	for (int64_t i = 0; i < count; i++) {
		int64_t block = tt_replay_block(table->replay, rank, i);
		uint64_t now = fingerprint(schedule, table->replay, rank, block);

		if (table->form != NEWS || before[block] != now)
			table->blocks[chosen++] = block;
		before[block] = now;
	}
	if (!chosen)
		fputc('-', out);
	else if (table->form != ARRIVALS)
		write_runs(schedule, table->replay, rank, table->blocks, chosen, out);
	else
		for (int64_t i = 0; i < chosen; i++)
			write_block(schedule, table->replay, rank, table->blocks[i], i ? "," : "",
				    out);
}

static void write_row(struct table *table, int64_t round)
{
	FILE *cell = tt_grid_cell(table->grid);

	if (round)
		fprintf(cell, "round %" PRId64, round);
	else
		fputs("start", cell);
	for (int64_t rank = 0; rank < table->schedule->nranks; rank++)
		write_cell(table, rank, tt_grid_cell(table->grid));
}

static totum_status fill(struct table *table)
{
	tt_grid_cell(table->grid);
	for (int64_t rank = 0; rank < table->schedule->nranks; rank++)
		fprintf(tt_grid_cell(table->grid), "%" PRId64, rank);
	write_row(table, 0);
	for (int64_t round = 1; round <= table->schedule->rounds; round++) {
		totum_status status = tt_replay_round(table->replay);

		if (status)
			return status;
		write_row(table, round);
	}
	return TOTUM_OK;
}

static totum_status make(struct table *table)
{
	const struct tt_schedule *schedule = table->schedule;
	totum_status status = tt_replay_new(schedule, &table->replay);

	if (status)
		return status;
	status = tt_grid_new((int)schedule->nranks + 1, &table->grid);
	if (status)
		return status;
	size_t blocks = (size_t)schedule->nblocks;

	table->blocks = calloc(blocks, sizeof(*table->blocks));
	table->before = calloc((size_t)schedule->nranks * blocks, sizeof(*table->before));
	if (!table->blocks || !table->before)
		return tt_fail_memory((size_t)schedule->nranks * blocks * sizeof(*table->before),
				      "a step table");
	return fill(table);
}

static void drop(struct table *table)
{
	tt_replay_free(table->replay);
	tt_grid_free(table->grid);
	free(table->blocks);
	free(table->before);
}

static void explain(const struct tt_schedule *schedule, enum form form, FILE *out)
{
	if (notes[form])
		fprintf(out, "%s\n", notes[form]);
	if (tt_reduces(schedule->collective))
		fputs("A{0-2+5} is block A added up over ranks 0 to 2 and 5; A alone is added up "
		      "over all ranks.\n"
		      "Not listed: a rank's own contributions, and sums that it has sent on.\n",
		      out);
	if (schedule->collective == TT_ALLTOALL)
		fputs("The block that rank 0 has for rank 2 is AC, of more than 26 ranks 0>2; what "
		      "a rank has sent on "
		      "is not listed.\n",
		      out);
}

/* The table in one form; *fits says whether it was narrow enough to be written. */
static totum_status draw(const struct tt_schedule *schedule, enum form form, size_t width,
			 bool *fits, FILE *out)
{
	struct table table = {.schedule = schedule, .form = form};
	totum_status status = make(&table);

	*fits = !status && (!width || tt_grid_width(table.grid, TT_GRID_RULED) <= width);
	if (*fits) {
		status = tt_grid_print(table.grid, TT_GRID_RULED, out);
		explain(schedule, form, out);
	}
	drop(&table);
	return status;
}

totum_status tt_draw_steps(const struct tt_schedule *schedule, size_t width, FILE *out)
{
	bool fits = false;

	for (enum form form = ARRIVALS; form < FORMS && !fits; form++) {
		totum_status status = draw(schedule, form, width, &fits, out);

		if (status)
			return status;
	}
	if (!fits)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "the step table of %s on %lld ranks does not fit %zu columns; allow "
			       "more, or 0 for no limit",
			       schedule->name, (long long)schedule->nranks, width);
	return TOTUM_OK;
}
