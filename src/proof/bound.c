/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bound - the all-gather bound by the cheapest exact way, the bound of symmetric
 * shapes, rounds and seconds.
 *
 * Where every rank looks like every other and all links are equal, no set can be cut off with fewer
 * links than a single rank (Mader 1971: a connected vertex-transitive graph has edge connectivity
 * equal to its degree), so lambda = (N-1) / (degree * rate) without looking at the graph.
 */
#include "proof/bound.h"

#include <stdio.h>
#include <stdlib.h>

#include "proof/bound_cut.h"
#include "topology/measure.h"

totum_status tt_cut_best(const struct tt_cut_question *question, struct tt_bound **out)
{
	if (!question->weights && !question->sinks &&
	    tt_shape_symmetric(&question->topology->shape))
		return tt_cut_around(question, question->topology->rank_vertex[0], "symmetry", out);
	totum_status status = tt_cut_by_tree(question, out);
	return status == TOTUM_EUNSUPPORTED ? tt_cut_by_maxflow(question, out) : status;
}

totum_status tt_bound_allgather(const struct tt_topology *topology, const int64_t *weights,
				struct tt_bound **out)
{
	return tt_cut_best(&(struct tt_cut_question){.topology = topology, .weights = weights},
			   out);
}

totum_status tt_bound_tree(const struct tt_topology *topology, const int64_t *weights,
			   struct tt_bound **out)
{
	return tt_cut_by_tree(&(struct tt_cut_question){.topology = topology, .weights = weights},
			      out);
}

totum_status tt_bound_maxflow(const struct tt_topology *topology, const int64_t *weights,
			      struct tt_bound **out)
{
	return tt_cut_by_maxflow(
		&(struct tt_cut_question){.topology = topology, .weights = weights}, out);
}

totum_status tt_bound_shape(const struct tt_shape *shape, struct tt_bound **out)
{
	char rate[TT_UNITS_TEXT];
	int64_t degree = tt_shape_degree(shape);

	if (!tt_shape_symmetric(shape))
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "a %s is not symmetric; its bound needs the graph",
			       shape->kind ? tt_shape_name(shape->kind) : "topology from a file");
	struct tt_bound *bound = calloc(1, sizeof *bound);
	if (!bound)
		return tt_fail_memory(sizeof *bound, "a bound");
	bound->unit = tt_shape_unit(shape);
	bound->weight = shape->nranks - 1;
	bound->method = "symmetry";
	bound->lambda =
		tt_fraction_of(bound->weight, (__int128)(degree ? degree : 1) * shape->rate);
	bound->lambda_unit = tt_fraction_of(bound->weight, degree ? degree : 1);
	if (!tt_fraction_valid(bound->lambda) ||
	    __builtin_mul_overflow(degree, shape->rate, &bound->capacity)) {
		tt_bound_free(bound);
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "%lld ranks with links of %s are too large a fraction for 64 bits; "
			       "use a smaller rate",
			       (long long)shape->nranks, tt_write_capacity(shape->rate, rate));
	}
	snprintf(bound->sentence, sizeof bound->sentence,
		 degree ? "%lld blocks must enter every rank over its %lld links of %s"
			: "nothing has to move",
		 (long long)bound->weight, (long long)degree, tt_write_capacity(shape->rate, rate));
	*out = bound;
	return TOTUM_OK;
}

void tt_bound_free(struct tt_bound *bound)
{
	if (!bound)
		return;
	free(bound->witness);
	free(bound);
}

struct tt_bound *tt_bound_greater(struct tt_bound *a, struct tt_bound *b)
{
	if (!a || !b)
		return a ? a : b;
	bool first = tt_fraction_compare(a->lambda, b->lambda) >= 0;

	tt_bound_free(first ? b : a);
	return first ? a : b;
}

double tt_bound_seconds(const struct tt_bound *bound, double block_bytes)
{
	return block_bytes * (double)bound->lambda.over / (double)bound->lambda.under;
}

int64_t tt_bound_rounds(int64_t nranks, int64_t ports)
{
	int64_t rounds = 0;

	/* By division, which never overflows: how often can nranks be divided? */
	for (int64_t rest = nranks; rest > 1; rounds++)
		rest = rest / (ports + 1) + (rest % (ports + 1) != 0);
	return rounds;
}
