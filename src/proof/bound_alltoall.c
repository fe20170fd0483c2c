/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bound_alltoall - cuts for the exchange of every rank with every other.
 *
 * Over a cut with a ranks inside go a*(N-a) blocks.  The worst such cut (the sparsest cut) is hard
 * to find in general, so this looks at the cuts that usually matter: every link of a tree, which
 * is exact there; else each rank against the rest, the all-gather's bottleneck, and grids cut in
 * half across each dimension.
 */
#include <stdlib.h>
#include <string.h>

#include "proof/bound_cut.h"

/* Takes over the witness. */
static totum_status consider(const struct tt_cut_question *question, uint8_t *witness,
			     struct tt_bound **best)
{
	struct tt_bound *found;
	totum_status status = tt_cut_bound(question, witness, "the worst of some cuts", &found);

	if (!status)
		*best = tt_bound_greater(*best, found);
	return status;
}

/* A rank against the rest: inside 1 asks for its way out, 0 for its way in. */
static totum_status try_rank(const struct tt_cut_question *question, int64_t rank, int inside,
			     struct tt_bound **best)
{
	size_t n = (size_t)question->topology->nvertices;
	uint8_t *witness = malloc(n);

	if (!witness)
		return tt_fail_memory(n, "a cut");
	memset(witness, !inside, n);
	witness[question->topology->rank_vertex[rank]] = (uint8_t)inside;
	return consider(question, witness, best);
}

/* The lower half of a grid's dimension; its ranks are the vertices, in row-major order. */
static totum_status try_half(const struct tt_cut_question *question, int dimension,
			     struct tt_bound **best)
{
	const struct tt_shape *shape = &question->topology->shape;
	size_t n = (size_t)question->topology->nvertices;
	uint8_t *witness = malloc(n);
	int64_t below = 1;

	if (!witness)
		return tt_fail_memory(n, "a cut");
	for (int i = dimension + 1; i < shape->ndims; i++)
		below *= shape->dims[i];
	for (int64_t v = 0; v < question->topology->nvertices; v++)
		witness[v] = v / below % shape->dims[dimension] < shape->dims[dimension] / 2;
	return consider(question, witness, best);
}

static totum_status try_bottleneck(const struct tt_cut_question *question, struct tt_bound **best)
{
	struct tt_bound *gather;
	totum_status status = tt_bound_allgather(question->topology, NULL, &gather);

	if (status)
		return status;
	uint8_t *witness = gather->witness;
	gather->witness = NULL;
	tt_bound_free(gather);
	return consider(question, witness, best);
}

totum_status tt_cut_alltoall(const struct tt_topology *topology, struct tt_bound **out)
{
	struct tt_cut_question question = {.topology = topology, .pairs = true};
	struct tt_bound *best = NULL;
	totum_status status = tt_cut_by_tree(&question, out);

	if (status != TOTUM_EUNSUPPORTED)
		return status;
	bool grid = tt_shape_grid(&topology->shape);
	int64_t nranks = tt_shape_symmetric(&topology->shape) ? 1 : topology->nranks;
	status = try_bottleneck(&question, &best);
	for (int64_t r = 0; r < nranks && !status; r++) {
		status = try_rank(&question, r, 0, &best);
		if (!status)
			status = try_rank(&question, r, 1, &best);
	}
	for (int i = 0; grid && i < topology->shape.ndims && !status; i++)
		status = try_half(&question, i, &best);
	if (status) {
		tt_bound_free(best);
		return status;
	}
	*out = best;
	return TOTUM_OK;
}
