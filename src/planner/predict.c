/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * predict - hosts as a topology, and a call's price on it.
 *
 *   rank --- host switch     inside: beta for one rank, at most what all ranks of the host together
 *    |  ^                    get, shared evenly
 *    v  |
 *   out in  network card     between: beta for one rank, and the card carries what all together get
 *    |  ^
 *    v  |
 *    core                    which is in nobody's way
 *
 * The two directions of a card are two switches, so that no message between two ranks of a host
 * turns round in their card.
 */
#include "planner/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/score.h"

struct site {
	struct tt_topology *topology;
	const struct tt_link_costs *costs;
	int64_t nranks;
	const int *hosts;
	int64_t *counts;            /* of ranks, by host */
	int32_t *inside, *out, *in; /* switches, by host; -1: not yet there */
	int32_t core;
	int64_t nhosts;
};

static struct tt_wire wire(double rate, double alpha)
{
	double most = (double)TT_TOPOLOGY_CAPACITY;

	return (struct tt_wire){.capacity = llround(fmin(fmax(rate, 1), most)),
				.alpha = llround(alpha * (double)TT_PICOSECONDS)};
}

static int host_of(const struct site *site, int64_t rank)
{
	return site->hosts ? site->hosts[rank] : 0;
}

static int32_t add_switch(struct site *site, const char *what, int host)
{
	char name[TT_TOPOLOGY_NAME];

	snprintf(name, sizeof name, "%s%d", what, host);
	return tt_topology_add_switch(site->topology, name);
}

/* The switches of a host, when its first rank comes. */
static void add_host(struct site *site, int host)
{
	const struct tt_link_cost *between = &site->costs->between;
	struct tt_wire card = wire(between->beta * between->together, between->alpha);

	if (site->counts[host] > 1)
		site->inside[host] = add_switch(site, "host", host);
	if (site->nhosts < 2)
		return;
	site->out[host] = add_switch(site, "out", host);
	site->in[host] = add_switch(site, "in", host);
	tt_topology_add_link(site->topology, site->out[host], site->core, card);
	tt_topology_add_link(site->topology, site->core, site->in[host], card);
}

static void add_rank(struct site *site, int64_t rank)
{
	const struct tt_link_cost *inside = &site->costs->inside, *between = &site->costs->between;
	int host = host_of(site, rank);
	char name[TT_TOPOLOGY_NAME];

	if (site->inside[host] < 0 && site->out[host] < 0)
		add_host(site, host);
	snprintf(name, sizeof name, "h%d", host);
	int32_t its_host = tt_topology_add_host(site->topology, name);

	snprintf(name, sizeof name, "r%lld", (long long)rank);
	int32_t vertex = tt_topology_add_rank(site->topology, its_host, name);

	if (site->inside[host] >= 0)
		tt_topology_add_cable(
			site->topology, vertex, site->inside[host],
			wire(tt_link_rate(inside, site->counts[host]), inside->alpha));
	if (site->out[host] < 0)
		return;
	struct tt_link_cost alone = *between;

	alone.together = 1;
	struct tt_wire own = wire(tt_link_rate(&alone, 1), between->alpha);

	tt_topology_add_link(site->topology, vertex, site->out[host], own);
	tt_topology_add_link(site->topology, site->in[host], vertex, own);
}

static totum_status build(struct site *site, struct tt_topology **out)
{
	totum_status status = tt_topology_new("hosts", &site->topology);

	if (status)
		return status;
	for (int64_t rank = 0; rank < site->nranks; rank++)
		site->nhosts += site->counts[host_of(site, rank)]++ == 0;
	for (int64_t host = 0; host < site->nranks; host++)
		site->inside[host] = site->out[host] = site->in[host] = -1;
	if (site->nhosts > 1)
		site->core = tt_topology_add_switch(site->topology, "core");
	for (int64_t rank = 0; rank < site->nranks && !site->topology->failed; rank++)
		add_rank(site, rank);
	status = tt_topology_seal(site->topology);
	if (status)
		tt_topology_free(site->topology);
	else
		*out = site->topology;
	return status;
}

totum_status tt_predict_topology(int64_t nranks, const int hosts[],
				 const struct tt_link_costs *costs, struct tt_topology **out)
{
	struct site site = {.costs = costs, .nranks = nranks, .hosts = hosts};
	size_t n = (size_t)nranks;

	for (int64_t rank = 0; hosts && rank < nranks; rank++)
		if (hosts[rank] < 0 || hosts[rank] >= nranks)
			return tt_fail(
				TOTUM_EINVAL,
				"host %d of rank %lld: hosts are numbered from 0 and below %lld",
				hosts[rank], (long long)rank, (long long)nranks);
	site.counts = calloc(n, sizeof *site.counts);
	site.inside = calloc(3 * n, sizeof *site.inside);
	site.out = site.inside ? site.inside + n : NULL;
	site.in = site.inside ? site.inside + 2 * n : NULL;
	totum_status status = site.counts && site.inside
				      ? build(&site, out)
				      : tt_fail_memory(n * 5 * sizeof(int64_t), "a placement");

	free(site.counts);
	free(site.inside);
	return status;
}

/* --- prices --------------------------------------------------------------------------------- */

static void take(const struct tt_candidate *candidate, struct tt_prediction *out)
{
	strcpy(out->algorithm, candidate->name);
	out->latency = candidate->latency;
	out->per_byte = candidate->per_byte;
	out->bound_latency = candidate->bound_latency;
	out->bound_per_byte = candidate->bound_per_byte;
}

/* Of the algorithm that is asked for, without all the others. */
static totum_status price_one(const struct tt_question *question, struct tt_prediction *out)
{
	struct tt_candidates candidates = {.question = *question};
	struct tt_candidate one = {0};
	totum_status status = tt_algorithm_parse(question->collective, question->algorithm,
						 question->nranks, &one.entry, one.values);

	if (status)
		return status;
	const struct tt_algorithm *algorithm = one.entry->algorithm;
	const char *why =
		algorithm->refuses ? algorithm->refuses(question->nranks, one.values) : NULL;

	tt_algorithm_format(one.entry, one.values, one.name);
	if (why)
		return tt_fail(TOTUM_EUNSUPPORTED, "%s %s", one.name, why);
	status = tt_score_bound(&candidates);
	if (!status)
		status = tt_score(&candidates, &one);
	tt_bound_free(candidates.cut);
	if (!status)
		take(&one, out);
	return status;
}

static totum_status price_all(const struct tt_question *question, struct tt_prediction *out)
{
	struct tt_candidates *candidates;
	totum_status status = tt_candidates_new(question, &candidates);

	if (status)
		return status;
	if (candidates->chosen >= 0)
		take(&candidates->list[candidates->chosen], out);
	else
		status = tt_fail(TOTUM_EUNSUPPORTED, "no algorithm does %s on %lld ranks",
				 tt_collective_name(question->collective),
				 (long long)question->nranks);
	tt_candidates_free(candidates);
	return status;
}

totum_status tt_predict(const struct tt_question *question, const int hosts[],
			const struct tt_link_costs *costs, struct tt_prediction *out)
{
	struct tt_question asked = *question;
	struct tt_topology *topology;

	*out = (struct tt_prediction){0};
	if (question->nranks == 1)
		return TOTUM_OK;
	totum_status status = tt_predict_topology(question->nranks, hosts, costs, &topology);

	if (status)
		return status;
	asked.topology = topology;
	asked.machine.gamma = costs->gamma;
	status = question->algorithm && *question->algorithm ? price_one(&asked, out)
							     : price_all(&asked, out);
	tt_topology_free(topology);
	return status;
}
