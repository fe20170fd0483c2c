/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bound_collective - the same cut, asked for every collective.
 *
 * What starts where and who wants all of it decides the cut: a broadcast has all blocks at the
 * root, a gather has one sink.  Where contributions are added on the way the blocks travel a
 * gather's or all-gather's way backwards, so the links are turned round.  Nothing is assumed to
 * be added inside a switch.
 */
#include <stdio.h>
#include <stdlib.h>

#include "proof/bound_cut.h"

static totum_status raise(totum_status status, struct tt_bound **best,
			  struct tt_bound *const *found)
{
	if (!status)
		*best = tt_bound_greater(*best, *found);
	return status;
}

/* All nranks blocks start at the root and everybody wants them. */
static totum_status from_root(const struct tt_topology *topology, int root, struct tt_bound **out)
{
	int64_t *weights = calloc((size_t)topology->nranks, sizeof *weights);

	if (!weights)
		return tt_fail_memory((size_t)topology->nranks * sizeof *weights, "weights");
	weights[root] = topology->nranks;
	totum_status status = tt_bound_allgather(topology, weights, out);
	free(weights);
	return status;
}

static totum_status to_root(const struct tt_topology *topology, int root, const int64_t *weights,
			    struct tt_bound **out)
{
	uint8_t *sinks = calloc((size_t)topology->nranks, 1);

	if (!sinks)
		return tt_fail_memory((size_t)topology->nranks, "sinks");
	sinks[root] = 1;
	totum_status status = tt_cut_best(
		&(struct tt_cut_question){.topology = topology, .weights = weights, .sinks = sinks},
		out);
	free(sinks);
	return status;
}

/*
 * Adding up N contributions and handing the sum to all takes at least 2(N-1) transfers of
 * every byte, however they are arranged; together the ranks take in no more than the sum
 * of their incoming links.
 */
static totum_status by_traffic(const struct tt_topology *topology, struct tt_bound **best)
{
	int64_t n = topology->nranks;
	__int128 in = 0;

	for (int64_t i = 0; i < topology->nlinks; i++)
		if (topology->vertices[topology->links[i].to].rank >= 0)
			in += topology->links[i].wire.capacity;
	struct tt_fraction lambda = tt_fraction_of(2 * (__int128)n * (n - 1), in ? in : 1);
	struct tt_bound *bound = *best;
	if (in > INT64_MAX || !tt_fraction_valid(lambda))
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "topology %s: the links into the ranks add up to more than 9e18 "
			       "B/s; divide all capacities by a common factor",
			       topology->name);
	if (tt_fraction_compare(lambda, bound->lambda) <= 0)
		return TOTUM_OK;
	bound->lambda = lambda;
	bound->lambda_unit = tt_fraction_of(2 * (__int128)n * (n - 1) * bound->unit, in);
	bound->weight = 2 * n * (n - 1);
	bound->capacity = (int64_t)in;
	bound->method = "traffic of all ranks";
	free(bound->witness);
	bound->witness = NULL;
	snprintf(bound->sentence, sizeof bound->sentence,
		 "2(N-1) transfers of every byte, %lld blocks in all, must enter the ranks over "
		 "all their links",
		 (long long)bound->weight);
	return TOTUM_OK;
}

static totum_status allreduce(const struct tt_topology *topology, const struct tt_topology *turned,
			      struct tt_bound **out)
{
	struct tt_bound *best = NULL, *found = NULL;
	totum_status status = raise(tt_bound_allgather(topology, NULL, &found), &best, &found);

	if (!status)
		status = raise(tt_bound_allgather(turned, NULL, &found), &best, &found);
	/* The smallest cut between any two ranks: from rank 0 to each, and from each to rank 0. */
	if (!status)
		status = raise(from_root(topology, 0, &found), &best, &found);
	if (!status)
		status = raise(from_root(turned, 0, &found), &best, &found);
	if (!status)
		status = by_traffic(topology, &best);
	if (status) {
		tt_bound_free(best);
		return status;
	}
	*out = best;
	return TOTUM_OK;
}

totum_status tt_bound_collective(const struct tt_topology *topology, enum tt_collective collective,
				 int root, const int64_t *weights, struct tt_bound **out)
{
	struct tt_topology *turned = NULL;
	bool backwards = collective == TT_REDUCE_SCATTER || collective == TT_REDUCE ||
			 collective == TT_SCATTER || collective == TT_ALLREDUCE;
	totum_status status = TOTUM_OK;

	if (root < 0 || root >= topology->nranks)
		return tt_fail(TOTUM_EINVAL, "root %d is not among the %lld ranks of topology %s",
			       root, (long long)topology->nranks, topology->name);
	if (backwards)
		status = tt_topology_reverse(topology, &turned);
	if (status)
		return status;
	const struct tt_topology *used = backwards ? turned : topology;
	if (collective == TT_ALLREDUCE)
		status = allreduce(topology, turned, out);
	else if (collective == TT_ALLTOALL)
		status = tt_cut_alltoall(topology, out);
	else if (collective == TT_BROADCAST || collective == TT_REDUCE)
		status = from_root(used, root, out);
	else if (collective == TT_GATHER || collective == TT_SCATTER)
		status = to_root(used, root, weights, out);
	else
		status = tt_bound_allgather(used, weights, out);
	tt_topology_free(turned);
	return status;
}
