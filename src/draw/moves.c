/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * moves - every move of every round, "0>1:A,D"; "0>1+A" where the receiver adds.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "draw/names.h"

enum { MOST_BLOCKS = 64 };

totum_status tt_draw_listable(const struct tt_schedule *schedule)
{
	int64_t count = 0;

	for (int64_t i = 0; i < schedule->nrecords && count <= TT_DRAW_MOVES; i++) {
		const struct tt_record *record = &schedule->records[i];

		count += record->rounds * (record->primitive == TT_MOVE ? 1 : schedule->nranks);
	}
	if (count > TT_DRAW_MOVES)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "%s on %lld ranks has more than %d moves, too many to list; show "
			       "fewer ranks",
			       schedule->name, (long long)schedule->nranks, TT_DRAW_MOVES);
	return TOTUM_OK;
}

static totum_status write_move(const struct tt_schedule *schedule,
			       const struct tt_transfer *transfer, char **text)
{
	size_t size;
	FILE *out = open_memstream(text, &size);

	if (!out)
		return tt_fail_memory(256, "a move's text");
	fprintf(out, "%" PRId64 ">%" PRId64 "%c", transfer->from, transfer->to,
		transfer->reduce ? '+' : ':');
	tt_name_transfer(schedule, transfer, MOST_BLOCKS, out);
	return fclose(out) ? tt_fail_memory(256, "a move's text") : TOTUM_OK;
}

/* A line that is broken between moves where it would get wider than width. */
struct line {
	FILE *out;
	size_t width, indent, used;
};

static void put(struct line *line, const char *text)
{
	size_t length = strlen(text);

	if (line->width && line->used > line->indent && line->used + 2 + length > line->width) {
		fprintf(line->out, "\n%*s", (int)line->indent, "");
		line->used = line->indent;
	}
	fprintf(line->out, "  %s", text);
	line->used += 2 + length;
}

/* What the record makes ranks first to end-1 send. */
static totum_status put_moves(struct line *line, const struct tt_schedule *schedule,
			      const struct tt_record *record, int64_t round, int64_t first,
			      int64_t end)
{
	struct tt_transfer transfer;

	for (int64_t rank = first; rank < end; rank++) {
		char *text = NULL;

		tt_record_send(schedule, record, round, rank, &transfer);
		totum_status status = write_move(schedule, &transfer, &text);

		if (!status)
			put(line, text);
		free(text);
		if (status)
			return status;
	}
	return TOTUM_OK;
}

static totum_status write_round(const struct tt_schedule *schedule, int64_t round, size_t width,
				int indent, FILE *out)
{
	struct line line = {out, width, (size_t)indent, (size_t)indent};
	const struct tt_record *record;

	fprintf(out, "round %-*" PRId64, indent - 6, round + 1);
	for (struct tt_round_walk walk = {0}; tt_round_next(schedule, round, &walk, &record);) {
		bool one = record->primitive == TT_MOVE;
		totum_status status =
			put_moves(&line, schedule, record, round, one ? record->move.from : 0,
				  one ? record->move.from + 1 : schedule->nranks);

		if (status)
			return status;
	}
	fputc('\n', out);
	return TOTUM_OK;
}

totum_status tt_draw_moves(const struct tt_schedule *schedule, size_t width, FILE *out)
{
	int indent = snprintf(NULL, 0, "round %" PRId64, schedule->rounds);
	totum_status status = tt_draw_listable(schedule);

	for (int64_t round = 0; round < schedule->rounds && !status; round++)
		status = write_round(schedule, round, width, indent, out);
	return status;
}
