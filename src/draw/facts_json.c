/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * facts_json - a schedule as JSON: the facts, and every round with its moves and what each rank has
 * after it.
 *
 * State is given where a step table can be drawn (replay.h); moves always, up to TT_DRAW_MOVES of
 * them.
 */
#include "draw/draw.h"
#include "draw/facts.h"
#include "draw/json.h"
#include "draw/replay.h"

static void write_move(const struct tt_transfer *transfer, int pieces, struct tt_json *json)
{
	tt_json_object(json, NULL);
	tt_json_int(json, "from", transfer->from);
	tt_json_int(json, "to", transfer->to);
	tt_json_row(json, "blocks");
	for (int64_t i = 0; i < transfer->blocks.count; i++)
		tt_json_int(json, NULL, tt_blocks_at(&transfer->blocks, i));
	tt_json_end(json, ']');
	if (transfer->npieces < pieces) {
		tt_json_int(json, "piece", transfer->piece);
		tt_json_int(json, "npieces", transfer->npieces);
	}
	if (transfer->reduce)
		tt_json_bool(json, "reduce", true);
	tt_json_end(json, '}');
}

static void write_moves(const struct tt_schedule *schedule, int64_t round, struct tt_json *json)
{
	const struct tt_record *record;
	struct tt_transfer transfer;

	tt_json_array(json, "moves");
	for (struct tt_round_walk walk = {0}; tt_round_next(schedule, round, &walk, &record);) {
		bool one = record->primitive == TT_MOVE;
		int64_t first = one ? record->move.from : 0,
			end = one ? first + 1 : schedule->nranks;

		for (int64_t rank = first; rank < end; rank++)
			if (tt_record_send(schedule, record, round, rank, &transfer))
				write_move(&transfer, schedule->pieces, json);
	}
	tt_json_end(json, ']');
}

/* The blocks that each rank shows, in order of arrival. */
static void write_state(const struct tt_schedule *schedule, const struct tt_replay *replay,
			const char *key, struct tt_json *json)
{
	tt_json_array(json, key);
	for (int64_t rank = 0; rank < schedule->nranks; rank++) {
		tt_json_row(json, NULL);
		for (int64_t i = 0; i < tt_replay_count(replay, rank); i++)
			tt_json_int(json, NULL, tt_replay_block(replay, rank, i));
		tt_json_end(json, ']');
	}
	tt_json_end(json, ']');
}

static totum_status write_rounds(const struct tt_schedule *schedule, struct tt_replay *replay,
				 struct tt_json *json)
{
	totum_status status = TOTUM_OK;

	if (replay)
		write_state(schedule, replay, "start", json);
	tt_json_array(json, "rounds");
	for (int64_t round = 0; round < schedule->rounds && !status; round++) {
		tt_json_object(json, NULL);
		write_moves(schedule, round, json);
		if (replay)
			status = tt_replay_round(replay);
		if (replay && !status)
			write_state(schedule, replay, "blocks", json);
		tt_json_end(json, '}');
	}
	tt_json_end(json, ']');
	return status;
}

static void write_facts(const struct tt_shown *shown, struct tt_json *json)
{
	const struct tt_schedule *schedule = shown->schedule;

	if (shown->command)
		tt_json_string(json, "command", shown->command);
	tt_json_string(json, "collective", tt_collective_name(schedule->collective));
	tt_json_string(json, "algorithm", schedule->name);
	tt_json_int(json, "nranks", schedule->nranks);
	tt_json_int(json, "nblocks", schedule->nblocks);
	if (tt_rooted(schedule->collective))
		tt_json_int(json, "root", schedule->root);
	tt_json_int(json, "pieces", schedule->pieces);
	tt_json_int(json, "nrounds", shown->price.rounds);
	tt_json_fraction(json, "volume", shown->price.volume);
	tt_json_int(json, "ports", shown->price.ports);
	tt_json_bool(json, "verified", !shown->violation);
	if (shown->violation)
		tt_json_string(json, "violation", shown->violation);
}

totum_status tt_draw_schedule_json(const struct tt_shown *shown, FILE *out)
{
	struct tt_json json = {.out = out};
	struct tt_replay *replay = NULL;
	totum_status status = tt_draw_listable(shown->schedule);

	if (status)
		return status;
	status = tt_replay_new(shown->schedule, &replay);
	if (status && status != TOTUM_EUNSUPPORTED)
		return status;
	tt_json_object(&json, NULL);
	write_facts(shown, &json);
	status = write_rounds(shown->schedule, replay, &json);
	tt_json_end(&json, '}');
	tt_replay_free(replay);
	return status;
}
