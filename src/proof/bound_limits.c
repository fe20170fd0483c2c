/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bound_limits - the cut bound with the latencies beside it, in seconds.
 *
 * Messages that follow each other on a link take an alpha each, so t alphas bring what one rank has
 * to at most (d+1)^t ranks, d being the most links that leave a rank.  What only has to reach a
 * root may come in one round.
 */
#include <stdio.h>

#include "proof/bound.h"

static void look_at_ranks(const struct tt_topology *topology, int64_t *degree, int64_t *alpha)
{
	*degree = 0;
	*alpha = -1;
	for (int64_t r = 0; r < topology->nranks; r++) {
		int32_t v = topology->rank_vertex[r];
		int64_t links = topology->first_out[v + 1] - topology->first_out[v];

		*degree = links > *degree ? links : *degree;
		for (int32_t i = topology->first_out[v]; i < topology->first_out[v + 1]; i++)
			if (*alpha < 0 || topology->links[i].wire.alpha < *alpha)
				*alpha = topology->links[i].wire.alpha;
	}
}

/* All-reduce on a symmetric shape: 2(N-1) transfers of a byte over the links of N alike ranks. */
static totum_status double_bound(struct tt_bound *bound)
{
	const struct tt_fraction two = {2, 1};

	bound->lambda = tt_fraction_multiply(bound->lambda, two);
	bound->lambda_unit = tt_fraction_multiply(bound->lambda_unit, two);
	bound->weight *= 2;
	if (!tt_fraction_valid(bound->lambda) || !tt_fraction_valid(bound->lambda_unit))
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "the bound is a fraction of more than 64 bits; use fewer ranks");
	snprintf(bound->sentence, sizeof bound->sentence,
		 "2(N-1) transfers of every byte, %lld blocks a rank, must enter over all links of "
		 "all ranks",
		 (long long)bound->weight);
	return TOTUM_OK;
}

static totum_status bound_shape(const struct tt_shape *shape, enum tt_collective collective,
				struct tt_bound **out)
{
	if (collective != TT_ALLGATHER && collective != TT_REDUCE_SCATTER &&
	    collective != TT_ALLREDUCE)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "the bound of %s on %lld ranks needs the graph, which is too large; "
			       "use fewer ranks",
			       tt_collective_name(collective), (long long)shape->nranks);
	totum_status status = tt_bound_shape(shape, out);
	if (!status && collective == TT_ALLREDUCE)
		status = double_bound(*out);
	return status;
}

totum_status tt_limits_make(const struct tt_topology *topology, const struct tt_shape *shape,
			    enum tt_collective collective, int root, double block_bytes,
			    struct tt_limits *out)
{
	int64_t nranks = topology ? topology->nranks : shape->nranks, degree, alpha;
	bool to_root = collective == TT_GATHER || collective == TT_REDUCE;

	*out = (struct tt_limits){0};
	totum_status status =
		topology ? tt_bound_collective(topology, collective, root, NULL, &out->bound)
			 : bound_shape(shape, collective, &out->bound);
	if (status) {
		tt_limits_free(out);
		return status;
	}
	if (topology) {
		look_at_ranks(topology, &degree, &alpha);
	} else {
		degree = tt_shape_degree(shape);
		alpha = shape->alpha;
	}
	out->rounds = to_root ? nranks > 1 : tt_bound_rounds(nranks, 1);
	int64_t rounds = to_root ? nranks > 1 : tt_bound_rounds(nranks, degree > 0 ? degree : 1);
	out->alpha = nranks > 1 && alpha > 0 ? (double)alpha / (double)TT_PICOSECONDS : 0;
	out->latency = (double)rounds * out->alpha;
	out->bytes = tt_bound_seconds(out->bound, block_bytes);
	return TOTUM_OK;
}

void tt_limits_free(struct tt_limits *limits)
{
	tt_bound_free(limits->bound);
	limits->bound = NULL;
}
