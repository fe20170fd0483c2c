/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * steps_svg - the step table as a picture: in each cell lies the result as it is then, a slot for
 * each block.
 *
 *     a slot is   empty   the block is not here       grey   it was here before the round
 *                 black   it arrived in this round    part   as much of it as is here
 *
 * A cell of an all-to-all has a row of slots for each source.  Moves are arrows between the rows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "draw/facts.h"
#include "draw/names.h"
#include "draw/replay.h"
#include "draw/svg.h"

enum {
	MARGIN = 16,
	LABEL = 64,
	HEADER = 64,
	FOOTER = 46,
	PAD = 6,
	MOST_CELL = 160,
	MANY_CELL = 128,
	MOST_SLOT = 20,
	LEAST_SLOT = 2,
	TALL = 20,
	LEAST_WIDTH = 580
};

/* More slots than this no viewer shows in good time. */
enum { MOST_SLOTS = 1 << 19 };

struct picture {
	const struct tt_shown *shown;
	struct tt_replay *replay;
	double slot, tall, cell,
		gap;     /* a slot's width and height, a cell's width, what is between two rows */
	int64_t lines;   /* rows of slots in a cell */
	uint8_t *before; /* [rank][block]: how much was here, in percent + 1; 0: nothing */
	FILE *out;
};

static const struct tt_svg_style frame = {.fill = "none", .stroke = "black", .width = 1};
static const struct tt_svg_style thin = {.fill = "none", .stroke = "#999", .width = 0.5};

static double cell_x(const struct picture *picture, int64_t rank)
{
	return MARGIN + LABEL + (double)rank * (picture->cell + PAD);
}

static double cell_height(const struct picture *picture)
{
	return (double)picture->lines * picture->tall;
}

static double row_y(const struct picture *picture, int64_t row)
{
	return MARGIN + HEADER + (double)row * (cell_height(picture) + picture->gap);
}

/* How much of a block is here, from 0 to 1: pieces, and of sums the ranks that are in them. */
static double share(const struct picture *picture, int64_t rank, int64_t block)
{
	const struct tt_schedule *schedule = picture->shown->schedule;
	double sum = 0, most = __builtin_popcountll(tt_replay_complete(picture->replay));
	uint64_t ranks;

	for (int64_t piece = 0; piece < schedule->pieces; piece++)
		if (tt_replay_piece(picture->replay, rank, block, piece, &ranks))
			sum += __builtin_popcountll(ranks) / most;
	return sum / schedule->pieces;
}

static void draw_letter(const struct picture *picture, int64_t block, double x, double y,
			const char *fill)
{
	const struct tt_schedule *schedule = picture->shown->schedule;
	char *name = NULL;
	size_t size;

	if (picture->slot < 11)
		return;
	FILE *text = open_memstream(&name, &size);

	if (!text)
		return;
	tt_name_block(schedule, block, text);
	fclose(text);
	tt_svg_text(picture->out, x + picture->slot / 2, y + picture->tall * 0.72,
		    (struct tt_svg_font){.size = picture->slot * (size > 1 ? 0.45 : 0.62),
					 .anchor = TT_SVG_MIDDLE,
					 .fill = fill},
		    "%s", name);
	free(name);
}

static void draw_slot(struct picture *picture, int64_t rank, int64_t block, double x, double y)
{
	double now = share(picture, rank, block), side = picture->slot, tall = picture->tall;
	uint8_t *before = &picture->before[rank * picture->shown->schedule->nblocks + block];
	uint8_t percent = now > 0 ? (uint8_t)(1 + now * 100) : 0;
	bool fresh = percent != *before;

	if (now > 0)
		tt_svg_rect(picture->out, x, y + tall * (1 - now), side, tall * now,
			    (struct tt_svg_style){.fill = fresh ? "black" : "#bbb"});
	if (now > 0)
		draw_letter(picture, block, x, y,
			    fresh && now > 0.6 ? "white"
			    : fresh            ? "#777"
					       : "black");
	if (side >= 4)
		tt_svg_rect(picture->out, x, y, side, tall, thin);
	*before = percent;
}

static void draw_row(struct picture *picture, int64_t row)
{
	const struct tt_schedule *schedule = picture->shown->schedule;
	double y = row_y(picture, row), height = cell_height(picture);
	struct tt_svg_font font = {.size = 12, .anchor = TT_SVG_RIGHT};

	if (row)
		tt_svg_text(picture->out, MARGIN + LABEL - 8, y + height / 2 + 4, font,
			    "round %" PRId64, row);
	else
		tt_svg_text(picture->out, MARGIN + LABEL - 8, y + height / 2 + 4, font, "start");
	for (int64_t rank = 0; rank < schedule->nranks; rank++) {
		double x = cell_x(picture, rank);

		for (int64_t block = 0; block < schedule->nblocks; block++)
			draw_slot(picture, rank, block,
				  x + (double)(block % schedule->nranks) * picture->slot,
				  y + (double)(block / schedule->nranks) * picture->tall);
		tt_svg_rect(picture->out, x, y, picture->cell, height, frame);
	}
}

static void draw_arrows(const struct picture *picture, int64_t round)
{
	const struct tt_schedule *schedule = picture->shown->schedule;
	double top = row_y(picture, round) + cell_height(picture) + 2,
	       bottom = row_y(picture, round + 1) - 2;
	const struct tt_record *record;
	struct tt_transfer transfer;

	for (struct tt_round_walk walk = {0}; tt_round_next(schedule, round, &walk, &record);)
		for (int64_t rank = 0; rank < schedule->nranks; rank++) {
			if (!tt_record_send(schedule, record, round, rank, &transfer))
				continue;
			tt_svg_arrow(picture->out,
				     cell_x(picture, transfer.from) + picture->cell / 2, top,
				     cell_x(picture, transfer.to) + picture->cell / 2, bottom,
				     (struct tt_svg_style){.stroke = "#555",
							   .width = 0.8,
							   .dash = transfer.reduce ? "4 2" : NULL});
		}
}

static void draw_header(const struct picture *picture)
{
	const struct tt_schedule *schedule = picture->shown->schedule;
	struct tt_svg_font title = {.size = 16, .bold = 1}, note = {.size = 11, .fill = "#333"};

	tt_svg_text(picture->out, MARGIN, MARGIN + 14, title, "%s by %s, %" PRId64 " rank%s",
		    tt_collective_name(schedule->collective), schedule->name, schedule->nranks,
		    schedule->nranks == 1 ? "" : "s");
	tt_svg_text(picture->out, MARGIN, MARGIN + 32, note,
		    tt_reduces(schedule->collective)
			    ? "black: new in the round, grey: here before; a slot is filled as far "
			      "as the block is added up"
			    : "black: arrived in the round, grey: here before; one slot for each "
			      "block, in its place");
	for (int64_t rank = 0; rank < schedule->nranks; rank++)
		tt_svg_text(picture->out, cell_x(picture, rank) + picture->cell / 2,
			    MARGIN + HEADER - 8,
			    (struct tt_svg_font){.size = 12, .anchor = TT_SVG_MIDDLE, .bold = 1},
			    picture->cell > 60 ? "rank %" PRId64 : "%" PRId64, rank);
}

static void draw_footer(const struct picture *picture, double height)
{
	const struct tt_shown *shown = picture->shown;
	struct tt_svg_font font = {.size = 12}, small = {.size = 10, .fill = "#333"};
	char volume[TT_FRACTION_TEXT];

	tt_svg_text(picture->out, MARGIN, height - 26, font,
		    "%" PRId64 " round%s, volume %s, %" PRId64 " port%s, %s", shown->price.rounds,
		    shown->price.rounds == 1 ? "" : "s",
		    tt_fraction_text(shown->price.volume, volume), shown->price.ports,
		    shown->price.ports == 1 ? "" : "s", shown->violation ? "WRONG" : "verified");
	if (shown->command)
		tt_svg_text(picture->out, MARGIN, height - 10, small, "%s", shown->command);
}

static totum_status draw_all(struct picture *picture)
{
	const struct tt_schedule *schedule = picture->shown->schedule;
	double width = cell_x(picture, schedule->nranks) - PAD + MARGIN;
	double height = row_y(picture, schedule->rounds) + cell_height(picture) + FOOTER;
	totum_status status = TOTUM_OK;

	if (width < LEAST_WIDTH) /* for the texts */
		width = LEAST_WIDTH;
	tt_svg_begin(picture->out, width, height, "step table");
	draw_header(picture);
	draw_row(picture, 0);
	for (int64_t round = 0; round < schedule->rounds && !status; round++) {
		if (picture->shown->moves)
			draw_arrows(picture, round);
		status = tt_replay_round(picture->replay);
		if (!status)
			draw_row(picture, round + 1);
	}
	draw_footer(picture, height);
	tt_svg_end(picture->out);
	return status;
}

static void choose_sizes(struct picture *picture)
{
	const struct tt_schedule *schedule = picture->shown->schedule;
	double nranks = (double)schedule->nranks,
	       slot = (nranks > 8 ? MANY_CELL : MOST_CELL) / nranks;

	picture->slot = slot > MOST_SLOT ? MOST_SLOT : slot < LEAST_SLOT ? LEAST_SLOT : slot;
	picture->cell = picture->slot * nranks;
	picture->lines = schedule->nblocks / schedule->nranks;
	picture->tall = picture->lines > 1 ? picture->slot : TALL;
}

totum_status tt_draw_schedule_svg(const struct tt_shown *shown, FILE *out)
{
	const struct tt_schedule *schedule = shown->schedule;
	struct picture picture = {.shown = shown, .out = out, .gap = shown->moves ? 44 : 10};
	int64_t blocks = schedule->nranks * schedule->nblocks;
	totum_status status = tt_replay_new(schedule, &picture.replay);

	if (status)
		return status;
	if (blocks * (schedule->rounds + 1) > MOST_SLOTS) {
		tt_replay_free(picture.replay);
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "%s on %lld ranks is too large for a picture: %lld blocks and "
			       "rounds, %d at most",
			       schedule->name, (long long)schedule->nranks,
			       (long long)(blocks * (schedule->rounds + 1)), MOST_SLOTS);
	}
	choose_sizes(&picture);
	picture.before = calloc((size_t)blocks, 1);
	status = picture.before ? draw_all(&picture) : tt_fail_memory((size_t)blocks, "a picture");
	free(picture.before);
	tt_replay_free(picture.replay);
	return status;
}
