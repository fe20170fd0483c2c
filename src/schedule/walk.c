/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * walk.c - reading a sealed schedule: what a record means for one rank, and which records a round
 * has.
 *
 * A transfer is a pure function of (record, round, sender): the receiver computes it from the
 * sender's number, so that both sides agree without a word.  Runs are given in ascending block
 * order where the record allows, because neighbours in the buffer then merge into one range.
 */
#include "schedule/ir.h"
#include "schedule/modular.h"

static int64_t deposit(int64_t bits, int64_t field)
{
	int64_t result = 0;

	for (; bits && field; field &= field - 1, bits >>= 1)
		if (bits & 1)
			result |= field & -field;
	return result;
}

int64_t tt_blocks_at(const struct tt_blocks *blocks, int64_t i)
{
	if (blocks->subset)
		return blocks->first ^ deposit(i, blocks->field);
	if (blocks->modulo <= INT32_MAX)
		return (blocks->first + i * blocks->stride) % blocks->modulo;
	/* 128 bits: in all-to-all both factors may be near 2^48. */
	return (int64_t)((blocks->first + (__int128)i * blocks->stride) % blocks->modulo);
}

/* The run r-first, r-first-stride, .. turned round so that it ascends. */
static struct tt_blocks shift_blocks(const struct tt_schedule *schedule,
				     const struct tt_record *record, int64_t round, int64_t from)
{
	int64_t n = schedule->nranks;
	int64_t count = record->shift.count;
	int64_t stride = record->shift.stride;
	int64_t turn = tt_wrap(record->shift.step, n) * ((round - record->round) % n) % n;
	int64_t nearest = tt_wrap(from - tt_wrap(record->shift.first, n) - turn, n);
	int64_t farthest = tt_wrap(nearest - tt_wrap(stride, n) * (count - 1), n);

	return (struct tt_blocks){.first = stride > 0 ? farthest : nearest,
				  .count = count,
				  .stride = stride > 0 ? stride : -stride,
				  .modulo = n};
}

static struct tt_blocks exchange_blocks(const struct tt_record *record, int64_t from)
{
	int64_t field = record->exchange.field;

	return (struct tt_blocks){.subset = true,
				  .first = (from ^ record->exchange.flip) & ~field,
				  .count = (int64_t)1 << __builtin_popcountll((uint64_t)field),
				  .field = field};
}

static struct tt_blocks move_blocks(const struct tt_schedule *schedule,
				    const struct tt_record *record)
{
	return (struct tt_blocks){.first = record->move.first,
				  .count = record->move.count,
				  .stride = tt_wrap(record->move.stride, schedule->nblocks),
				  .modulo = schedule->nblocks};
}

static void fill(const struct tt_schedule *schedule, const struct tt_record *record, int64_t round,
		 int64_t from, int64_t to, struct tt_transfer *out)
{
	*out = (struct tt_transfer){.from = from,
				    .to = to,
				    .piece = record->piece,
				    .npieces = record->npieces,
				    .reduce = record->reduce};
	switch (record->primitive) {
	case TT_SHIFT:
		out->blocks = shift_blocks(schedule, record, round, from);
		break;
	case TT_EXCHANGE:
		out->blocks = exchange_blocks(record, from);
		break;
	case TT_MOVE:
		out->blocks = move_blocks(schedule, record);
		break;
	}
}

bool tt_record_send(const struct tt_schedule *schedule, const struct tt_record *record,
		    int64_t round, int64_t rank, struct tt_transfer *out)
{
	int64_t to = record->move.to;

	if (record->primitive == TT_SHIFT)
		to = tt_wrap(rank + record->shift.distance, schedule->nranks);
	else if (record->primitive == TT_EXCHANGE)
		to = rank ^ record->exchange.mask;
	else if (record->move.from != rank)
		return false;
	fill(schedule, record, round, rank, to, out);
	return true;
}

bool tt_record_receive(const struct tt_schedule *schedule, const struct tt_record *record,
		       int64_t round, int64_t rank, struct tt_transfer *out)
{
	int64_t from = record->move.from;

	if (record->primitive == TT_SHIFT)
		from = tt_wrap(rank - record->shift.distance, schedule->nranks);
	else if (record->primitive == TT_EXCHANGE)
		from = rank ^ record->exchange.mask;
	else if (record->move.to != rank)
		return false;
	fill(schedule, record, round, from, rank, out);
	return true;
}

bool tt_round_next(const struct tt_schedule *schedule, int64_t round, struct tt_round_walk *walk,
		   const struct tt_record **record)
{
	if (round < 0 || round >= schedule->rounds)
		return false;
	/* walk->at counts through the long records that began earlier, then through those that
	 * begin here. */
	while (walk->at < schedule->nlong) {
		const struct tt_record *candidate =
			&schedule->records[schedule->long_records[walk->at]];

		if (candidate->round >= round) {
			walk->at = schedule->nlong;
			break;
		}
		walk->at++;
		if (round - candidate->round < candidate->rounds) {
			*record = candidate;
			return true;
		}
	}
	int64_t index = schedule->first_record[round] + walk->at - schedule->nlong;

	if (index >= schedule->first_record[round + 1])
		return false;
	walk->at++;
	*record = &schedule->records[index];
	return true;
}
