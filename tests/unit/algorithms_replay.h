/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * algorithms_replay.h - plays a schedule move by move, with no regard for symmetry, and says what
 * came of it.
 *
 * Every rank has a 64-bit number for each piece of each block.  At the start it is random where the
 * rank holds the piece, and nonsense elsewhere; moves copy or add; at the end each wanted piece
 * must be the right number, or the right sum, in which a contribution that is missing or counted
 * twice cannot hide.
 */
#ifndef ALGORITHMS_REPLAY_H
#define ALGORITHMS_REPLAY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithm.h"

struct replay {
	char fault[200]; /* "" when the schedule does what its collective promises */
	int64_t repeats; /* how often a rank got a piece again, or one that it had from the start */
	int64_t carried; /* pieces: the sum over rounds of what the busiest link carries */
	int64_t ports;   /* the most partners a rank sends to, or receives from, in a round */
};

struct replay_board {
	const struct tt_schedule *schedule;
	int64_t units; /* pieces of all blocks */
	uint64_t *value;
	uint8_t *has, *got; /* [nranks * units] */
	int64_t *link;      /* [nranks * nranks]: pieces in this round */
	struct delivery {
		int64_t at;
		uint64_t value;
		bool reduce;
	} * deliveries;
	int64_t ndeliveries, capacity;
};

static uint64_t replay_random(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint64_t replay_part(const struct tt_schedule *schedule, int64_t rank, int64_t unit)
{
	bool sums = tt_reduces(schedule->collective);

	return replay_random(replay_random(sums ? (uint64_t)rank + 1 : 0) ^ (uint64_t)unit);
}

static void replay_start(struct replay_board *board, const struct tt_schedule *schedule)
{
	int64_t n = schedule->nranks;

	board->schedule = schedule;
	board->units = schedule->nblocks * schedule->pieces;
	board->value = calloc((size_t)(n * board->units), sizeof *board->value);
	board->has = calloc((size_t)(n * board->units), 1);
	board->got = calloc((size_t)(n * board->units), 1);
	board->link = calloc((size_t)(n * n), sizeof *board->link);
	for (int64_t rank = 0; rank < n; rank++)
		for (int64_t unit = 0; unit < board->units; unit++) {
			int64_t at = rank * board->units + unit;
			bool holds = tt_holds_first(schedule, rank, unit / schedule->pieces);

			board->has[at] = holds;
			board->value[at] = holds ? replay_part(schedule, rank, unit)
						 : replay_random((uint64_t)~at);
		}
}

static void replay_send(struct replay_board *board, const struct tt_transfer *transfer,
			int64_t round, struct replay *out)
{
	int64_t pieces = board->schedule->pieces;

	board->link[transfer->from * board->schedule->nranks + transfer->to] +=
		transfer->blocks.count * transfer->npieces;
	for (int64_t i = 0; i < transfer->blocks.count * transfer->npieces; i++) {
		int64_t block = tt_blocks_at(&transfer->blocks, i / transfer->npieces);
		int64_t unit = block * pieces + transfer->piece + i % transfer->npieces;
		int64_t from = transfer->from * board->units + unit;

		if (!board->has[from] && !out->fault[0])
			snprintf(out->fault, sizeof out->fault,
				 "round %lld: rank %lld sends rank %lld block %lld, which it does "
				 "not have",
				 (long long)round, (long long)transfer->from,
				 (long long)transfer->to, (long long)block);
		if (board->ndeliveries == board->capacity) {
			board->capacity = 2 * board->capacity + 64;
			board->deliveries =
				realloc(board->deliveries,
					(size_t)board->capacity * sizeof *board->deliveries);
		}
		board->deliveries[board->ndeliveries++] = (struct delivery){
			transfer->to * board->units + unit, board->value[from], transfer->reduce};
	}
}

static void replay_deliver(struct replay_board *board, struct replay *out)
{
	for (int64_t i = 0; i < board->ndeliveries; i++) {
		const struct delivery *delivery = &board->deliveries[i];

		out->repeats +=
			board->got[delivery->at] || (board->has[delivery->at] && !delivery->reduce);
		board->got[delivery->at] = 1;
		board->has[delivery->at] = 1;
		if (delivery->reduce)
			board->value[delivery->at] += delivery->value;
		else
			board->value[delivery->at] = delivery->value;
	}
	board->ndeliveries = 0;
}

static void replay_count(struct replay_board *board, struct replay *out)
{
	int64_t n = board->schedule->nranks, busiest = 0;

	for (int64_t rank = 0; rank < n; rank++) {
		int64_t sends = 0, receives = 0;

		for (int64_t peer = 0; peer < n; peer++) {
			int64_t carries = board->link[rank * n + peer];

			sends += carries > 0;
			receives += board->link[peer * n + rank] > 0;
			busiest = carries > busiest ? carries : busiest;
		}
		out->ports = sends > out->ports ? sends : out->ports;
		out->ports = receives > out->ports ? receives : out->ports;
	}
	out->carried += busiest;
	memset(board->link, 0, (size_t)(n * n) * sizeof *board->link);
}

static void replay_end(struct replay_board *board, struct replay *out)
{
	const struct tt_schedule *schedule = board->schedule;

	for (int64_t unit = 0; unit < board->units && !out->fault[0]; unit++) {
		uint64_t expected = replay_part(schedule, 0, unit);

		for (int64_t rank = 1; rank < schedule->nranks && tt_reduces(schedule->collective);
		     rank++)
			expected += replay_part(schedule, rank, unit);
		for (int64_t rank = 0; rank < schedule->nranks; rank++) {
			if (!tt_wants_last(schedule, rank, unit / schedule->pieces) ||
			    board->value[rank * board->units + unit] == expected)
				continue;
			snprintf(out->fault, sizeof out->fault,
				 "at the end rank %lld has a wrong piece %lld of block %lld",
				 (long long)rank, (long long)(unit % schedule->pieces),
				 (long long)(unit / schedule->pieces));
			break;
		}
	}
}

static struct replay replay_schedule(const struct tt_schedule *schedule)
{
	struct replay out = {.ports = 0};
	struct replay_board board = {.units = 0};

	replay_start(&board, schedule);
	for (int64_t round = 0; round < schedule->rounds; round++) {
		struct tt_round_walk walk = {0};
		const struct tt_record *record;
		struct tt_transfer transfer;

		while (tt_round_next(schedule, round, &walk, &record)) {
			bool one = record->primitive == TT_MOVE;

			for (int64_t rank = one ? record->move.from : 0;
			     rank < (one ? record->move.from + 1 : schedule->nranks); rank++)
				if (tt_record_send(schedule, record, round, rank, &transfer))
					replay_send(&board, &transfer, round, &out);
		}
		replay_count(&board, &out);
		replay_deliver(&board, &out);
	}
	replay_end(&board, &out);
	free(board.value);
	free(board.has);
	free(board.got);
	free(board.link);
	free(board.deliveries);
	return out;
}

#endif
