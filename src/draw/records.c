/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * records - a schedule in words, one line for each record: readable for any number of ranks.
 *
 *     rounds 1-7  r > r+1  block r-t              t counts the rounds of a line from 0
 *     round 3     r > r^4  blocks r&~3 .. r|3
 *     round 4     512 moves                       explicit moves, where they are many in a round
 */
#include <inttypes.h>
#include <stdlib.h>

#include "draw/draw.h"
#include "draw/grid.h"
#include "draw/names.h"

enum { MOST_LINES = 200, MOST_MOVES = 8, MOST_BLOCKS = 8 };

/* "r-2-3t": the rank, a constant, and what changes with the round; zeros are left out. */
static void write_offset(int64_t constant, int64_t slope, FILE *out)
{
	fputc('r', out);
	if (constant)
		fprintf(out, "%+" PRId64, constant);
	if (slope == 1 || slope == -1)
		fputs(slope > 0 ? "+t" : "-t", out);
	else if (slope)
		fprintf(out, "%+" PRId64 "t", slope);
}

static void write_shift(const struct tt_record *record, struct tt_grid *grid)
{
	int64_t count = record->shift.count, stride = record->shift.stride,
		first = record->shift.first;
	int64_t slope = record->rounds > 1 ? -record->shift.step : 0;
	FILE *out = tt_grid_cell(grid);

	fputs("r > ", out);
	write_offset(record->shift.distance, 0, out);
	out = tt_grid_cell(grid);
	fputs(count > 1 ? "blocks " : "block ", out);
	write_offset(-first, slope, out);
	if (count > 2 && stride != 1 && stride != -1) {
		fputs(", ", out);
		write_offset(-first - stride, slope, out);
		fputc(',', out);
	}
	if (count > 1) {
		fputs(count > 2 ? " .. " : ", ", out);
		write_offset(-first - stride * (count - 1), slope, out);
	}
	if (count > 2)
		fprintf(out, " (%" PRId64 ")", count);
}

static void write_exchange(const struct tt_record *record, struct tt_grid *grid)
{
	int64_t field = record->exchange.field, flip = record->exchange.flip;
	const char *base = flip ? "q" : "r";
	FILE *out = tt_grid_cell(grid);

	fprintf(out, "r > r^%" PRId64, record->exchange.mask);
	out = tt_grid_cell(grid);
	if (!field)
		fprintf(out, "block %s", base);
	else if (!(field & (field + 1)))
		fprintf(out, "blocks %s&~%" PRId64 " .. %s|%" PRId64, base, field, base, field);
	else
		fprintf(out, "blocks %s^s for every s within the bits of %" PRId64, base, field);
	if (flip)
		fprintf(out, ", q = r^%" PRId64, flip);
}

static void write_move(const struct tt_schedule *schedule, const struct tt_record *record,
		       struct tt_grid *grid)
{
	struct tt_transfer transfer;

	tt_record_send(schedule, record, record->round, record->move.from, &transfer);
	fprintf(tt_grid_cell(grid), "%" PRId64 " > %" PRId64, transfer.from, transfer.to);
	FILE *out = tt_grid_cell(grid);

	fputs(transfer.blocks.count > 1 ? "blocks " : "block ", out);
	tt_name_transfer(schedule, &transfer, MOST_BLOCKS, out);
	if (transfer.blocks.count > MOST_BLOCKS)
		fprintf(out, " (%" PRId64 ")", transfer.blocks.count);
}

static void write_ending(const struct tt_schedule *schedule, const struct tt_record *record,
			 FILE *out)
{
	if (record->npieces == 1 && schedule->pieces > 1)
		fprintf(out, ", piece %d of %d", record->piece, schedule->pieces);
	else if (record->npieces < schedule->pieces)
		fprintf(out, ", pieces %d to %d of %d", record->piece,
			record->piece + record->npieces - 1, schedule->pieces);
	if (record->reduce)
		fputs(", added", out);
}

static void write_rounds(const struct tt_record *record, FILE *out)
{
	if (record->rounds == 1)
		fprintf(out, "round %" PRId64, record->round + 1);
	else
		fprintf(out, "rounds %" PRId64 "-%" PRId64, record->round + 1,
			record->round + record->rounds);
}

static void write_record(const struct tt_schedule *schedule, const struct tt_record *record,
			 struct tt_grid *grid)
{
	write_rounds(record, tt_grid_cell(grid));
	if (record->primitive == TT_SHIFT)
		write_shift(record, grid);
	else if (record->primitive == TT_EXCHANGE)
		write_exchange(record, grid);
	else
		write_move(schedule, record, grid);
	write_ending(schedule, record, tt_grid_more(grid));
}

/* How many explicit moves of the same round begin at record i. */
static int64_t bunch(const struct tt_schedule *schedule, int64_t i)
{
	int64_t end = i;

	while (end < schedule->nrecords && schedule->records[end].primitive == TT_MOVE &&
	       schedule->records[end].round == schedule->records[i].round)
		end++;
	return end - i;
}

static void write_bunch(const struct tt_schedule *schedule, int64_t i, int64_t count,
			struct tt_grid *grid)
{
	int64_t least = INT64_MAX, most = 0;

	for (int64_t j = i; j < i + count; j++) {
		int64_t blocks = schedule->records[j].move.count;

		least = blocks < least ? blocks : least;
		most = blocks > most ? blocks : most;
	}
	write_rounds(&schedule->records[i], tt_grid_cell(grid));
	fprintf(tt_grid_cell(grid), "%" PRId64 " moves", count);
	FILE *out = tt_grid_cell(grid);

	if (least == most)
		fprintf(out, "of %" PRId64 " block%s each", most, most > 1 ? "s" : "");
	else
		fprintf(out, "of %" PRId64 " to %" PRId64 " blocks", least, most);
	write_ending(schedule, &schedule->records[i], out);
}

static bool speaks_of_every_rank(const struct tt_schedule *schedule)
{
	for (int64_t i = 0; i < schedule->nrecords; i++)
		if (schedule->records[i].primitive != TT_MOVE)
			return true;
	return false;
}

totum_status tt_draw_records(const struct tt_schedule *schedule, FILE *out)
{
	struct tt_grid *grid;
	totum_status status = tt_grid_new(3, &grid);
	int64_t i = 0, lines = 0;

	if (status)
		return status;
	for (; i < schedule->nrecords && lines < MOST_LINES; lines++) {
		int64_t count = bunch(schedule, i);

		if (count > MOST_MOVES)
			write_bunch(schedule, i, count, grid);
		else
			write_record(schedule, &schedule->records[i], grid);
		i += count > MOST_MOVES ? count : 1;
	}
	if (lines)
		status = tt_grid_print(grid, TT_GRID_PLAIN, out);
	tt_grid_free(grid);
	if (i < schedule->nrecords)
		fprintf(out, "and %" PRId64 " more records, up to round %" PRId64 "\n",
			schedule->nrecords - i, schedule->rounds);
	if (speaks_of_every_rank(schedule))
		fputs("Every rank r sends, numbers are modulo the number of ranks, t counts the "
		      "rounds of a line "
		      "from 0.\n",
		      out);
	return status;
}
