/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate_grid - any schedule on rings, lines, tori, meshes and hypercubes too large for a graph.
 *
 * A route on a grid is one run of links along each dimension.  A run adds its volume to a range of
 * a line, which is two additions to an array of differences, however long it is; sums along the
 * lines then give the loads.  O(messages * dimensions + ranks * dimensions) a round, where link by
 * link takes the sum of all hops.
 */
#include <stdlib.h>
#include <string.h>

#include "proof/simulate.h"
#include "schedule/modular.h"

static const int64_t most_links = INT64_C(1) << 26;

struct grid {
	const struct tt_schedule *schedule;
	const struct tt_shape *shape;
	const struct tt_simulate_options *options;
	bool wraps;
	int64_t below[TT_SHAPE_DIMENSIONS];
	struct tt_messages messages;
	int64_t *loads; /* [dimension][way][rank]: of the link out of it, differences, then sums */
	int32_t *leaving; /* [dimension][way][rank]: messages that begin on it */
	int64_t longest;  /* hops of the longest route of the round */
	bool overflow;
};

/* How a message moves along a dimension: 0 clockwise, 1 back. */
struct run {
	int way;
	int64_t hops;
};

static int64_t *line_of(const struct grid *grid, int dimension, int way)
{
	return grid->loads + (2 * dimension + way) * grid->schedule->nranks;
}

/* other: what goes the second way where both are equally long. */
static struct run run_of(const struct grid *grid, int dimension, int64_t from, int64_t to,
			 bool other)
{
	int64_t k = grid->shape->dims[dimension], ahead = tt_wrap(to - from, k);

	if (!grid->wraps)
		return to >= from ? (struct run){0, to - from} : (struct run){1, from - to};
	if (2 * ahead < k || (2 * ahead == k && (!other || k == 2)))
		return (struct run){0, ahead};
	return (struct run){1, k - ahead};
}

static void add(struct grid *grid, int64_t *loads, int64_t at, int64_t volume)
{
	if (__builtin_add_overflow(loads[at], volume, &loads[at]))
		grid->overflow = true;
}

/* Adds to the links out of points first, first+1, .. (count, cyclic) of the line through `rank`. */
static void add_range(struct grid *grid, int dimension, int way, int64_t rank, int64_t first,
		      int64_t count, int64_t volume)
{
	int64_t k = grid->shape->dims[dimension], below = grid->below[dimension];
	int64_t base = rank - rank / below % k * below, end = first + count;
	int64_t *loads = line_of(grid, dimension, way);

	add(grid, loads, base + first * below, volume);
	if (end < k) {
		add(grid, loads, base + end * below, -volume);
	} else if (end > k) {
		add(grid, loads, base, volume);
		add(grid, loads, base + (end - k) * below, -volume);
	}
}

/* Sends part of a message along all dimensions; returns its first link, 2 * dimension + way. */
static int carry(struct grid *grid, const struct tt_message *message, int64_t volume, bool other)
{
	int64_t at = message->from, hops = 0;
	int first = -1;

	for (int j = 0; j < grid->shape->ndims; j++) {
		int64_t k = grid->shape->dims[j], below = grid->below[j];
		int64_t here = at / below % k, there = message->to / below % k;
		struct run run = run_of(grid, j, here, there, other);

		if (!run.hops)
			continue;
		if (first < 0)
			first = 2 * j + run.way;
		add_range(grid, j, run.way, at, run.way ? tt_wrap(here - run.hops + 1, k) : here,
			  run.hops, volume);
		hops += run.hops;
		at += (there - here) * below;
	}
	grid->longest = hops > grid->longest ? hops : grid->longest;
	return first;
}

static void carry_all(struct grid *grid)
{
	int64_t n = grid->schedule->nranks;

	for (int64_t i = 0; i < grid->messages.count; i++) {
		const struct tt_message *message = &grid->messages.items[i];
		bool split = grid->options->split;
		int first =
			carry(grid, message, split ? message->volume / 2 : message->volume, false);

		grid->leaving[first * n + message->from]++;
		if (!split)
			continue;
		int other = carry(grid, message, message->volume / 2, true);
		if (other != first)
			grid->leaving[other * n + message->from]++;
	}
}

/* Turns differences into sums along each line and returns the greatest load. */
static int64_t sum_up(struct grid *grid)
{
	int64_t most = 0;

	for (int j = 0; j < grid->shape->ndims; j++)
		for (int way = 0; way < 2; way++) {
			int64_t below = grid->below[j], k = grid->shape->dims[j];
			int64_t *loads = line_of(grid, j, way);

			for (int64_t r = 0; r < grid->schedule->nranks; r++) {
				if (r / below % k)
					add(grid, loads, r, loads[r - below]);
				most = loads[r] > most ? loads[r] : most;
			}
		}
	return most;
}

static int64_t most_turns(const struct grid *grid)
{
	int64_t links = 2 * grid->shape->ndims * grid->schedule->nranks;
	int32_t most = 0;

	for (int64_t i = 0; i < links; i++)
		most = grid->leaving[i] > most ? grid->leaving[i] : most;
	return grid->options->overlap ? most > 0 : most;
}

/* The load and the latency of a round. */
static totum_status run_round(struct grid *grid, int64_t round, struct tt_fraction *load,
			      int64_t *latency)
{
	size_t links = 2 * (size_t)grid->shape->ndims * (size_t)grid->schedule->nranks;
	totum_status status =
		tt_messages_collect(&grid->messages, grid->schedule, round, grid->options);

	if (status)
		return status;
	memset(grid->loads, 0, links * sizeof *grid->loads);
	memset(grid->leaving, 0, links * sizeof *grid->leaving);
	grid->longest = 0;
	carry_all(grid);
	int64_t most = sum_up(grid);
	if (grid->overflow)
		return tt_fail(
			TOTUM_EUNSUPPORTED,
			"a link's load is more than 9e18 parts of blocks; use smaller shards");
	*load = tt_fraction_of(most, tt_message_scale(grid->schedule, grid->options->split));
	*latency = most_turns(grid) * grid->shape->alpha +
		   (grid->longest ? grid->longest - 1 : 0) * grid->shape->hop;
	return TOTUM_OK;
}

/* Has the round the records of the one before it, so that nothing is to be done again? */
static bool repeats(const struct grid *grid, int64_t round)
{
	const struct tt_schedule *schedule = grid->schedule;
	struct tt_round_walk walk = {0};
	const struct tt_record *record;

	if (!round || grid->options->weights ||
	    schedule->first_record[round] != schedule->first_record[round + 1])
		return false;
	/* None begins here; does one end before? */
	while (tt_round_next(schedule, round - 1, &walk, &record))
		if (record->round + record->rounds == round)
			return false;
	return true;
}

static totum_status run(struct grid *grid, struct tt_simulation *out)
{
	struct tt_fraction load = {0, 1};
	int64_t latency = 0;

	for (int64_t t = 0; t < grid->schedule->rounds; t++) {
		totum_status status =
			repeats(grid, t) ? TOTUM_OK : run_round(grid, t, &load, &latency);

		if (status)
			return status;
		out->volume = tt_fraction_add(out->volume, load);
		out->messages += grid->messages.count;
		if (!tt_fraction_valid(out->volume) ||
		    __builtin_add_overflow(out->latency, latency, &out->latency))
			return tt_fail(TOTUM_EUNSUPPORTED,
				       "the loads or times of %lld ranks leave 64 bits; use a "
				       "smaller number of ranks or pieces",
				       (long long)grid->schedule->nranks);
	}
	return TOTUM_OK;
}

static totum_status prepare(struct grid *grid)
{
	int64_t below = grid->shape->nranks, links = 2 * grid->shape->ndims * below;

	for (int j = 0; j < grid->shape->ndims; j++)
		grid->below[j] = below /= grid->shape->dims[j];
	if (links > most_links)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "%lld links are too many to count loads on; use fewer ranks",
			       (long long)links);
	grid->wraps = grid->shape->kind != TT_SHAPE_LINE && grid->shape->kind != TT_SHAPE_MESH;
	grid->loads = malloc((size_t)links * sizeof *grid->loads);
	grid->leaving = malloc((size_t)links * sizeof *grid->leaving);
	if (!grid->loads || !grid->leaving)
		return tt_fail_memory((size_t)links * 12, "link loads");
	return tt_messages_new(grid->schedule, &grid->messages);
}

totum_status tt_simulate_grid(const struct tt_schedule *schedule, const struct tt_shape *shape,
			      const struct tt_simulate_options *options, struct tt_simulation *out)
{
	static const struct tt_simulate_options none = {0};
	struct grid grid = {
		.schedule = schedule, .shape = shape, .options = options ? options : &none};

	if (!tt_shape_grid(shape))
		return tt_fail(TOTUM_EUNSUPPORTED, "%s is no grid; simulate it link by link",
			       shape->kind ? tt_shape_name(shape->kind) : "a topology from a file");
	totum_status status =
		tt_simulate_fits(schedule, shape->nranks, tt_shape_name(shape->kind), grid.options);
	if (status)
		return status;
	*out = (struct tt_simulation){
		.rounds = schedule->rounds, .volume = {0, 1}, .unit = tt_shape_unit(shape)};
	status = prepare(&grid);
	if (!status)
		status = run(&grid, out);
	if (!status)
		out->seconds = (double)out->latency / (double)TT_PICOSECONDS +
			       tt_fraction_value(out->volume) * grid.options->block_bytes /
				       (double)shape->rate;
	tt_messages_free(&grid.messages);
	free(grid.loads);
	free(grid.leaving);
	return status;
}
