/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * build.c - making a schedule record by record.
 *
 * A builder call never fails by itself: an algorithm is then a few lines without error paths.  What
 * goes wrong is remembered in the schedule, the call returns its spare record to write into, and
 * seal reports it.
 */
#include <stdlib.h>

#include "schedule/grow.h"
#include "schedule/ir.h"

totum_status tt_schedule_new(enum tt_collective collective, int64_t nranks, int root, int pieces,
			     struct tt_schedule **out)
{
	if (collective < 0 || collective >= TT_COLLECTIVES)
		return tt_fail(TOTUM_EINVAL, "collective %d does not exist", (int)collective);
	if (nranks < 1 || nranks > TT_MAX_RANKS)
		return tt_fail(TOTUM_EINVAL, "a schedule has 1 to %d ranks, not %lld", TT_MAX_RANKS,
			       (long long)nranks);
	if (root < 0 || root >= nranks)
		return tt_fail(TOTUM_EINVAL, "root %d is no rank: there are %lld", root,
			       (long long)nranks);
	if (pieces < 1 || pieces > TT_MAX_PIECES)
		return tt_fail(TOTUM_EINVAL, "a block is cut in 1 to %d pieces, not %d",
			       TT_MAX_PIECES, pieces);
	struct tt_schedule *schedule = calloc(1, sizeof(*schedule));

	if (!schedule)
		return tt_fail_memory(sizeof(*schedule), "a schedule");
	schedule->collective = collective;
	schedule->nranks = nranks;
	schedule->nblocks = collective == TT_ALLTOALL ? nranks * nranks : nranks;
	schedule->root = tt_rooted(collective) ? root : 0;
	schedule->pieces = pieces;
	*out = schedule;
	return TOTUM_OK;
}

void tt_schedule_free(struct tt_schedule *schedule)
{
	if (!schedule)
		return;
	free(schedule->records);
	free(schedule->first_record);
	free(schedule->long_records);
	free(schedule);
}

static struct tt_record *append(struct tt_schedule *schedule, struct tt_record record)
{
	schedule->spare = record;
	if (schedule->failed)
		return &schedule->spare;
	if (schedule->first_record) {
		schedule->failed = TOTUM_EUSAGE;
		return &schedule->spare;
	}
	struct tt_record *records = tt_grow(schedule->records, schedule->nrecords,
					    &schedule->capacity, sizeof(*records));

	if (!records) {
		schedule->failed = TOTUM_EMEMORY;
		return &schedule->spare;
	}
	schedule->records = records;
	schedule->records[schedule->nrecords] = record;
	return &schedule->records[schedule->nrecords++];
}

void tt_schedule_add(struct tt_schedule *schedule, struct tt_record record)
{
	append(schedule, record);
}

struct tt_record *tt_shift(struct tt_schedule *schedule, int64_t round, int64_t distance,
			   int64_t first, int64_t count, int64_t stride)
{
	return tt_shift_repeat(schedule, round, 1, distance, first, 0, count, stride);
}

struct tt_record *tt_shift_repeat(struct tt_schedule *schedule, int64_t round, int64_t rounds,
				  int64_t distance, int64_t first, int64_t step, int64_t count,
				  int64_t stride)
{
	struct tt_record record = {
		.primitive = TT_SHIFT,
		.npieces = schedule->pieces,
		.round = round,
		.rounds = rounds,
		.shift = {.distance = distance,
			  .first = first,
			  .step = step,
			  .count = count,
			  .stride = stride},
	};

	if (rounds == 0) {
		schedule->spare = record;
		return &schedule->spare;
	}
	return append(schedule, record);
}

struct tt_record *tt_exchange(struct tt_schedule *schedule, int64_t round, int64_t mask,
			      int64_t field)
{
	struct tt_record record = {
		.primitive = TT_EXCHANGE,
		.npieces = schedule->pieces,
		.round = round,
		.rounds = 1,
		.exchange = {.mask = mask, .field = field},
	};

	return append(schedule, record);
}

struct tt_record *tt_move(struct tt_schedule *schedule, int64_t round, int64_t from, int64_t to,
			  int64_t first, int64_t count)
{
	struct tt_record record = {
		.primitive = TT_MOVE,
		.npieces = schedule->pieces,
		.round = round,
		.rounds = 1,
		.move = {.from = from, .to = to, .first = first, .count = count, .stride = 1},
	};

	return append(schedule, record);
}
