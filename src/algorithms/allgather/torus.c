/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * torus - buckets: a ring along one dimension of a grid, then along the next one with all that has
 * come together.
 *
 *   x * y * z ranks numbered row by row, the last dimension fastest;
 *
 *   2 x 3:   0 1 2     rings in the rows first,
 *            3 4 5     then in the columns
 *
 * T = sum of (d_i - 1) alpha + (N-1) M/(N beta), 1 port.
 * multiport=1 cuts blocks in 2D parts, for each of the D dimensions two that start in it and go
 * round in opposite directions: for equal dimensions above 2, W = (N-1)/(2D) with 2D ports, the
 * least for a torus.  Dimensions of 2 have one link, which then carries both parts; unequal ones
 * leave links idle.
 */
#include <stdlib.h>

#include "algorithms/claims.h"
#include "algorithms/moves.h"

enum { Y, Z, MULTIPORT };

struct grid {
	/* Of the dimensions above 1: the ranks in it, the numbers from one to the next. */
	int64_t size[3], stride[3];
	int dims;
};

static bool make_grid(int64_t nranks, const int64_t *values, struct grid *grid)
{
	int64_t plane = nranks / values[Z], y = values[Y];

	/* The last divisor below the root makes the plane most nearly square. */
	for (int64_t d = 1; values[Y] == 0 && d * d <= plane; d++)
		if (plane % d == 0)
			y = plane / d;
	int64_t sizes[3] = {y ? plane / y : 0, y, values[Z]};

	*grid = (struct grid){.dims = 0};
	for (int64_t i = 0, stride = nranks; i < 3 && sizes[i]; i++) {
		stride /= sizes[i];
		if (sizes[i] == 1)
			continue;
		grid->size[grid->dims] = sizes[i];
		grid->stride[grid->dims++] = stride;
	}
	return sizes[0] * sizes[1] * sizes[2] == nranks;
}

/* The dimension of a phase, for the parts with this start: from inner to outer, then round. */
static int dimension(const struct grid *grid, int start, int phase)
{
	return (2 * grid->dims - 1 - start - phase) % grid->dims;
}

/* The blocks that differ from `first` in the free dimensions only, ascending; returns how many. */
static int64_t list(const struct grid *grid, unsigned free_dims, int64_t first, int64_t *out)
{
	int64_t along[3], count = 0;

	for (int d = 0; d < 3; d++)
		along[d] = free_dims >> d & 1 ? grid->size[d] : 1;
	for (int64_t i = 0; i < along[0]; i++)
		for (int64_t j = 0; j < along[1]; j++)
			for (int64_t k = 0; k < along[2]; k++)
				out[count++] = first + i * grid->stride[0] + j * grid->stride[1] +
					       k * grid->stride[2];
	return count;
}

/* Every rank sends the bucket from t ranks behind it in dimension d to the next rank there. */
static void send(struct tt_schedule *schedule, const struct grid *grid, int64_t round, int d,
		 int64_t t, int direction, unsigned free_dims, int32_t part, int64_t *room)
{
	int64_t size = grid->size[d], stride = grid->stride[d];
	bool both = schedule->pieces > 1 && size == 2;

	for (int64_t rank = 0; rank < schedule->nranks; rank++) {
		int64_t at = rank / stride % size, first = rank;

		for (int e = 0; e < grid->dims; e++)
			if (free_dims >> e & 1)
				first -= rank / grid->stride[e] % grid->size[e] * grid->stride[e];
		first += ((at + size - direction * t) % size - at) * stride;
		int64_t count = list(grid, free_dims, first, room);

		tt_move_blocks(schedule, round, rank,
			       rank + ((at + size + direction) % size - at) * stride, room, count,
			       part, both ? 2 : 1);
	}
}

/* The parts 2*start and 2*start+1, or the only one. */
static void run_part(struct tt_schedule *schedule, const struct grid *grid, int start,
		     int direction, int64_t *room)
{
	unsigned free_dims = 0;
	int64_t round = 0;

	for (int phase = 0; phase < grid->dims; phase++) {
		int d = dimension(grid, start, phase);

		for (int64_t t = 0; t < grid->size[d] - 1; t++, round++)
			if (direction > 0 || grid->size[d] > 2)
				send(schedule, grid, round, d, t, direction, free_dims,
				     (int32_t)(2 * start + (direction < 0)), room);
		free_dims |= 1u << d;
	}
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	int64_t *room = malloc((size_t)schedule->nranks * sizeof *room);
	struct grid grid;

	make_grid(schedule->nranks, values, &grid);
	if (!room)
		schedule->failed = TOTUM_EMEMORY;
	for (int start = 0; room && start < (values[MULTIPORT] ? grid.dims : 1); start++) {
		run_part(schedule, &grid, start, +1, room);
		if (values[MULTIPORT])
			run_part(schedule, &grid, start, -1, room);
	}
	free(room);
}

static int pieces(int64_t nranks, const int64_t *values)
{
	struct grid grid;

	make_grid(nranks, values, &grid);
	return values[MULTIPORT] && grid.dims ? 2 * grid.dims : 1;
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	struct grid grid;
	int64_t sum = 0;

	make_grid(nranks, values, &grid);
	for (int d = 0; d < grid.dims; d++)
		sum += grid.size[d] - 1;
	return sum;
}

static const char *refuses(int64_t nranks, const int64_t *values)
{
	struct grid grid;

	if (!make_grid(nranks, values, &grid))
		return "needs a number of ranks that is a multiple of its y times z";
	return tt_too_many_records(nranks * rounds(nranks, values) * pieces(nranks, values));
}

/* How many parts of blocks the busiest link carries in a round with all parts under way. */
static int64_t busiest(const struct grid *grid, int64_t round)
{
	int64_t load[3] = {0}, most = 0;

	for (int start = 0; start < grid->dims; start++) {
		int64_t left = round, bucket = 1;
		int phase = 0, d = dimension(grid, start, 0);

		for (; left >= grid->size[d] - 1; d = dimension(grid, start, ++phase)) {
			left -= grid->size[d] - 1;
			bucket *= grid->size[d];
		}
		load[d] += grid->size[d] == 2 ? 2 * bucket : bucket;
	}
	for (int d = 0; d < grid->dims; d++)
		most = load[d] > most ? load[d] : most;
	return most;
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	struct grid grid;
	int64_t sum = 0;

	make_grid(nranks, values, &grid);
	if (!values[MULTIPORT] || !grid.dims)
		return tt_volume_least(nranks, values);
	for (int64_t round = 0; round < rounds(nranks, values); round++)
		sum += busiest(&grid, round);
	return tt_blocks_of(sum, 2 * grid.dims);
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	struct grid grid;
	int64_t sum = 0;

	make_grid(nranks, values, &grid);
	if (!values[MULTIPORT])
		return grid.dims > 0;
	for (int d = 0; d < grid.dims; d++)
		sum += grid.size[d] == 2 ? 1 : 2;
	return sum;
}

const struct tt_algorithm tt_allgather_torus = {
	.summary = "rings along the dimensions of a grid, in turn or all at once",
	.parameters = {{"y", "ranks of the second dimension, 0: nearly square", 0, 0, 0},
		       {"z", "ranks of the third dimension", 1, 0, 1},
		       {"multiport", "1: start in every dimension and direction at once", 0, 1, 0}},
	.refuses = refuses,
	.build = build,
	.pieces = pieces,
	.rounds = rounds,
	.volume = volume,
	.ports = ports,
};
