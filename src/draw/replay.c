/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay - who has what after each round.
 *
 * Per rank, block and piece: the set of ranks whose contributions are in it, and whether it is
 * worth showing. A round is carried out in three passes, so that every move reads the state at its
 * start: note what arrives; hide the sums that are sent away; store what arrived.
 */
#include "draw/replay.h"

#include <stdlib.h>
#include <string.h>

/* Above this many pieces in all a picture would not be read by anyone. */
enum { CELLS = 1 << 22 };

struct cell {
	uint64_t ranks;
	bool shown;
};

struct arrival {
	int64_t rank, block, piece;
	uint64_t ranks;
	bool reduce;
};

struct tt_replay {
	const struct tt_schedule *schedule;
	bool sums;
	uint64_t complete;
	int64_t round;
	struct cell *cells; /* [rank][block][piece] */
	int64_t *order;     /* [rank][nblocks]: the shown blocks in order of arrival */
	int64_t *count;     /* [rank] */
	struct arrival *arrivals;
	int64_t narrivals, capacity;
};

static struct cell *cell_of(const struct tt_replay *replay, int64_t rank, int64_t block,
			    int64_t piece)
{
	const struct tt_schedule *schedule = replay->schedule;

	return &replay->cells[(rank * schedule->nblocks + block) * schedule->pieces + piece];
}

static bool block_shown(const struct tt_replay *replay, int64_t rank, int64_t block)
{
	for (int64_t piece = 0; piece < replay->schedule->pieces; piece++)
		if (cell_of(replay, rank, block, piece)->shown)
			return true;
	return false;
}

static void show(struct tt_replay *replay, int64_t rank, int64_t block, int64_t piece)
{
	if (!block_shown(replay, rank, block))
		replay->order[rank * replay->schedule->nblocks + replay->count[rank]++] = block;
	cell_of(replay, rank, block, piece)->shown = true;
}

static void hide(struct tt_replay *replay, int64_t rank, int64_t block, int64_t piece)
{
	int64_t *order = &replay->order[rank * replay->schedule->nblocks];
	bool was = block_shown(replay, rank, block);

	cell_of(replay, rank, block, piece)->shown = false;
	if (!was || block_shown(replay, rank, block))
		return;
	int64_t i = 0;

	while (order[i] != block)
		i++;
	replay->count[rank]--;
	memmove(&order[i], &order[i + 1], (size_t)(replay->count[rank] - i) * sizeof(*order));
}

static void fill_start(struct tt_replay *replay)
{
	const struct tt_schedule *schedule = replay->schedule;

	for (int64_t rank = 0; rank < schedule->nranks; rank++)
		for (int64_t block = 0; block < schedule->nblocks; block++) {
			if (!tt_holds_first(schedule, rank, block))
				continue;
			for (int64_t piece = 0; piece < schedule->pieces; piece++) {
				uint64_t ranks = replay->sums ? UINT64_C(1) << rank : 1;

				cell_of(replay, rank, block, piece)->ranks = ranks;
				if (ranks == replay->complete)
					show(replay, rank, block, piece);
			}
		}
}

totum_status tt_replay_new(const struct tt_schedule *schedule, struct tt_replay **out)
{
	int64_t nranks = schedule->nranks;

	if (nranks > TT_REPLAY_RANKS)
		return tt_fail(TOTUM_EUNSUPPORTED, "a step table has at most %d ranks, not %lld",
			       TT_REPLAY_RANKS, (long long)nranks);
	if (nranks * schedule->nblocks * schedule->pieces > CELLS)
		return tt_fail(
			TOTUM_EUNSUPPORTED,
			"%lld blocks in %d pieces are too many for a step table of %lld ranks",
			(long long)schedule->nblocks, schedule->pieces, (long long)nranks);
	struct tt_replay *replay = calloc(1, sizeof(*replay));

	if (!replay)
		return tt_fail_memory(sizeof(*replay), "a replay");
	size_t blocks = (size_t)(nranks * schedule->nblocks);

	replay->schedule = schedule;
	replay->sums = tt_reduces(schedule->collective);
	replay->complete = !replay->sums  ? 1
			   : nranks == 64 ? UINT64_MAX
					  : (UINT64_C(1) << nranks) - 1;
	replay->cells = calloc(blocks * (size_t)schedule->pieces, sizeof(*replay->cells));
	replay->order = calloc(blocks, sizeof(*replay->order));
	replay->count = calloc((size_t)nranks, sizeof(*replay->count));
	if (!replay->cells || !replay->order || !replay->count) {
		tt_replay_free(replay);
		return tt_fail_memory(blocks * (size_t)schedule->pieces * sizeof(*replay->cells),
				      "a replay");
	}
	fill_start(replay);
	*out = replay;
	return TOTUM_OK;
}

void tt_replay_free(struct tt_replay *replay)
{
	if (!replay)
		return;
	free(replay->cells);
	free(replay->order);
	free(replay->count);
	free(replay->arrivals);
	free(replay);
}

static totum_status note(struct tt_replay *replay, struct arrival arrival)
{
	if (replay->narrivals == replay->capacity) {
		int64_t capacity = replay->capacity ? 2 * replay->capacity : 256;
		size_t bytes = (size_t)capacity * sizeof(*replay->arrivals);
		struct arrival *arrivals = realloc(replay->arrivals, bytes);

		if (!arrivals)
			return tt_fail_memory(bytes, "the moves of a round");
		replay->arrivals = arrivals;
		replay->capacity = capacity;
	}
	replay->arrivals[replay->narrivals++] = arrival;
	return TOTUM_OK;
}

static totum_status note_transfer(struct tt_replay *replay, const struct tt_transfer *transfer)
{
	for (int64_t i = 0; i < transfer->blocks.count; i++) {
		int64_t block = tt_blocks_at(&transfer->blocks, i);

		for (int64_t piece = transfer->piece; piece < transfer->piece + transfer->npieces;
		     piece++) {
			totum_status status =
				note(replay,
				     (struct arrival){
					     .rank = transfer->to,
					     .block = block,
					     .piece = piece,
					     .ranks = cell_of(replay, transfer->from, block, piece)
							      ->ranks,
					     .reduce = transfer->reduce,
				     });

			if (status)
				return status;
		}
	}
	return TOTUM_OK;
}

/*
 * A sum that is sent to be added elsewhere lives on there; a block of all-to-all that is sent on,
 * too.
 */
static totum_status hide_sent(struct tt_replay *replay, const struct tt_transfer *transfer)
{
	if (!transfer->reduce && replay->schedule->collective != TT_ALLTOALL)
		return TOTUM_OK;
	for (int64_t i = 0; i < transfer->blocks.count; i++)
		for (int64_t piece = transfer->piece; piece < transfer->piece + transfer->npieces;
		     piece++)
			hide(replay, transfer->from, tt_blocks_at(&transfer->blocks, i), piece);
	return TOTUM_OK;
}

static totum_status each_transfer(struct tt_replay *replay,
				  totum_status (*visit)(struct tt_replay *,
							const struct tt_transfer *))
{
	const struct tt_schedule *schedule = replay->schedule;
	const struct tt_record *record;
	struct tt_transfer transfer;

	for (struct tt_round_walk walk = {0};
	     tt_round_next(schedule, replay->round, &walk, &record);)
		for (int64_t rank = 0; rank < schedule->nranks; rank++) {
			if (!tt_record_send(schedule, record, replay->round, rank, &transfer))
				continue;
			totum_status status = visit(replay, &transfer);

			if (status)
				return status;
		}
	return TOTUM_OK;
}

static void store(struct tt_replay *replay)
{
	for (int64_t i = 0; i < replay->narrivals; i++) {
		const struct arrival *arrival = &replay->arrivals[i];
		struct cell *cell = cell_of(replay, arrival->rank, arrival->block, arrival->piece);

		cell->ranks = arrival->reduce ? cell->ranks | arrival->ranks : arrival->ranks;
		show(replay, arrival->rank, arrival->block, arrival->piece);
	}
}

totum_status tt_replay_round(struct tt_replay *replay)
{
	replay->narrivals = 0;
	totum_status status = each_transfer(replay, note_transfer);

	if (!status)
		status = each_transfer(replay, hide_sent);
	if (status)
		return status;
	store(replay);
	replay->round++;
	return TOTUM_OK;
}

int64_t tt_replay_count(const struct tt_replay *replay, int64_t rank)
{
	return replay->count[rank];
}

int64_t tt_replay_block(const struct tt_replay *replay, int64_t rank, int64_t i)
{
	return replay->order[rank * replay->schedule->nblocks + i];
}

bool tt_replay_piece(const struct tt_replay *replay, int64_t rank, int64_t block, int64_t piece,
		     uint64_t *ranks)
{
	const struct cell *cell = cell_of(replay, rank, block, piece);

	*ranks = cell->shown ? cell->ranks : 0;
	return cell->shown;
}

uint64_t tt_replay_complete(const struct tt_replay *replay)
{
	return replay->complete;
}
