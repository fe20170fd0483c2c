/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify_reduction.c - follows one block of a collective that adds: whose contributions each rank's
 * sum holds.
 *
 * A sum is a set of ranks, one bit each.  Adding two that overlap would count a contribution twice;
 * storing over one that was not passed on would lose some.  Where each block has one last owner
 * (reduce-scatter, reduce) a sum that was given away is spent: giving it again, or adding to it, is
 * wrong or in vain.  In an all-reduce ranks may swap sums and both go on, and the sets alone
 * decide. O(ranks^2) bits; each hop costs O(ranks) bits.
 */
#include <stdlib.h>
#include <string.h>

#include "proof/verify_internal.h"
#include "schedule/grow.h"

struct sum {
	int64_t column;   /* what follows is of this column; else the rank has its own contribution
			     only */
	bool given;       /* it was sent to be added elsewhere, and has not changed since */
	bool passed;      /* the same, or it was sent to be stored elsewhere */
	int64_t sent;     /* the last round in which the rank sent it, or -1 */
	int64_t stored;   /* the last round in which it was stored over, or -1 */
	int64_t received; /* the last round in which anything came, or -1 */
	int64_t copy;     /* where its value at the start of round `copied` is kept */
	int64_t copied;
};

struct reduction {
	struct tt_verifier *verifier;
	bool owned; /* each block has one last owner */
	int64_t words;
	uint64_t *sets;   /* [nranks][words] */
	struct sum *sums; /* [nranks] */
	uint64_t *all;    /* [words]: the set of all ranks */
	uint64_t *copies; /* of sums that are sent and changed in the same round */
	int64_t ncopies, copies_capacity;
	int64_t columns;
};

static uint64_t *set_of(struct reduction *reduction, int64_t rank)
{
	return reduction->sets + rank * reduction->words;
}

static struct sum *sum_of(struct reduction *reduction, int64_t rank)
{
	struct sum *sum = &reduction->sums[rank];

	if (sum->column == reduction->columns)
		return sum;
	*sum = (struct sum){.column = reduction->columns,
			    .sent = -1,
			    .stored = -1,
			    .received = -1,
			    .copied = -1};
	memset(set_of(reduction, rank), 0, (size_t)reduction->words * sizeof(uint64_t));
	set_of(reduction, rank)[rank / 64] = UINT64_C(1) << rank % 64;
	return sum;
}

static bool equal(const struct reduction *reduction, const uint64_t *a, const uint64_t *b)
{
	return memcmp(a, b, (size_t)reduction->words * sizeof(*a)) == 0;
}

/* The least rank that is in a and not in b, or, with `both`, in both; -1 when there is none. */
static int64_t least(const struct reduction *reduction, const uint64_t *a, const uint64_t *b,
		     bool both)
{
	for (int64_t i = 0; i < reduction->words; i++) {
		uint64_t bits = a[i] & (both ? b[i] : ~b[i]);

		if (bits)
			return i * 64 + __builtin_ctzll(bits);
	}
	return -1;
}

static void send(struct reduction *reduction, const struct tt_column *column,
		 const struct tt_hop *hop)
{
	struct sum *sum = sum_of(reduction, hop->from);

	sum->sent = hop->round;
	sum->passed = true;
	if (!hop->reduce)
		return;
	if (reduction->owned && sum->given)
		tt_violate(reduction->verifier, TT_V7_REDUCTION, hop->round, hop->from,
			   column->block,
			   "round %lld: rank %d gives %s to rank %d but has given it away before",
			   (long long)hop->round, hop->from, column->name, hop->to);
	sum->given = true;
}

/* Keeps the value of a sum that is sent in the round in which something arrives for it. */
static totum_status keep(struct reduction *reduction, const struct tt_hop *hop)
{
	struct sum *sum = sum_of(reduction, hop->to);
	size_t bytes = (size_t)reduction->words * sizeof(uint64_t);

	if (sum->sent != hop->round || sum->copied == hop->round)
		return TOTUM_OK;
	uint64_t *copies =
		tt_grow(reduction->copies, reduction->ncopies, &reduction->copies_capacity, bytes);

	if (!copies)
		return tt_fail_memory(2 * (size_t)reduction->ncopies * bytes, "a proof");
	reduction->copies = copies;
	memcpy(copies + reduction->ncopies * reduction->words, set_of(reduction, hop->to), bytes);
	sum->copied = hop->round;
	sum->copy = reduction->ncopies++;
	return TOTUM_OK;
}

static void add(struct reduction *reduction, const struct tt_column *column,
		const struct tt_hop *hop, const uint64_t *source)
{
	struct sum *sum = sum_of(reduction, hop->to);
	uint64_t *target = set_of(reduction, hop->to);
	int64_t twice = least(reduction, target, source, true);

	if (twice >= 0)
		tt_violate(reduction->verifier, TT_V7_REDUCTION, hop->round, hop->to, column->block,
			   "round %lld: rank %d adds %s from rank %d and counts rank %lld twice",
			   (long long)hop->round, hop->to, column->name, hop->from,
			   (long long)twice);
	else if (reduction->owned && sum->given)
		tt_violate(reduction->verifier, TT_V7_REDUCTION, hop->round, hop->to, column->block,
			   "round %lld: rank %d adds %s from rank %d but has given it away",
			   (long long)hop->round, hop->to, column->name, hop->from);
	for (int64_t i = 0; i < reduction->words; i++)
		target[i] |= source[i];
	sum->given = sum->given && reduction->owned;
	sum->passed = false;
}

static void store(struct reduction *reduction, const struct tt_column *column,
		  const struct tt_hop *hop, const uint64_t *source)
{
	struct sum *sum = sum_of(reduction, hop->to);
	struct tt_verifier *verifier = reduction->verifier;
	uint64_t *target = set_of(reduction, hop->to);
	int64_t lost = sum->passed ? -1 : least(reduction, target, source, false);

	if (sum->received != hop->round && equal(reduction, target, source)) {
		verifier->report->redundant += verifier->times;
		if (!verifier->redundant)
			tt_violate(
				verifier, TT_V5_REDUNDANCY, hop->round, hop->to, column->block,
				"round %lld: rank %d receives %s from rank %d but has it already",
				(long long)hop->round, hop->to, column->name, hop->from);
	} else if (lost >= 0) {
		tt_violate(
			verifier, TT_V7_REDUCTION, hop->round, hop->to, column->block,
			"round %lld: rank %d stores %s from rank %d and loses what rank %lld gave",
			(long long)hop->round, hop->to, column->name, hop->from, (long long)lost);
	}
	memcpy(target, source, (size_t)reduction->words * sizeof(*target));
	sum->given = false;
	sum->passed = false;
}

static void receive(struct reduction *reduction, const struct tt_column *column,
		    const struct tt_hop *hop)
{
	struct sum *from = sum_of(reduction, hop->from), *to = sum_of(reduction, hop->to);
	const uint64_t *source = from->copied == hop->round
					 ? reduction->copies + from->copy * reduction->words
					 : set_of(reduction, hop->from);

	if (to->stored == hop->round || (!hop->reduce && to->received == hop->round))
		tt_violate(reduction->verifier, TT_V6_HAZARD, hop->round, hop->to, column->block,
			   "round %lld: rank %d receives %s twice, one of them to store",
			   (long long)hop->round, hop->to, column->name);
	else if (!hop->reduce && to->sent == hop->round)
		tt_violate(reduction->verifier, TT_V6_HAZARD, hop->round, hop->to, column->block,
			   "round %lld: rank %d stores %s from rank %d while it sends it",
			   (long long)hop->round, hop->to, column->name, hop->from);
	else if (hop->reduce)
		add(reduction, column, hop, source);
	else
		store(reduction, column, hop, source);
	to->received = hop->round;
	if (!hop->reduce)
		to->stored = hop->round;
}

static void check_end(struct reduction *reduction, const struct tt_column *column)
{
	const struct tt_schedule *schedule = reduction->verifier->schedule;

	for (int64_t rank = 0; rank < schedule->nranks; rank++) {
		if (!tt_wants_last(schedule, rank, column->block))
			continue;
		sum_of(reduction, rank);
		int64_t missing = least(reduction, reduction->all, set_of(reduction, rank), false);

		if (missing >= 0)
			tt_violate(reduction->verifier, TT_V1_FINAL, schedule->rounds, rank,
				   column->block,
				   "rank %lld ends with %s without what rank %lld gave",
				   (long long)rank, column->name, (long long)missing);
	}
}

static totum_status check(void *state, const struct tt_column *column)
{
	struct reduction *reduction = state;

	reduction->columns++;
	for (int64_t at = 0, end; at < column->nhops; at = end) {
		totum_status status = TOTUM_OK;

		for (end = at;
		     end < column->nhops && column->hops[end].round == column->hops[at].round;
		     end++)
			send(reduction, column, &column->hops[end]);
		reduction->ncopies = 0;
		for (int64_t i = at; i < end && !status; i++)
			status = keep(reduction, &column->hops[i]);
		if (status)
			return status;
		for (int64_t i = at; i < end; i++)
			receive(reduction, column, &column->hops[i]);
	}
	check_end(reduction, column);
	return TOTUM_OK;
}

totum_status tt_verify_reduction(struct tt_verifier *verifier, bool block_0_only)
{
	int64_t n = verifier->schedule->nranks, words = (n + 63) / 64;
	struct reduction reduction = {
		.verifier = verifier,
		.owned = verifier->schedule->collective != TT_ALLREDUCE,
		.words = words,
		.sets = calloc((size_t)(n * words), sizeof(uint64_t)),
		.sums = calloc((size_t)n, sizeof(struct sum)),
		.all = calloc((size_t)words, sizeof(uint64_t)),
	};
	totum_status status = TOTUM_OK;

	if (!reduction.sets || !reduction.sums || !reduction.all)
		status = tt_fail_memory((size_t)(n * words) * sizeof(uint64_t), "a proof");
	for (int64_t rank = 0; rank < n && !status; rank++)
		reduction.all[rank / 64] |= UINT64_C(1) << rank % 64;
	if (!status)
		status = tt_columns(verifier->schedule, block_0_only, check, &reduction);
	free(reduction.sets);
	free(reduction.sums);
	free(reduction.all);
	free(reduction.copies);
	return status;
}
