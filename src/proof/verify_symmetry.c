/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify_symmetry.c - when one block speaks for all, and how sums are proved without sets of
 * contributions.
 *
 * Shifts commute with r -> r+1, exchanges with r -> r^x: a schedule of one kind that is right for
 * block 0 is right for all.  For shifts this is the circulant condition: with H the offsets at
 * which a block is held, every round sends from within H, and the offsets it reaches are new, until
 * H is everything. A reduce-scatter in which every rank gives away each sum once is an all-gather
 * turned round, and right iff that is right without redundancy.  So an all-reduce of two such
 * halves is proved in O(ranks), too.
 */
#include <string.h>

#include "proof/verify_internal.h"

/* The primitives among records [begin, end), as a set of bits. */
static unsigned primitives(const struct tt_schedule *schedule, int64_t begin, int64_t end)
{
	unsigned set = 0;

	for (int64_t i = begin; i < end; i++)
		set |= 1u << schedule->records[i].primitive;
	return set;
}

static bool one_kind(const struct tt_schedule *schedule, int64_t begin, int64_t end)
{
	unsigned set = primitives(schedule, begin, end);
	bool power = (schedule->nranks & (schedule->nranks - 1)) == 0;

	return set == 0 || set == 1u << TT_SHIFT || (set == 1u << TT_EXCHANGE && power);
}

bool tt_symmetric(const struct tt_schedule *schedule)
{
	switch (schedule->collective) {
	case TT_ALLGATHER:
	case TT_REDUCE_SCATTER:
	case TT_ALLREDUCE:
		return one_kind(schedule, 0, schedule->nrecords);
	default:
		return false;
	}
}

/* How many records, from the first on, add; -1 when they overlap in time with records that store.
 */
static int64_t adding(const struct tt_schedule *schedule)
{
	int64_t count = 0, end = 0;

	while (count < schedule->nrecords && schedule->records[count].reduce) {
		const struct tt_record *record = &schedule->records[count++];

		if (record->round + record->rounds > end)
			end = record->round + record->rounds;
	}
	for (int64_t i = count; i < schedule->nrecords; i++)
		if (schedule->records[i].reduce || schedule->records[i].round < end)
			return -1;
	return count;
}

bool tt_reversible(const struct tt_schedule *schedule)
{
	int64_t count = adding(schedule);

	if (count < 0 || !one_kind(schedule, 0, count) ||
	    !one_kind(schedule, count, schedule->nrecords))
		return false;
	return schedule->collective == TT_ALLREDUCE ||
	       (schedule->collective == TT_REDUCE_SCATTER && count == schedule->nrecords);
}

/* Records [begin, end) as a schedule of their own. */
static totum_status cut(const struct tt_schedule *schedule, enum tt_collective collective,
			int64_t begin, int64_t end, struct tt_schedule **out)
{
	struct tt_schedule *part;
	totum_status status =
		tt_schedule_new(collective, schedule->nranks, 0, schedule->pieces, &part);

	if (status)
		return status;
	memcpy(part->name, schedule->name, sizeof(part->name));
	for (int64_t i = begin; i < end; i++) {
		struct tt_record record = schedule->records[i];

		record.round -= schedule->records[begin].round;
		tt_schedule_add(part, record);
	}
	status = tt_schedule_seal(part);
	if (status)
		tt_schedule_free(part);
	else
		*out = part;
	return status;
}

static totum_status prove(const struct tt_verifier *verifier, const struct tt_schedule *gather,
			  const char *where, bool redundant)
{
	struct tt_verifier part = *verifier;

	part.schedule = gather;
	part.where = where;
	part.redundant = redundant;
	return tt_verify_movement(&part, true);
}

/* The sums of the first `count` records, as the all-gather that they are the reverse of. */
static totum_status prove_sums(const struct tt_verifier *verifier, int64_t count)
{
	struct tt_schedule *scatter, *gather;
	int64_t redundant = verifier->report->redundant;
	totum_status status = cut(verifier->schedule, TT_REDUCE_SCATTER, 0, count, &scatter);

	if (status)
		return status;
	status = tt_derive_reverse(scatter, &gather);
	tt_schedule_free(scatter);
	if (status)
		return status;
	status = prove(verifier, gather, "reversed: ", false);
	verifier->report->redundant = redundant; /* of the reverse, where it is a violation */
	tt_schedule_free(gather);
	return status;
}

totum_status tt_verify_reversal(const struct tt_verifier *verifier)
{
	const struct tt_schedule *schedule = verifier->schedule;
	int64_t count = adding(schedule);
	struct tt_schedule *gather;
	totum_status status = prove_sums(verifier, count);

	if (status || schedule->collective != TT_ALLREDUCE)
		return status;
	status = cut(schedule, TT_ALLGATHER, count, schedule->nrecords, &gather);
	if (status)
		return status;
	status = prove(verifier, gather, "second half: ", verifier->redundant);
	tt_schedule_free(gather);
	return status;
}
