/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify_movement.c - follows one block of a collective that only moves: who has it, and since
 * when.
 *
 * Every such block begins at one rank.  All sends of a round are looked at before its receives, so
 * that what comes in a round cannot be sent in it.  Marks carry the number of the column, so that
 * none need wiping.
 */
#include <stdlib.h>

#include "proof/verify_internal.h"

struct mark {
	int64_t column; /* the marks below are of this column; else the rank has nothing */
	int64_t came;   /* the round in which the rank got the block, -1: before all */
	int64_t sent;   /* the last round in which the rank sent it, or -1 */
};

struct movement {
	struct tt_verifier *verifier;
	struct mark *marks; /* [nranks] */
	int64_t columns;
};

static int64_t origin(const struct tt_schedule *schedule, int64_t block)
{
	switch (schedule->collective) {
	case TT_BROADCAST:
	case TT_SCATTER:
		return schedule->root;
	case TT_ALLTOALL:
		return block / schedule->nranks;
	default:
		return block;
	}
}

static bool has(const struct movement *movement, int64_t rank)
{
	return movement->marks[rank].column == movement->columns;
}

static void send(struct movement *movement, const struct tt_column *column,
		 const struct tt_hop *hop)
{
	struct mark *mark = &movement->marks[hop->from];

	if (!has(movement, hop->from))
		tt_violate(movement->verifier, TT_V2_CAUSALITY, hop->round, hop->from,
			   column->block,
			   "round %lld: rank %d sends %s to rank %d but does not have it",
			   (long long)hop->round, hop->from, column->name, hop->to);
	else
		mark->sent = hop->round;
}

static void receive(struct movement *movement, const struct tt_column *column,
		    const struct tt_hop *hop)
{
	struct mark *mark = &movement->marks[hop->to];
	struct tt_verifier *verifier = movement->verifier;

	if (!has(movement, hop->to)) {
		*mark = (struct mark){.column = movement->columns, .came = hop->round, .sent = -1};
		return;
	}
	verifier->report->redundant += verifier->times;
	if (mark->came == hop->round)
		tt_violate(verifier, TT_V6_HAZARD, hop->round, hop->to, column->block,
			   "round %lld: rank %d receives %s twice, the second time from rank %d",
			   (long long)hop->round, hop->to, column->name, hop->from);
	else if (mark->sent == hop->round)
		tt_violate(verifier, TT_V6_HAZARD, hop->round, hop->to, column->block,
			   "round %lld: rank %d receives %s from rank %d while it sends it",
			   (long long)hop->round, hop->to, column->name, hop->from);
	else if (!verifier->redundant)
		tt_violate(verifier, TT_V5_REDUNDANCY, hop->round, hop->to, column->block,
			   "round %lld: rank %d receives %s from rank %d but has it already",
			   (long long)hop->round, hop->to, column->name, hop->from);
}

static void check_end(struct movement *movement, const struct tt_column *column)
{
	const struct tt_schedule *schedule = movement->verifier->schedule;
	int64_t first = 0, end = schedule->nranks;

	if (schedule->collective != TT_ALLGATHER && schedule->collective != TT_BROADCAST) {
		first = schedule->collective == TT_GATHER ? schedule->root
							  : column->block % schedule->nranks;
		end = first + 1;
	}
	for (int64_t rank = first; rank < end; rank++)
		if (!has(movement, rank))
			tt_violate(movement->verifier, TT_V1_FINAL, schedule->rounds, rank,
				   column->block, "rank %lld ends without %s", (long long)rank,
				   column->name);
}

static totum_status check(void *state, const struct tt_column *column)
{
	struct movement *movement = state;
	int64_t first = origin(movement->verifier->schedule, column->block);

	movement->columns++;
	movement->marks[first] = (struct mark){.column = movement->columns, .came = -1, .sent = -1};
	for (int64_t at = 0, end; at < column->nhops; at = end) {
		for (end = at;
		     end < column->nhops && column->hops[end].round == column->hops[at].round;
		     end++)
			send(movement, column, &column->hops[end]);
		for (int64_t i = at; i < end; i++)
			receive(movement, column, &column->hops[i]);
	}
	check_end(movement, column);
	return TOTUM_OK;
}

totum_status tt_verify_movement(struct tt_verifier *verifier, bool block_0_only)
{
	size_t n = (size_t)verifier->schedule->nranks;
	struct movement movement = {.verifier = verifier, .marks = calloc(n, sizeof(struct mark))};

	if (!movement.marks)
		return tt_fail_memory(n * sizeof(struct mark), "a proof");
	totum_status status = tt_columns(verifier->schedule, block_0_only, check, &movement);

	free(movement.marks);
	return status;
}
