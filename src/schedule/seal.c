/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * seal.c - the end of building: every number of every record is checked, the records are sorted
 * and indexed.
 *
 * After it, no reader needs to check a range again.  What is checked is form (ranks, blocks, pieces
 * and rounds exist, no rank sends to itself, no transfer names a block twice); whether the schedule
 * does what its collective promises is the verifier's question.  O(records + rounds).
 */
#include <stdlib.h>
#include <string.h>

#include "schedule/ir.h"
#include "schedule/modular.h"

static bool within(int64_t value, int64_t limit)
{
	return value >= -limit && value <= limit;
}

/* What is wrong with a shift, or NULL. */
static const char *shift_fault(const struct tt_schedule *schedule, const struct tt_record *record)
{
	int64_t n = schedule->nranks;

	if (schedule->collective == TT_ALLTOALL)
		return "an all-to-all has a block for each pair of ranks and is made of moves, not "
		       "shifts";
	if (record->shift.distance == 0 || !within(record->shift.distance, n - 1))
		return "the distance of a shift is not 0 and lies between -(nranks-1) and nranks-1";
	if (!within(record->shift.first, n) || !within(record->shift.step, n))
		return "first and step of a shift lie between -nranks and nranks";
	if (record->shift.count < 1 || record->shift.count > n)
		return "a shift sends between 1 and nranks blocks";
	if (!within(record->shift.stride, n))
		return "the stride of a shift lies between -nranks and nranks";
	if (record->shift.count > n / tt_common_divisor(n, tt_wrap(record->shift.stride, n)))
		return "the stride and count of a shift name a block twice";
	if (record->rounds > n)
		return "a shift repeats in at most nranks rounds";
	return NULL;
}

static const char *exchange_fault(const struct tt_schedule *schedule,
				  const struct tt_record *record)
{
	int64_t n = schedule->nranks;
	int64_t mask = record->exchange.mask, field = record->exchange.field;
	int64_t flip = record->exchange.flip;

	if (schedule->collective == TT_ALLTOALL)
		return "an all-to-all has a block for each pair of ranks and is made of moves, not "
		       "exchanges";
	if (mask < 1 || mask >= n)
		return "the mask of an exchange lies between 1 and nranks-1";
	if (field < 0 || field >= n || flip < 0 || flip >= n)
		return "field and flip of an exchange lie between 0 and nranks-1";
	int64_t unit = 1;

	while (unit <= (mask | field | flip))
		unit *= 2;
	if (n % unit)
		return "an exchange needs a number of ranks that is a multiple of the power of two "
		       "above its mask, "
		       "field and flip";
	if (record->rounds != 1)
		return "only a shift may repeat in several rounds";
	return NULL;
}

static const char *move_fault(const struct tt_schedule *schedule, const struct tt_record *record)
{
	int64_t n = schedule->nranks, blocks = schedule->nblocks;

	if (record->move.from < 0 || record->move.from >= n || record->move.to < 0 ||
	    record->move.to >= n)
		return "a move goes between ranks 0 to nranks-1";
	if (record->move.from == record->move.to)
		return "a rank cannot send to itself";
	if (record->move.first < 0 || record->move.first >= blocks)
		return "the first block of a move does not exist";
	if (record->move.count < 1 || record->move.count > blocks)
		return "a move sends at least one block and at most all";
	if (!within(record->move.stride, blocks))
		return "the stride of a move lies between -nblocks and nblocks";
	if (record->move.count >
	    blocks / tt_common_divisor(blocks, tt_wrap(record->move.stride, blocks)))
		return "the stride and count of a move name a block twice";
	if (record->rounds != 1)
		return "only a shift may repeat in several rounds";
	return NULL;
}

const char *tt_record_fault(const struct tt_schedule *schedule, const struct tt_record *record)
{
	if (record->round < 0 || record->round >= TT_MAX_ROUNDS)
		return "its round is negative or too large";
	if (record->rounds < 1)
		return "it lasts at least one round";
	if (record->piece < 0 || record->npieces < 1 || record->npieces > schedule->pieces ||
	    record->piece > schedule->pieces - record->npieces)
		return "its run of pieces leaves the block";
	if (record->reduce && !tt_reduces(schedule->collective))
		return "it reduces, in a collective that only moves";
	switch (record->primitive) {
	case TT_SHIFT:
		return shift_fault(schedule, record);
	case TT_EXCHANGE:
		return exchange_fault(schedule, record);
	case TT_MOVE:
		return move_fault(schedule, record);
	}
	return "its primitive does not exist";
}

static totum_status check(const struct tt_schedule *schedule)
{
	for (int64_t i = 0; i < schedule->nrecords; i++) {
		const struct tt_record *record = &schedule->records[i];
		const char *fault = tt_record_fault(schedule, record);

		if (fault)
			return tt_fail(
				TOTUM_EINVAL,
				"record %lld (round %lld) of schedule '%s' for %lld ranks: %s",
				(long long)i, (long long)record->round, schedule->name,
				(long long)schedule->nranks, fault);
	}
	return TOTUM_OK;
}

/*
 * Counts the rounds and the records that last longer than one.  More rounds than records cover must
 * have a gap; that is found here, before an index of that size is made.
 */
static totum_status measure(struct tt_schedule *schedule)
{
	int64_t covered = 0;

	schedule->rounds = 0;
	schedule->nlong = 0;
	for (int64_t i = 0; i < schedule->nrecords; i++) {
		const struct tt_record *record = &schedule->records[i];
		int64_t end = record->round + record->rounds;

		if (end > TT_MAX_ROUNDS)
			return tt_fail(TOTUM_EINVAL, "schedule '%s' has more than %d rounds",
				       schedule->name, TT_MAX_ROUNDS);
		if (end > schedule->rounds)
			schedule->rounds = end;
		covered += record->rounds;
		schedule->nlong += record->rounds > 1;
	}
	if (schedule->rounds > covered)
		return tt_fail(TOTUM_EINVAL,
			       "schedule '%s' for %lld ranks has %lld rounds and records for only "
			       "%lld: rounds are numbered without gaps",
			       schedule->name, (long long)schedule->nranks,
			       (long long)schedule->rounds, (long long)covered);
	return TOTUM_OK;
}

/* Fills first_record, and tells whether the records lie in order of first round. */
static bool count_starts(struct tt_schedule *schedule)
{
	int64_t *first = schedule->first_record;
	bool ordered = true;

	for (int64_t i = 0; i < schedule->nrecords; i++) {
		int64_t round = schedule->records[i].round;

		ordered &= i == 0 || schedule->records[i - 1].round <= round;
		first[round + 1]++;
	}
	for (int64_t round = 0; round < schedule->rounds; round++)
		first[round + 1] += first[round];
	return ordered;
}

/* A counting sort by first round, stable. */
static totum_status sort(struct tt_schedule *schedule)
{
	size_t bytes = (size_t)schedule->nrecords * sizeof(struct tt_record);
	struct tt_record *sorted = malloc(bytes);
	int64_t *first = schedule->first_record;

	if (!sorted)
		return tt_fail_memory(bytes, "a schedule's records in order");
	for (int64_t i = 0; i < schedule->nrecords; i++)
		sorted[first[schedule->records[i].round]++] = schedule->records[i];
	/* Filling has moved each start to the next one's place: move them back. */
	memmove(first + 1, first, (size_t)schedule->rounds * sizeof(*first));
	first[0] = 0;
	free(schedule->records);
	schedule->records = sorted;
	schedule->capacity = schedule->nrecords;
	return TOTUM_OK;
}

static totum_status check_gaps(const struct tt_schedule *schedule)
{
	int64_t reach = 0;

	for (int64_t i = 0; i < schedule->nrecords; i++) {
		const struct tt_record *record = &schedule->records[i];

		if (record->round > reach)
			return tt_fail(TOTUM_EINVAL,
				       "schedule '%s' for %lld ranks has no record in round %lld: "
				       "rounds are numbered without gaps",
				       schedule->name, (long long)schedule->nranks,
				       (long long)reach);
		if (record->round + record->rounds > reach)
			reach = record->round + record->rounds;
	}
	return TOTUM_OK;
}

static totum_status index_records(struct tt_schedule *schedule)
{
	size_t starts = (size_t)schedule->rounds + 1, repeats = (size_t)schedule->nlong + 1;
	totum_status status = TOTUM_OK;

	schedule->first_record = calloc(starts, sizeof(*schedule->first_record));
	schedule->long_records = calloc(repeats, sizeof(*schedule->long_records));
	if (!schedule->first_record || !schedule->long_records)
		return tt_fail_memory((starts + repeats) * sizeof(int64_t), "a schedule's index");
	if (!count_starts(schedule))
		status = sort(schedule);
	int64_t nlong = 0;

	for (int64_t i = 0; i < schedule->nrecords; i++)
		if (schedule->records[i].rounds > 1)
			schedule->long_records[nlong++] = i;
	return status ? status : check_gaps(schedule);
}

totum_status tt_schedule_seal(struct tt_schedule *schedule)
{
	if (schedule->failed == TOTUM_EMEMORY)
		return tt_fail_memory((size_t)schedule->capacity * 2 * sizeof(struct tt_record),
				      "a schedule's records");
	if (schedule->failed)
		return tt_fail(schedule->failed,
			       "a record was added to schedule '%s' after it was sealed",
			       schedule->name);
	if (schedule->first_record)
		return TOTUM_OK;
	totum_status status = check(schedule);

	if (!status)
		status = measure(schedule);
	if (!status)
		status = index_records(schedule);
	if (status) {
		free(schedule->first_record);
		free(schedule->long_records);
		schedule->first_record = NULL;
		schedule->long_records = NULL;
	}
	return status;
}
