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
#include <string.h>

#include "planner/score.h"

struct site {
	struct tt_topology *topology;
	const struct tt_placement *placement;
	const struct tt_link_costs *costs;
	int32_t inside, out, in; /* switches of the host at hand; -1: there are none */
	int32_t core;
};

static struct tt_wire wire(double rate, double alpha)
{
	double most = (double)TT_TOPOLOGY_CAPACITY;

	return (struct tt_wire){.capacity = llround(fmin(fmax(rate, 1), most)),
				.alpha = llround(alpha * (double)TT_PICOSECONDS)};
}

static int32_t add_switch(struct site *site, const char *what, int64_t host)
{
	char name[TT_TOPOLOGY_NAME];

	snprintf(name, sizeof name, "%s%lld", what, (long long)host);
	return tt_topology_add_switch(site->topology, name);
}

static void add_switches(struct site *site, int64_t host)
{
	const struct tt_link_cost *between = &site->costs->between;
	struct tt_wire card = wire(between->beta * between->together, between->alpha);

	site->inside = site->out = site->in = -1;
	if (tt_placement_size(site->placement, host) > 1)
		site->inside = add_switch(site, "host", host);
	if (site->placement->nhosts < 2)
		return;
	site->out = add_switch(site, "out", host);
	site->in = add_switch(site, "in", host);
	tt_topology_add_link(site->topology, site->out, site->core, card);
	tt_topology_add_link(site->topology, site->core, site->in, card);
}

/* Cables from a rank to the switches of its host. */
static void add_cables(struct site *site, int32_t vertex, int64_t nlocal)
{
	const struct tt_link_cost *inside = &site->costs->inside;
	struct tt_link_cost alone = site->costs->between;

	if (site->inside >= 0)
		tt_topology_add_cable(site->topology, vertex, site->inside,
				      wire(tt_link_rate(inside, nlocal), inside->alpha));
	if (site->out < 0)
		return;
	alone.together = 1; /* what the host shares is its card's */
	struct tt_wire own = wire(tt_link_rate(&alone, 1), alone.alpha);

	tt_topology_add_link(site->topology, vertex, site->out, own);
	tt_topology_add_link(site->topology, site->in, vertex, own);
}

static void add_ranks(struct site *site)
{
	const struct tt_placement *placement = site->placement;

	for (int64_t rank = 0; rank < placement->nranks && !site->topology->failed; rank++) {
		char name[TT_TOPOLOGY_NAME];

		snprintf(name, sizeof name, "h%lld", (long long)tt_placement_host(placement, rank));
		int32_t host = tt_topology_add_host(site->topology, name);

		snprintf(name, sizeof name, "r%lld", (long long)rank);
		tt_topology_add_rank(site->topology, host, name);
	}
}

totum_status tt_predict_topology(const struct tt_placement *placement,
				 const struct tt_link_costs *costs, struct tt_topology **out)
{
	struct site site = {.placement = placement, .costs = costs};
	totum_status status = tt_topology_new("hosts", &site.topology);

	if (status)
		return status;
	add_ranks(&site); /* first: a rank's vertex is its number */
	if (placement->nhosts > 1)
		site.core = tt_topology_add_switch(site.topology, "core");
	for (int64_t host = 0; host < placement->nhosts && !site.topology->failed; host++) {
		int64_t nlocal = tt_placement_size(placement, host);

		add_switches(&site, host);
		for (int64_t i = 0; i < nlocal; i++)
			add_cables(&site, (int32_t)tt_placement_rank(placement, host, i), nlocal);
	}
	status = tt_topology_seal(site.topology);
	if (status)
		tt_topology_free(site.topology);
	else
		*out = site.topology;
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
	const char *why = tt_score_refusal(question, &one);

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

totum_status tt_predict(const struct tt_question *question, const struct tt_link_costs *costs,
			struct tt_prediction *out)
{
	struct tt_question asked = *question;
	struct tt_topology *topology;

	*out = (struct tt_prediction){0};
	if (question->nranks == 1)
		return TOTUM_OK;
	totum_status status = tt_predict_topology(question->placement, costs, &topology);

	if (status)
		return status;
	asked.topology = topology;
	asked.machine.gamma = costs->gamma;
	status = question->algorithm && *question->algorithm ? price_one(&asked, out)
							     : price_all(&asked, out);
	tt_topology_free(topology);
	return status;
}
