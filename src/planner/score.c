/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * score - what a candidate takes, and what nothing can go below.
 *
 * On links of their own: the price.  On a topology: the load simulation, beside
 *
 *     rounds * alpha + lambda * M/n  (+ additions),   rounds = ceil(log of n to the base d+1)
 *
 * where d is the most links that leave a rank: as messages that follow each other on a link take an
 * alpha each, t alphas bring a block to at most (d+1)^t ranks.  What only has to reach a root may
 * arrive in one round.
 */
#include "planner/score.h"

#include "proof/simulate.h"

/* A schedule that is all shifts and exchanges at this size is so at every size. */
enum { PROBE_RANKS = 8 };

/* A price in seconds is a constant and a part for each byte. */
static void split(const struct tt_price *price, const struct tt_question *question, double *latency,
		  double *per_byte)
{
	const struct tt_machine *machine = &question->machine;

	*latency =
		(double)price->rounds * machine->alpha + (double)price->queued * machine->overhead;
	*per_byte = (tt_fraction_value(price->volume) / machine->beta +
		     tt_fraction_value(price->added) * machine->gamma) /
		    (double)question->nranks;
}

/* --- bounds -------------------------------------------------------------------------------- */

/* The most links that leave a rank, and the least alpha of one. */
static void look_at_ranks(const struct tt_topology *topology, int64_t *degree, double *alpha)
{
	int64_t least = INT64_MAX;

	*degree = 0;
	for (int64_t rank = 0; rank < topology->nranks; rank++) {
		int32_t vertex = topology->rank_vertex[rank];
		int64_t first = topology->first_out[vertex], end = topology->first_out[vertex + 1];

		*degree = end - first > *degree ? end - first : *degree;
		for (int64_t i = first; i < end; i++)
			least = topology->links[i].wire.alpha < least
					? topology->links[i].wire.alpha
					: least;
	}
	*alpha = least < INT64_MAX ? (double)least / (double)TT_PICOSECONDS : 0;
}

static totum_status find_cut(const struct tt_question *question, struct tt_bound **out)
{
	bool gathers =
		question->collective == TT_ALLGATHER || question->collective == TT_REDUCE_SCATTER;

	if (question->topology)
		return tt_bound_collective(question->topology, question->collective, question->root,
					   NULL, out);
	if (!gathers) /* the links of a symmetric shape are the same backwards, so these two have
			 one bound */
		return tt_fail(
			TOTUM_EUNSUPPORTED,
			"a topology of %lld ranks is too large for the bound of %s; use fewer",
			(long long)question->nranks, tt_collective_name(question->collective));
	return tt_bound_shape(question->shape, out);
}

static totum_status bound_on_topology(struct tt_candidates *candidates)
{
	const struct tt_question *question = &candidates->question;
	int64_t degree;
	totum_status status = find_cut(question, &candidates->cut);

	if (status)
		return status;
	if (question->topology) {
		look_at_ranks(question->topology, &degree, &candidates->alpha);
	} else {
		degree = tt_shape_degree(question->shape);
		candidates->alpha = (double)question->shape->alpha / (double)TT_PICOSECONDS;
	}
	candidates->least =
		tt_price_least(question->collective, question->nranks, degree ? degree : 1, 1);
	if (question->collective == TT_GATHER || question->collective == TT_REDUCE)
		candidates->least.rounds = question->nranks > 1;
	candidates->least.volume = candidates->cut->lambda_unit;
	candidates->bound_latency = (double)candidates->least.rounds * candidates->alpha;
	candidates->bound_per_byte =
		(tt_bound_seconds(candidates->cut, 1) +
		 tt_fraction_value(candidates->least.added) * question->machine.gamma) /
		(double)question->nranks;
	return TOTUM_OK;
}

static void bound_on_links(struct tt_candidates *candidates)
{
	const struct tt_question *question = &candidates->question;
	int64_t links = question->machine.links;

	candidates->alpha = question->machine.alpha;
	candidates->least = tt_price_least(question->collective, question->nranks, links, links);
	split(&candidates->least, question, &candidates->bound_latency,
	      &candidates->bound_per_byte);
}

totum_status tt_score_bound(struct tt_candidates *candidates)
{
	const struct tt_question *question = &candidates->question;
	totum_status status = TOTUM_OK;

	if (question->topology || question->shape)
		status = bound_on_topology(candidates);
	else
		bound_on_links(candidates);
	candidates->bound =
		candidates->bound_latency + candidates->bound_per_byte * (double)question->bytes;
	return status;
}

/* --- prices -------------------------------------------------------------------------------- */

static bool symmetric(const struct tt_candidate *candidate, enum tt_collective collective)
{
	struct tt_schedule *schedule;
	bool result = true;

	if (tt_algorithm_build(collective, candidate->name, PROBE_RANKS, 0, &schedule))
		return false;
	for (int64_t i = 0; i < schedule->nrecords && result; i++)
		result = schedule->records[i].primitive != TT_MOVE;
	tt_schedule_free(schedule);
	return result;
}

/* Where the ranks are, if that is known and makes a difference. */
static const struct tt_placement *placement_of(const struct tt_question *question,
					       const struct tt_candidate *candidate)
{
	return candidate->entry->algorithm->placed.build ? question->placement : NULL;
}

const char *tt_score_refusal(const struct tt_question *question,
			     const struct tt_candidate *candidate)
{
	const struct tt_algorithm *algorithm = candidate->entry->algorithm;

	if (placement_of(question, candidate))
		return algorithm->placed.refuses
			       ? algorithm->placed.refuses(question->placement, candidate->values)
			       : NULL;
	return algorithm->refuses ? algorithm->refuses(question->nranks, candidate->values) : NULL;
}

/* No more than this many moves, as the algorithm's claims put a limit to them. */
static bool listable(const struct tt_question *question, const struct tt_candidate *candidate)
{
	const struct tt_algorithm *algorithm = candidate->entry->algorithm;
	const struct tt_placement *placement = placement_of(question, candidate);
	struct tt_cost cost = {0};

	if (placement) {
		cost = algorithm->placed.cost(placement, question->root, candidate->values);
	} else {
		cost.rounds = algorithm->rounds(question->nranks, candidate->values);
		cost.ports = algorithm->ports(question->nranks, candidate->values);
	}
	__int128 moves = (__int128)cost.rounds * cost.ports * question->nranks;

	return moves <= TT_CANDIDATE_MOVES;
}

static totum_status build(const struct tt_question *question, const struct tt_candidate *candidate,
			  struct tt_schedule **out)
{
	if (!listable(question, candidate) && !symmetric(candidate, question->collective))
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "has more than %d moves, too many to price one by one",
			       TT_CANDIDATE_MOVES);
	return tt_algorithm_build_placed(question->collective, candidate->name, question->nranks,
					 question->root, question->placement, out);
}

/*
 * How often a collective runs through what an algorithm's claims describe: once for its own and for
 * a reversal, twice for both together; 0: it is derived in another way.  With one message a round
 * all that arrives is added.
 */
static int64_t runs_of(enum tt_collective collective, enum tt_collective own, int64_t ports)
{
	bool gathers = own == TT_ALLGATHER, broadcasts = own == TT_BROADCAST;

	if (collective == own && !tt_reduces(collective))
		return 1;
	if (own == TT_GATHER && collective == TT_SCATTER)
		return 1;
	if (ports > 1)
		return 0;
	if ((gathers && collective == TT_REDUCE_SCATTER) || (broadcasts && collective == TT_REDUCE))
		return 1;
	return (gathers || broadcasts) && collective == TT_ALLREDUCE ? 2 : 0;
}

static bool price_by_claims(const struct tt_question *question,
			    const struct tt_candidate *candidate, int64_t links,
			    struct tt_price *out)
{
	const struct tt_algorithm *algorithm = candidate->entry->algorithm;
	int64_t n = question->nranks, ports = algorithm->ports(n, candidate->values);
	int64_t runs = runs_of(question->collective, candidate->entry->collective, ports);
	bool reduces = tt_reduces(question->collective);
	bool redundant = algorithm->redundant && algorithm->redundant(n, candidate->values);

	if (placement_of(question, candidate))
		return false; /* the claims are those of another placement */
	if (!runs || ports > links || (reduces && redundant))
		return false;
	struct tt_fraction volume = algorithm->volume(n, candidate->values);
	struct tt_fraction none = {0, 1};

	*out = (struct tt_price){
		.rounds = runs * algorithm->rounds(n, candidate->values),
		.volume = tt_fraction_multiply(volume, (struct tt_fraction){runs, 1}),
		.added = reduces ? volume : none,
		.ports = ports};
	return true;
}

static totum_status price(const struct tt_question *question, const struct tt_candidate *candidate,
			  int64_t links, struct tt_price *out)
{
	struct tt_schedule *schedule;

	if (price_by_claims(question, candidate, links, out))
		return TOTUM_OK;
	totum_status status = build(question, candidate, &schedule);

	if (status)
		return status;
	status = tt_price_count(schedule, links, out);
	tt_schedule_free(schedule);
	return status;
}

static totum_status score_on_links(const struct tt_question *question,
				   struct tt_candidate *candidate)
{
	const struct tt_machine *machine = &question->machine;
	int64_t links = machine->links;
	totum_status status = price(question, candidate, links, &candidate->price);

	if (status)
		return status;
	int64_t ports = candidate->price.ports > links ? candidate->price.ports : links;
	struct tt_price own = candidate->price;
	struct tt_price least =
		tt_price_least(question->collective, question->nranks, ports, links);

	if (ports > links)
		status = price(question, candidate, ports, &own);
	candidate->volume = candidate->price.volume;
	split(&candidate->price, question, &candidate->latency, &candidate->per_byte);
	split(&least, question, &candidate->bound_latency, &candidate->bound_per_byte);
	candidate->own_seconds = tt_price_seconds(&own, question->nranks, question->bytes, machine);
	candidate->crowded = ports > links;
	candidate->surcharge =
		machine->overhead > 0 ? 0 : (double)candidate->price.queued * machine->alpha;
	return status;
}

/*
 * Many bytes, so that the latency does not drown what a block takes where the exact volume
 * overflows.
 */
static const double simulated_block = 1 << 30;

static totum_status simulate(const struct tt_question *question, const struct tt_schedule *schedule,
			     struct tt_simulation *out)
{
	struct tt_simulate_options options = {.block_bytes = simulated_block};
	totum_status status = TOTUM_EUNSUPPORTED;

	if (question->shape)
		status = tt_simulate_symmetric(schedule, question->shape, &options, out);
	if (status != TOTUM_EUNSUPPORTED)
		return status;
	if (!question->topology)
		return tt_fail(
			TOTUM_EUNSUPPORTED,
			"is not made of shifts, and %lld ranks are too many to simulate one by one",
			(long long)question->nranks);
	return tt_simulate_load(schedule, question->topology, &options, out);
}

static totum_status score_on_topology(const struct tt_candidates *candidates,
				      struct tt_candidate *candidate)
{
	const struct tt_question *question = &candidates->question;
	struct tt_schedule *schedule;
	struct tt_simulation simulation;
	totum_status status = build(question, candidate, &schedule);

	if (status)
		return status;
	status = tt_price_own(schedule, &candidate->price);
	if (!status)
		status = simulate(question, schedule, &simulation);
	tt_schedule_free(schedule);
	if (status)
		return status;
	candidate->volume = simulation.volume;
	candidate->latency = (double)simulation.latency / (double)TT_PICOSECONDS;
	double block = tt_fraction_valid(simulation.volume)
			       ? tt_fraction_value(simulation.volume) / (double)simulation.unit
			       : (simulation.seconds - candidate->latency) / simulated_block;

	candidate->per_byte =
		(block + tt_fraction_value(candidate->price.added) * question->machine.gamma) /
		(double)question->nranks;
	candidate->bound_latency = candidates->bound_latency;
	candidate->bound_per_byte = candidates->bound_per_byte;
	candidate->own_seconds = candidate->latency + candidate->per_byte * (double)question->bytes;
	return TOTUM_OK;
}

totum_status tt_score(const struct tt_candidates *candidates, struct tt_candidate *candidate)
{
	const struct tt_question *question = &candidates->question;
	totum_status status = question->topology || question->shape
				      ? score_on_topology(candidates, candidate)
				      : score_on_links(question, candidate);

	candidate->seconds = candidate->latency + candidate->per_byte * (double)question->bytes;
	candidate->judged = candidate->seconds + candidate->surcharge;
	candidate->bound =
		candidate->bound_latency + candidate->bound_per_byte * (double)question->bytes;
	return status;
}
