/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bound_maxflow - the exact cut bound of any topology, by max-flow with
 * Newton steps in whole numbers.
 *
 * Give every rank u a source of q*w_u and every link p times its capacity.  All of q*W reaches
 * every sink exactly if no cut has a ratio above p/q.  So start from a ratio that some cut has (all
 * but one rank), and for each sink run a max-flow; while too little arrives, the least cut is a
 * worse one: take its ratio and repeat.  The ratio only grows, hence a sink that was satisfied
 * stays so, and one pass over the sinks is enough: about one max-flow a rank.
 * Source: the first step of ForestColl (arXiv 2402.06787), with Dinkelbach's
 * method for its binary search.
 */
#include <stdlib.h>

#include "proof/bound_cut.h"
#include "proof/maxflow.h"

struct search {
	const struct tt_cut_question *question;
	struct tt_maxflow *network;
	int64_t total;  /* W */
	int64_t enough; /* q*W */
	struct tt_bound *best;
};

static totum_status build_network(struct search *search)
{
	const struct tt_topology *topology = search->question->topology;
	int64_t n = topology->nlinks + topology->nranks;
	int32_t *ends = malloc((size_t)n * 2 * sizeof *ends);

	if (!ends)
		return tt_fail_memory((size_t)n * 2 * sizeof *ends, "a flow network");
	for (int64_t i = 0; i < topology->nlinks; i++) {
		ends[i] = topology->links[i].from;
		ends[n + i] = topology->links[i].to;
	}
	for (int64_t r = 0; r < topology->nranks; r++) {
		ends[topology->nlinks + r] = (int32_t)topology->nvertices;
		ends[n + topology->nlinks + r] = topology->rank_vertex[r];
	}
	totum_status status = tt_maxflow_new((int32_t)topology->nvertices + 1, n, ends, ends + n,
					     &search->network);
	free(ends);
	return status;
}

/* Scales the network to the ratio of the best cut so far. */
static totum_status scale(struct search *search)
{
	const struct tt_topology *topology = search->question->topology;
	int64_t p = search->best->lambda_unit.over, q = search->best->lambda_unit.under;

	if (__builtin_mul_overflow(q, search->total, &search->enough) ||
	    search->enough > INT64_MAX / 4)
		return tt_fail(TOTUM_EUNSUPPORTED,
			       "topology %s: capacities and shards are too large to bound exactly "
			       "in 64 bits; give them a larger common factor",
			       topology->name);
	for (int64_t i = 0; i < topology->nlinks; i++) {
		/* No flow exceeds `enough`, so a link above it is as good as one of just that. */
		__int128 scaled = (__int128)p * (topology->links[i].wire.capacity / topology->unit);

		tt_maxflow_set(search->network, i,
			       scaled < search->enough ? (int64_t)scaled : search->enough);
	}
	for (int64_t r = 0; r < topology->nranks; r++)
		tt_maxflow_set(search->network, topology->nlinks + r,
			       q * tt_cut_weight(search->question, r));
	return TOTUM_OK;
}

/* Takes over a bound if it is above the best; always owns it. */
static void keep_greater(struct search *search, struct tt_bound *bound)
{
	if (search->best && tt_fraction_compare(bound->lambda, search->best->lambda) <= 0) {
		tt_bound_free(bound);
		return;
	}
	tt_bound_free(search->best);
	search->best = bound;
}

/* The best of the cuts "all but one rank", counted link by link without building each. */
static totum_status start(struct search *search)
{
	const struct tt_topology *topology = search->question->topology;
	struct tt_fraction best = {0, 1};
	int64_t worst = -1;

	for (int64_t r = 0; r < topology->nranks; r++) {
		int32_t v = topology->rank_vertex[r];
		__int128 in = 0;

		if (!tt_cut_sink(search->question, r))
			continue;
		for (int32_t i = topology->first_in[v]; i < topology->first_in[v + 1]; i++)
			in += topology->links[topology->in_links[i]].wire.capacity / topology->unit;
		int64_t others = search->total - tt_cut_weight(search->question, r);
		struct tt_fraction ratio = tt_fraction_of(others, in);
		bool cut_off = others && !in;

		if (worst < 0 || cut_off || tt_fraction_compare(ratio, best) > 0) {
			worst = r;
			best = ratio;
		}
		if (cut_off)
			break;
	}
	if (worst < 0)
		return tt_fail(TOTUM_EINVAL, "a bound needs at least one rank that receives");
	return tt_cut_around(search->question, topology->rank_vertex[worst], "max-flow",
			     &search->best);
}

/* Raises the ratio until all reaches this sink. */
static totum_status satisfy(struct search *search, int64_t sink)
{
	const struct tt_topology *topology = search->question->topology;
	int32_t source = (int32_t)topology->nvertices;

	while (search->best->weight) {
		if (tt_maxflow_run(search->network, source, topology->rank_vertex[sink],
				   search->enough) == search->enough)
			return TOTUM_OK;
		uint8_t *witness = malloc((size_t)topology->nvertices);
		if (!witness)
			return tt_fail_memory((size_t)topology->nvertices, "a cut");
		for (int32_t v = 0; v < topology->nvertices; v++)
			witness[v] = tt_maxflow_inside(search->network, v) != 0;
		struct tt_bound *cut;
		totum_status status = tt_cut_bound(search->question, witness, "max-flow", &cut);
		if (status)
			return status;
		keep_greater(search, cut);
		status = scale(search);
		if (status)
			return status;
	}
	return TOTUM_OK;
}

totum_status tt_cut_by_maxflow(const struct tt_cut_question *question, struct tt_bound **out)
{
	struct search search = {.question = question};
	totum_status status = tt_cut_total(question, &search.total);

	if (!status)
		status = start(&search);
	if (!status)
		status = build_network(&search);
	if (!status)
		status = scale(&search);
	for (int64_t r = 0; !status && r < question->topology->nranks; r++)
		if (tt_cut_sink(question, r))
			status = satisfy(&search, r);
	tt_maxflow_free(search.network);
	if (status) {
		tt_bound_free(search.best);
		return status;
	}
	*out = search.best;
	return TOTUM_OK;
}
