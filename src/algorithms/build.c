/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * build - from the name of an algorithm to a sealed schedule of a collective.
 *
 * An algorithm file writes the schedule of its own folder's collective only.  The others are
 * derived: a reduction is a distribution with time and direction reversed, an all-reduce is both, a
 * broadcast of a large buffer scatters it and gathers the blocks everywhere.
 */
#include <stdio.h>
#include <string.h>

#include "algorithms/algorithm.h"

struct choice {
	const struct tt_algorithm_entry *entry;
	int64_t values[TT_PARAMETERS];
	char text[TT_ALGORITHM_TEXT];
	int64_t nranks;
	int root;
	const struct tt_placement *placement; /* NULL: unknown, or it makes no difference */
};

static const char *refusal(const struct choice *choice)
{
	const struct tt_algorithm *algorithm = choice->entry->algorithm;

	if (!choice->placement)
		return algorithm->refuses ? algorithm->refuses(choice->nranks, choice->values)
					  : NULL;
	return algorithm->placed.refuses
		       ? algorithm->placed.refuses(choice->placement, choice->values)
		       : NULL;
}

static int pieces_of(const struct choice *choice)
{
	const struct tt_algorithm *algorithm = choice->entry->algorithm;

	if (!choice->placement)
		return algorithm->pieces ? algorithm->pieces(choice->nranks, choice->values) : 1;
	return algorithm->placed.pieces
		       ? algorithm->placed.pieces(choice->placement, choice->values)
		       : 1;
}

static totum_status check(const struct choice *choice, enum tt_collective collective)
{
	const struct tt_algorithm *algorithm = choice->entry->algorithm;
	const char *why = refusal(choice);
	bool reverses = collective != choice->entry->collective && collective != TT_BROADCAST;

	if (why)
		return tt_fail(TOTUM_EUNSUPPORTED, "%s does not run on %lld ranks: it %s",
			       choice->text, (long long)choice->nranks, why);
	if (reverses && algorithm->redundant &&
	    algorithm->redundant(choice->nranks, choice->values))
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "%s of %s sends ranks what they have, so it has no reverse to make "
			       "a %s of; choose another algorithm or parameter",
			       choice->text, tt_collective_name(choice->entry->collective),
			       tt_collective_name(collective));
	return TOTUM_OK;
}

/* Seals the schedule or frees it. */
static totum_status finish(struct tt_schedule *schedule, struct tt_schedule **out)
{
	totum_status status = tt_schedule_seal(schedule);

	if (status)
		tt_schedule_free(schedule);
	else
		*out = schedule;
	return status;
}

/* What the algorithm file itself describes. */
static totum_status build_own(const struct choice *choice, struct tt_schedule **out)
{
	const struct tt_algorithm *algorithm = choice->entry->algorithm;
	struct tt_schedule *schedule;
	totum_status status = tt_schedule_new(choice->entry->collective, choice->nranks,
					      choice->root, pieces_of(choice), &schedule);

	if (status)
		return status;
	strcpy(schedule->name, choice->text);
	if (choice->placement)
		algorithm->placed.build(schedule, choice->placement, choice->values);
	else
		algorithm->build(schedule, choice->values);
	return finish(schedule, out);
}

/* The root sends every rank its block, or gets it from every rank, in one round. */
static totum_status build_direct(const struct choice *choice, enum tt_collective collective,
				 struct tt_schedule **out)
{
	struct tt_schedule *schedule;
	totum_status status =
		tt_schedule_new(collective, choice->nranks, choice->root, 1, &schedule);

	if (status)
		return status;
	for (int64_t rank = 0; rank < choice->nranks; rank++) {
		if (rank == choice->root)
			continue;
		if (collective == TT_SCATTER)
			tt_move(schedule, 0, choice->root, rank, rank, 1);
		else
			tt_move(schedule, 0, rank, choice->root, rank, 1);
	}
	return finish(schedule, out);
}

/* own, reversed; or, with `then` given, own reversed and then `then`. */
static totum_status build_reverse(const struct tt_schedule *own, enum tt_collective collective,
				  const struct tt_schedule *then, struct tt_schedule **out)
{
	struct tt_schedule *reverse;
	totum_status status = tt_derive_reverse(own, &reverse);

	if (status)
		return status;
	if (!then) {
		*out = reverse;
		return TOTUM_OK;
	}
	status = tt_derive_compose(collective, reverse, then, out);
	tt_schedule_free(reverse);
	return status;
}

static totum_status derive(const struct choice *choice, enum tt_collective collective,
			   const struct tt_schedule *own, struct tt_schedule **out)
{
	struct tt_schedule *direct;
	totum_status status;

	if (collective == TT_ALLREDUCE)
		return build_reverse(own, collective, own, out);
	if (own->collective != TT_ALLGATHER || collective == TT_REDUCE_SCATTER)
		return build_reverse(own, collective, NULL, out);
	status = build_direct(choice, collective == TT_BROADCAST ? TT_SCATTER : TT_GATHER, &direct);
	if (status)
		return status;
	if (collective == TT_BROADCAST)
		status = tt_derive_compose(collective, direct, own, out);
	else
		status = build_reverse(own, collective, direct, out);
	tt_schedule_free(direct);
	return status;
}

static totum_status check_ranks(int64_t nranks, const struct tt_placement *placement)
{
	if (nranks < 1 || nranks > TT_MAX_RANKS)
		return tt_fail(TOTUM_EINVAL, "%lld ranks: a schedule is made for 1 to %d",
			       (long long)nranks, TT_MAX_RANKS);
	if (placement && placement->nranks != nranks)
		return tt_fail(TOTUM_EINVAL,
			       "a placement of %lld ranks says nothing of %lld; give one of as "
			       "many as there are",
			       (long long)placement->nranks, (long long)nranks);
	return TOTUM_OK;
}

totum_status tt_algorithm_build(enum tt_collective collective, const char *text, int64_t nranks,
				int root, struct tt_schedule **out)
{
	return tt_algorithm_build_placed(collective, text, nranks, root, NULL, out);
}

totum_status tt_algorithm_build_placed(enum tt_collective collective, const char *text,
				       int64_t nranks, int root,
				       const struct tt_placement *placement,
				       struct tt_schedule **out)
{
	struct choice choice = {.nranks = nranks, .root = root};
	struct tt_schedule *own;

	totum_status status = check_ranks(nranks, placement);

	if (!status)
		status = tt_algorithm_parse(collective, text, nranks, &choice.entry, choice.values);
	if (status)
		return status;
	choice.placement = choice.entry->algorithm->placed.build ? placement : NULL;
	tt_algorithm_format(choice.entry, choice.values, choice.text);
	status = check(&choice, collective);
	if (status)
		return status;
	if (!tt_rooted(collective))
		choice.root = 0;
	status = build_own(&choice, &own);
	if (status || choice.entry->collective == collective) {
		if (!status)
			*out = own;
		return status;
	}
	status = derive(&choice, collective, own, out);
	if (!status)
		strcpy((*out)->name, choice.text);
	tt_schedule_free(own);
	return status;
}
