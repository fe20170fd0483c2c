/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * derive.c - schedules from schedules: one reversed in time and direction, two in sequence.
 *
 * Reversed, a transfer r -> r+d becomes r+d -> r with the same blocks, written from the new
 * sender's side: shift     distance' = -distance, first' = first + distance; repeats run backwards,
 * so they start at the last first and the step changes sign exchange  the partner r^mask now sends
 * what r sent: flip' = mask ^ flip move      the ends swap; in all-to-all block s*nranks+d is
 * renamed d*nranks+s Where each block travels along a tree from its owner, the reverse collects
 * along the same tree: the receiver adds, and every contribution is added once.  O(records), but
 * for all-to-all O(blocks moved).
 */
#include <stdio.h>
#include <string.h>

#include "schedule/ir.h"
#include "schedule/modular.h"

static const enum tt_collective reversed[TT_COLLECTIVES] = {
	[TT_ALLGATHER] = TT_REDUCE_SCATTER, [TT_REDUCE_SCATTER] = TT_ALLGATHER,
	[TT_ALLREDUCE] = TT_ALLREDUCE,      [TT_BROADCAST] = TT_REDUCE,
	[TT_REDUCE] = TT_BROADCAST,         [TT_GATHER] = TT_SCATTER,
	[TT_SCATTER] = TT_GATHER,           [TT_ALLTOALL] = TT_ALLTOALL,
};

static bool adds(enum tt_collective collective)
{
	return tt_reduces(collective) || tt_reduces(reversed[collective]);
}

static void reverse_shift(struct tt_record *record, int64_t nranks)
{
	int64_t first = tt_wrap(record->shift.first, nranks);
	int64_t turns = tt_wrap(record->shift.step, nranks) * ((record->rounds - 1) % nranks);

	record->shift.first = tt_wrap(first + turns % nranks + record->shift.distance, nranks);
	record->shift.step = -record->shift.step;
	record->shift.distance = -record->shift.distance;
}

/* The blocks of a move under their transposed numbers: one move each, since a run need not stay a
 * run. */
static void add_transposed(struct tt_schedule *out, const struct tt_record *record)
{
	struct tt_blocks blocks = {.first = record->move.first,
				   .count = record->move.count,
				   .stride = record->move.stride,
				   .modulo = out->nblocks};

	for (int64_t i = 0; i < record->move.count; i++) {
		int64_t block = tt_wrap(tt_blocks_at(&blocks, i), out->nblocks);
		struct tt_record single = *record;

		single.move.first = block % out->nranks * out->nranks + block / out->nranks;
		single.move.count = 1;
		single.move.stride = 1;
		tt_schedule_add(out, single);
	}
}

static void add_reversed(struct tt_schedule *out, struct tt_record record, int64_t rounds)
{
	record.round = rounds - record.round - record.rounds;
	record.reduce = adds(out->collective) && !record.reduce;
	switch (record.primitive) {
	case TT_SHIFT:
		reverse_shift(&record, out->nranks);
		break;
	case TT_EXCHANGE:
		record.exchange.flip ^= record.exchange.mask;
		break;
	case TT_MOVE: {
		int64_t from = record.move.from;

		record.move.from = record.move.to;
		record.move.to = from;
		break;
	}
	}
	if (out->collective == TT_ALLTOALL)
		add_transposed(out, &record);
	else
		tt_schedule_add(out, record);
}

static totum_status finish(struct tt_schedule *schedule, struct tt_schedule **out)
{
	totum_status status = tt_schedule_seal(schedule);

	if (status)
		tt_schedule_free(schedule);
	else
		*out = schedule;
	return status;
}

static totum_status check_sealed(const struct tt_schedule *schedule)
{
	if (schedule->first_record)
		return TOTUM_OK;
	return tt_fail(TOTUM_EUSAGE,
		       "schedule '%s' must be sealed before others are derived from it",
		       schedule->name);
}

totum_status tt_derive_reverse(const struct tt_schedule *schedule, struct tt_schedule **out)
{
	struct tt_schedule *result;
	totum_status status = check_sealed(schedule);

	if (status)
		return status;
	status = tt_schedule_new(reversed[schedule->collective], schedule->nranks, schedule->root,
				 schedule->pieces, &result);
	if (status)
		return status;
	memcpy(result->name, schedule->name, sizeof(result->name));
	for (int64_t i = 0; i < schedule->nrecords; i++)
		add_reversed(result, schedule->records[i], schedule->rounds);
	return finish(result, out);
}

static void add_rescaled(struct tt_schedule *out, const struct tt_schedule *part, int64_t offset)
{
	int32_t scale = (int32_t)(out->pieces / part->pieces);

	for (int64_t i = 0; i < part->nrecords; i++) {
		struct tt_record record = part->records[i];

		record.round += offset;
		record.piece *= scale;
		record.npieces *= scale;
		tt_schedule_add(out, record);
	}
}

static totum_status check_pair(enum tt_collective collective, const struct tt_schedule *first,
			       const struct tt_schedule *second)
{
	bool all = collective == TT_ALLTOALL;

	if (first->nranks != second->nranks)
		return tt_fail(
			TOTUM_EINVAL,
			"'%s' for %lld ranks and '%s' for %lld do not compose: ranks must agree",
			first->name, (long long)first->nranks, second->name,
			(long long)second->nranks);
	if (all != (first->collective == TT_ALLTOALL) || all != (second->collective == TT_ALLTOALL))
		return tt_fail(TOTUM_EINVAL,
			       "%s and %s do not compose to %s: an all-to-all has other blocks",
			       tt_collective_name(first->collective),
			       tt_collective_name(second->collective),
			       tt_collective_name(collective));
	if (tt_rooted(first->collective) && tt_rooted(second->collective) &&
	    first->root != second->root)
		return tt_fail(
			TOTUM_EINVAL,
			"'%s' with root %d and '%s' with root %d do not compose: roots must agree",
			first->name, first->root, second->name, second->root);
	return TOTUM_OK;
}

totum_status tt_derive_compose(enum tt_collective collective, const struct tt_schedule *first,
			       const struct tt_schedule *second, struct tt_schedule **out)
{
	struct tt_schedule *result;
	totum_status status = check_sealed(first);

	if (!status)
		status = check_sealed(second);
	if (!status)
		status = check_pair(collective, first, second);
	if (status)
		return status;
	int64_t divisor = tt_common_divisor(first->pieces, second->pieces);
	int64_t pieces = first->pieces / divisor * second->pieces;

	if (pieces > TT_MAX_PIECES)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "'%s' in %d pieces and '%s' in %d would need %lld pieces a block, "
			       "more than %d",
			       first->name, first->pieces, second->name, second->pieces,
			       (long long)pieces, TT_MAX_PIECES);
	int root = tt_rooted(first->collective) ? first->root : second->root;

	status = tt_schedule_new(collective, first->nranks, root, (int)pieces, &result);
	if (status)
		return status;
	if (strcmp(first->name, second->name) == 0)
		memcpy(result->name, first->name, sizeof(result->name));
	else
		snprintf(result->name, sizeof(result->name), "%.46s+%.46s", first->name,
			 second->name);
	add_rescaled(result, first, 0);
	add_rescaled(result, second, first->rounds);
	return finish(result, out);
}
