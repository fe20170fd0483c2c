/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate_symmetric - shifts on rings, tori, hypercubes and full meshes of
 * any size, by arithmetic.
 *
 * On a full mesh a shift by d loads the links r -> r+d and no others.  On a grid with row-major
 * ranks a shift by d adds the digits of d to those of the rank, with carries.  Along dimension j
 * every rank moves e = d_j + carry steps, where the carry is 1 exactly when the lower digits of the
 * rank and of d together overflow: one threshold.  Routes finish slower dimensions first, and
 * adding a constant to digits permutes them, so a link of dimension j at given lower digits carries
 * exactly hops(e) messages.  The load along a dimension and direction is therefore a step function
 * of the lower digits, a sum of one step for each shift; its maximum comes from sorting the
 * thresholds.  Rounds with the same records are one computation.
 * O(records * dimensions), with a log for sorting.
 */
#include <stdlib.h>
#include <string.h>

#include "proof/simulate.h"
#include "schedule/grow.h"
#include "schedule/modular.h"

enum { DIRECTIONS = 2 };

/* Ranks that are looked at one by one where several messages of a rank may leave over one link. */
static const int64_t most_looks = INT64_C(1) << 28;

struct shift {
	int64_t distance; /* 1 .. nranks-1 */
	int64_t volume;   /* blocks / scale */
};

struct step {
	int64_t at;      /* from here on, by value of the lower digits, */
	__int128 change; /* the load differs by this */
};

struct symmetric {
	const struct tt_schedule *schedule;
	const struct tt_shape *shape;
	const struct tt_simulate_options *options;
	int64_t below[TT_SHAPE_DIMENSIONS]; /* ranks in one step of the dimension */
	struct shift *shifts;               /* of the round, by distance */
	int64_t nshifts, shifts_room;
	struct step *steps[DIRECTIONS];
	int64_t nsteps[DIRECTIONS], steps_room[DIRECTIONS];
};

static int compare_shifts(const void *a, const void *b)
{
	const struct shift *x = a, *y = b;

	return x->distance < y->distance ? -1 : x->distance > y->distance;
}

static int compare_steps(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static int compare_rounds(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The shifts of a round; what goes the same distance is one message. */
static totum_status collect(struct symmetric *symmetric, int64_t round)
{
	const struct tt_schedule *schedule = symmetric->schedule;
	struct tt_round_walk walk = {0};
	const struct tt_record *record;
	int64_t kept = 0;

	symmetric->nshifts = 0;
	while (tt_round_next(schedule, round, &walk, &record)) {
		struct shift *shifts = tt_grow(symmetric->shifts, symmetric->nshifts,
					       &symmetric->shifts_room, sizeof *shifts);
		struct shift shift = {.distance =
					      tt_wrap(record->shift.distance, schedule->nranks)};
		int64_t parts = (int64_t)record->npieces * (symmetric->options->split ? 2 : 1);

		if (!shifts)
			return tt_fail_memory(2 * (size_t)symmetric->nshifts * sizeof *shifts,
					      "a round");
		symmetric->shifts = shifts;
		if (__builtin_mul_overflow(record->shift.count, parts, &shift.volume))
			return tt_fail(
				TOTUM_EUNSUPPORTED,
				"a message of more than 9e18 parts of blocks; use fewer pieces");
		if (shift.distance && shift.volume)
			shifts[symmetric->nshifts++] = shift;
	}
	if (!symmetric->nshifts)
		return TOTUM_OK;
	struct shift *shifts = symmetric->shifts;
	qsort(shifts, (size_t)symmetric->nshifts, sizeof *shifts, compare_shifts);
	for (int64_t i = 1; i < symmetric->nshifts; i++)
		if (shifts[i].distance == shifts[kept].distance)
			shifts[kept].volume += shifts[i].volume;
		else
			shifts[++kept] = shifts[i];
	symmetric->nshifts = kept + 1;
	return TOTUM_OK;
}

/* Load per message volume along a dimension of k when all move e steps: [0] clockwise, [1] back. */
static void hops(const struct symmetric *symmetric, int64_t k, int64_t e, int64_t volume,
		 __int128 out[DIRECTIONS])
{
	bool tie = k > 2 && 2 * e == k;

	out[0] = 2 * e <= k ? (__int128)volume * e : 0;
	out[1] = 2 * e <= k ? 0 : (__int128)volume * (k - e);
	if (tie && symmetric->options->split) {
		out[0] /= 2;
		out[1] = out[0];
	}
}

static totum_status add_step(struct symmetric *symmetric, int direction, int64_t at,
			     __int128 change)
{
	if (!change)
		return TOTUM_OK;
	struct step *steps = tt_grow(symmetric->steps[direction], symmetric->nsteps[direction],
				     &symmetric->steps_room[direction], sizeof *steps);
	if (!steps)
		return tt_fail_memory(2 * (size_t)symmetric->nsteps[direction] * sizeof *steps,
				      "a round");
	symmetric->steps[direction] = steps;
	steps[symmetric->nsteps[direction]++] = (struct step){.at = at, .change = change};
	return TOTUM_OK;
}

static totum_status add_shift(struct symmetric *symmetric, int dimension, const struct shift *shift)
{
	int64_t k = symmetric->shape->dims[dimension], below = symmetric->below[dimension];
	int64_t digit = shift->distance / below % k, low = shift->distance % below;
	__int128 without[DIRECTIONS], with[DIRECTIONS];
	totum_status status = TOTUM_OK;

	hops(symmetric, k, digit, shift->volume, without);
	hops(symmetric, k, (digit + 1) % k, shift->volume, with);
	for (int way = 0; way < DIRECTIONS && !status; way++) {
		status = add_step(symmetric, way, 0, without[way]);
		if (!status && low)
			status = add_step(symmetric, way, below - low, with[way] - without[way]);
	}
	return status;
}

/* The greatest value of a sum of steps. */
static __int128 highest(struct step *steps, int64_t nsteps)
{
	__int128 load = 0, most = 0;

	if (nsteps)
		qsort(steps, (size_t)nsteps, sizeof *steps, compare_steps);
	for (int64_t i = 0; i < nsteps; i++) {
		load += steps[i].change;
		if ((i + 1 == nsteps || steps[i + 1].at != steps[i].at) && load > most)
			most = load;
	}
	return most;
}

static totum_status grid_load(struct symmetric *symmetric, __int128 *most)
{
	totum_status status = TOTUM_OK;

	*most = 0;
	for (int j = 0; j < symmetric->shape->ndims; j++) {
		symmetric->nsteps[0] = symmetric->nsteps[1] = 0;
		if (symmetric->shape->dims[j] == 1)
			continue;
		for (int64_t i = 0; i < symmetric->nshifts && !status; i++)
			status = add_shift(symmetric, j, &symmetric->shifts[i]);
		if (status)
			return status;
		for (int way = 0; way < DIRECTIONS; way++) {
			__int128 load = highest(symmetric->steps[way], symmetric->nsteps[way]);

			*most = load > *most ? load : *most;
		}
	}
	return TOTUM_OK;
}

/*
 * The longest route of any rank: digit by digit from the fastest, the greatest sum of hops with and
 * without a carry into the next digit, -1 where no rank has it.
 */
static int64_t longest_route(const struct symmetric *symmetric, int64_t distance)
{
	int64_t best[2] = {0, -1};

	for (int j = symmetric->shape->ndims - 1; j >= 0; j--) {
		int64_t k = symmetric->shape->dims[j], digit = distance / symmetric->below[j] % k;
		int64_t next[2] = {-1, -1};

		for (int carry = 0; carry < 2; carry++) {
			int64_t sum = digit + carry, e = sum % k;

			if (best[carry] < 0)
				continue;
			int64_t far = best[carry] + (2 * e <= k ? e : k - e);
			if (sum < k && far > next[0]) /* digit 0 does not overflow */
				next[0] = far;
			if (sum > 0 && far > next[1]) /* the greatest digit does */
				next[1] = far;
		}
		memcpy(best, next, sizeof best);
	}
	return best[0] > best[1] ? best[0] : best[1];
}

/*
 * Over which of its links a message by `distance` leaves the rank with these lower digits; *also:
 * its other half.
 */
static int first_link(const struct symmetric *symmetric, int64_t rank, int64_t distance, int *also)
{
	*also = -1;
	for (int j = 0; j < symmetric->shape->ndims; j++) {
		int64_t k = symmetric->shape->dims[j], below = symmetric->below[j];
		int64_t carry = rank % below + distance % below >= below;
		int64_t e = (distance / below + carry) % k;

		if (!e)
			continue;
		if (symmetric->options->split && k > 2 && 2 * e == k)
			*also = 2 * j + 1;
		return 2 * j + (2 * e > k);
	}
	return 0;
}

/* The most messages that leave a rank over one link. */
static totum_status turns_of(const struct symmetric *symmetric, int64_t *most)
{
	int64_t positions = symmetric->below[0];

	*most = symmetric->nshifts > 0;
	if (symmetric->options->overlap || symmetric->nshifts < 2 ||
	    symmetric->shape->kind == TT_SHAPE_FULL)
		return TOTUM_OK;
	if (positions > most_looks / symmetric->nshifts)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "%lld messages a rank in one round on a %s of %lld ranks are too "
			       "many to count; use a ring, a full mesh, or a smaller number of "
			       "ranks",
			       (long long)symmetric->nshifts, tt_shape_name(symmetric->shape->kind),
			       (long long)symmetric->shape->nranks);
	for (int64_t rank = 0; rank < positions; rank++) {
		int64_t leaving[2 * TT_SHAPE_DIMENSIONS] = {0};

		for (int64_t i = 0; i < symmetric->nshifts; i++) {
			int also, first = first_link(symmetric, rank, symmetric->shifts[i].distance,
						     &also);

			*most = ++leaving[first] > *most ? leaving[first] : *most;
			if (also >= 0)
				*most = ++leaving[also] > *most ? leaving[also] : *most;
		}
	}
	return TOTUM_OK;
}

/* Adds `times` rounds like this one. */
static totum_status add_rounds(struct symmetric *symmetric, int64_t round, int64_t times,
			       struct tt_simulation *out)
{
	const struct tt_shape *shape = symmetric->shape;
	int64_t turns, longest = 0;
	__int128 most = 0, messages;
	totum_status status = collect(symmetric, round);

	if (!status)
		status = turns_of(symmetric, &turns);
	if (!status && shape->kind != TT_SHAPE_FULL)
		status = grid_load(symmetric, &most);
	if (status)
		return status;
	for (int64_t i = 0; i < symmetric->nshifts; i++) {
		int64_t far = shape->kind == TT_SHAPE_FULL
				      ? 1
				      : longest_route(symmetric, symmetric->shifts[i].distance);

		longest = far > longest ? far : longest;
		if (shape->kind == TT_SHAPE_FULL && symmetric->shifts[i].volume > most)
			most = symmetric->shifts[i].volume;
	}
	__int128 latency =
		(__int128)turns * shape->alpha + (__int128)(longest ? longest - 1 : 0) * shape->hop;
	latency = latency * times + out->latency;
	messages = (__int128)symmetric->nshifts * shape->nranks * times + out->messages;
	out->volume = tt_fraction_add(
		out->volume,
		tt_fraction_of(most * times,
			       tt_message_scale(symmetric->schedule, symmetric->options->split)));
	if (latency > INT64_MAX || messages > INT64_MAX || !tt_fraction_valid(out->volume))
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "the loads or times of %lld ranks leave 64 bits; use a smaller "
			       "number of ranks or pieces",
			       (long long)shape->nranks);
	out->latency = (int64_t)latency;
	out->messages = (int64_t)messages;
	return TOTUM_OK;
}

/* The rounds at which the set of records changes, in order; the caller frees them. */
static totum_status find_changes(const struct tt_schedule *schedule, int64_t **changes,
				 int64_t *count)
{
	size_t bytes = (2 * (size_t)schedule->nrecords + 2) * sizeof **changes;
	int64_t n = 0;

	*changes = malloc(bytes);
	if (!*changes)
		return tt_fail_memory(bytes, "rounds");
	(*changes)[n++] = 0;
	(*changes)[n++] = schedule->rounds;
	for (int64_t i = 0; i < schedule->nrecords; i++) {
		(*changes)[n++] = schedule->records[i].round;
		(*changes)[n++] = schedule->records[i].round + schedule->records[i].rounds;
	}
	qsort(*changes, (size_t)n, sizeof **changes, compare_rounds);
	*count = n;
	return TOTUM_OK;
}

static totum_status check(const struct tt_schedule *schedule, const struct tt_shape *shape,
			  const struct tt_simulate_options *options)
{
	if (!tt_shape_symmetric(shape))
		return tt_fail(
			TOTUM_EUNSUPPORTED,
			"only rings, tori, hypercubes and full meshes are computed by symmetry");
	if (options->weights)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "uneven shards have no symmetry; simulate them link by link");
	for (int64_t i = 0; i < schedule->nrecords; i++)
		if (schedule->records[i].primitive != TT_SHIFT)
			return tt_fail(TOTUM_EUNSUPPORTED,
				       "%s is not made of shifts alone; simulate it link by link",
				       schedule->name);
	return tt_simulate_fits(schedule, shape->nranks, tt_shape_name(shape->kind), options);
}

static void prepare(struct symmetric *symmetric)
{
	int64_t below = symmetric->shape->nranks;

	for (int j = 0; j < symmetric->shape->ndims; j++)
		symmetric->below[j] = below /= symmetric->shape->dims[j];
}

totum_status tt_simulate_symmetric(const struct tt_schedule *schedule, const struct tt_shape *shape,
				   const struct tt_simulate_options *options,
				   struct tt_simulation *out)
{
	static const struct tt_simulate_options none = {0};
	struct symmetric symmetric = {
		.schedule = schedule, .shape = shape, .options = options ? options : &none};
	int64_t *changes = NULL, nchanges = 0;
	totum_status status = check(schedule, shape, symmetric.options);

	if (status)
		return status;
	prepare(&symmetric);
	*out = (struct tt_simulation){
		.rounds = schedule->rounds, .volume = {0, 1}, .unit = tt_shape_unit(shape)};
	status = find_changes(schedule, &changes, &nchanges);
	for (int64_t i = 0; i + 1 < nchanges && !status; i++)
		if (changes[i + 1] > changes[i])
			status = add_rounds(&symmetric, changes[i], changes[i + 1] - changes[i],
					    out);
	if (!status)
		out->seconds = (double)out->latency / (double)TT_PICOSECONDS +
			       tt_fraction_value(out->volume) * symmetric.options->block_bytes /
				       (double)shape->rate;
	free(changes);
	free(symmetric.shifts);
	free(symmetric.steps[0]);
	free(symmetric.steps[1]);
	return status;
}
