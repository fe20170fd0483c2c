/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate_load - rounds with barriers; each lasts as long as its most loaded link.
 *
 * Every message adds its volume to each link of its route.  Volumes are whole numbers of parts of a
 * block, so loads, their maximum and their sum are exact.  O(sum over messages of the hops), and a
 * round made of the same shifts as the one before costs nothing: a ring's N-1 rounds are one.
 */
#include <stdlib.h>
#include <string.h>

#include "proof/simulate.h"
#include "schedule/grow.h"
#include "topology/route.h"

struct load {
	const struct tt_schedule *schedule;
	const struct tt_topology *topology;
	const struct tt_simulate_options *options;
	struct tt_routes *routes;
	struct tt_messages messages;
	int64_t scale;
	int64_t *loads;   /* [nlinks] */
	int32_t *leaving; /* [nlinks]: messages whose route begins here */
	int32_t *touched; /* links with a load */
	int64_t ntouched;
	int64_t longest;                  /* ps: the greatest sum of hop times */
	const struct tt_record **records; /* of the round in loads */
	int64_t nrecords, records_capacity;
};

static totum_status carry(struct load *load, const struct tt_message *message,
			  enum tt_route_side side, int64_t volume, int32_t *first)
{
	const struct tt_topology *topology = load->topology;
	int32_t at = topology->rank_vertex[message->from], end = topology->rank_vertex[message->to];
	const int32_t *next;
	int64_t hops = 0;
	totum_status status = tt_routes_to(load->routes, message->to, side, &next);

	*first = next && !status ? next[at] : -1;
	for (bool later = false; !status && at != end; later = true) {
		int32_t link = next[at];

		if (link < 0)
			return tt_fail(
				TOTUM_EINVAL,
				"topology %s: no links lead from rank %d to rank %d; connect them",
				topology->name, message->from, message->to);
		if (!load->loads[link])
			load->touched[load->ntouched++] = link;
		if (__builtin_add_overflow(load->loads[link], volume, &load->loads[link]))
			return tt_fail(TOTUM_EUNSUPPORTED, "a link's load is more than 9e18 parts "
							   "of blocks; use smaller shards");
		hops += later ? topology->links[link].wire.hop : 0;
		at = topology->links[link].to;
	}
	load->longest = hops > load->longest ? hops : load->longest;
	return status;
}

static totum_status carry_all(struct load *load)
{
	for (int64_t i = 0; i < load->messages.count; i++) {
		const struct tt_message *message = &load->messages.items[i];
		int64_t half = load->options->split ? message->volume / 2 : message->volume;
		int32_t first, other = -1;
		totum_status status = carry(load, message, TT_ROUTE_FIRST, half, &first);

		if (!status && load->options->split)
			status = carry(load, message, TT_ROUTE_OTHER, half, &other);
		if (status)
			return status;
		load->leaving[first]++;
		if (other >= 0 && other != first)
			load->leaving[other]++;
	}
	return TOTUM_OK;
}

static void clear(struct load *load)
{
	for (int64_t i = 0; i < load->ntouched; i++) {
		load->loads[load->touched[i]] = 0;
		load->leaving[load->touched[i]] = 0;
	}
	load->ntouched = 0;
	load->longest = 0;
}

/* What the loads of a round come to. */
static void weigh(const struct load *load, struct tt_round_load *round)
{
	const struct tt_topology *topology = load->topology;
	int64_t alpha = 0, most = 0, capacity = 1;

	round->busiest = -1;
	for (int64_t i = 0; i < load->ntouched; i++) {
		int32_t link = load->touched[i];
		const struct tt_wire *wire = &topology->links[link].wire;
		int64_t units = wire->capacity / topology->unit;
		int64_t turns =
			load->options->overlap && load->leaving[link] ? 1 : load->leaving[link];

		alpha = turns * wire->alpha > alpha ? turns * wire->alpha : alpha;
		__int128 here = (__int128)load->loads[link] * capacity,
			 there = (__int128)most * units;
		if (here < there || (here == there && round->busiest >= 0 && link > round->busiest))
			continue;
		most = load->loads[link];
		capacity = units;
		round->busiest = link;
	}
	round->latency = alpha + load->longest;
	round->load = tt_fraction_of(most, (__int128)capacity * load->scale);
	round->loads = load->loads;
	round->scale = load->scale;
	round->messages = load->messages.count;
}

/* Are the records of this round those of the one in loads?  Remembers them. */
static totum_status same_records(struct load *load, int64_t round, bool *same)
{
	struct tt_round_walk walk = {0};
	const struct tt_record *record;
	int64_t count = 0;

	*same = round > 0 && !load->options->weights;
	while (tt_round_next(load->schedule, round, &walk, &record)) {
		*same = *same && count < load->nrecords && load->records[count] == record;
		const struct tt_record **grown =
			tt_grow(load->records, count, &load->records_capacity, sizeof *grown);
		if (!grown)
			return tt_fail_memory(2 * (size_t)count * sizeof *grown,
					      "the records of a round");
		load->records = grown;
		grown[count++] = record;
	}
	*same = *same && count == load->nrecords;
	load->nrecords = count;
	return TOTUM_OK;
}

static double seconds_of(const struct load *load, int64_t latency, struct tt_fraction volume)
{
	return (double)latency / (double)TT_PICOSECONDS + tt_fraction_value(volume) *
								  load->options->block_bytes /
								  (double)load->topology->unit;
}

/* When the slowest link on the message's way would be done. */
static totum_status report_message(struct load *load, const struct tt_message *message,
				   const struct tt_round_load *round)
{
	const struct tt_topology *topology = load->topology;
	double slowest = 0, latency = (double)round->latency / (double)TT_PICOSECONDS;

	for (int side = 0; side <= load->options->split; side++) {
		int32_t at = topology->rank_vertex[message->from];
		const int32_t *next;
		totum_status status =
			tt_routes_to(load->routes, message->to, (enum tt_route_side)side, &next);

		if (status)
			return status;
		for (; next[at] >= 0; at = topology->links[next[at]].to) {
			double time = (double)load->loads[next[at]] / (double)load->scale /
				      (double)topology->links[next[at]].wire.capacity;

			slowest = time > slowest ? time : slowest;
		}
	}
	load->options->message(
		load->options->context,
		&(struct tt_message_span){.round = round->round,
					  .from = message->from,
					  .to = message->to,
					  .blocks = (double)message->volume / (double)load->scale,
					  .start = round->start,
					  .end = round->start + latency +
						 slowest * load->options->block_bytes});
	return TOTUM_OK;
}

static totum_status report(struct load *load, const struct tt_round_load *round)
{
	totum_status status = TOTUM_OK;

	if (load->options->round)
		load->options->round(load->options->context, round);
	for (int64_t i = 0; i < load->messages.count && load->options->message && !status; i++)
		status = report_message(load, &load->messages.items[i], round);
	return status;
}

static totum_status run(struct load *load, struct tt_simulation *out)
{
	struct tt_round_load round = {0};

	for (int64_t t = 0; t < load->schedule->rounds; t++) {
		bool same;
		totum_status status = same_records(load, t, &same);

		if (!status && !same) {
			clear(load);
			status = tt_messages_collect(&load->messages, load->schedule, t,
						     load->options);
			if (!status)
				status = carry_all(load);
			if (status)
				return status;
			weigh(load, &round);
			if (!tt_fraction_valid(round.load))
				return tt_fail(TOTUM_EUNSUPPORTED,
					       "topology %s: a load is a fraction of more than 64 "
					       "bits; give its capacities a larger common factor",
					       load->topology->name);
		}
		round.round = t;
		round.start = out->seconds;
		round.seconds = seconds_of(load, round.latency, round.load);
		out->volume = tt_fraction_add(out->volume, round.load);
		out->latency += round.latency;
		out->messages += round.messages;
		out->seconds += round.seconds;
		if (!status)
			status = report(load, &round);
		if (status)
			return status;
	}
	return TOTUM_OK;
}

totum_status tt_simulate_load(const struct tt_schedule *schedule,
			      const struct tt_topology *topology,
			      const struct tt_simulate_options *options, struct tt_simulation *out)
{
	static const struct tt_simulate_options none = {0};
	struct load load = {
		.schedule = schedule, .topology = topology, .options = options ? options : &none};
	size_t links = (size_t)topology->nlinks + 1;
	totum_status status =
		tt_simulate_fits(schedule, topology->nranks, topology->name, load.options);

	if (status)
		return status;
	*out = (struct tt_simulation){
		.rounds = schedule->rounds, .volume = {0, 1}, .unit = topology->unit};
	load.scale = tt_message_scale(schedule, load.options->split);
	load.loads = calloc(links, sizeof *load.loads);
	load.leaving = calloc(links, sizeof *load.leaving);
	load.touched = malloc(links * sizeof *load.touched);
	if (!load.loads || !load.leaving || !load.touched)
		status = tt_fail_memory(links * 16, "link loads");
	if (!status)
		status = tt_routes_new(topology, load.options->split, &load.routes);
	if (!status)
		status = tt_messages_new(schedule, &load.messages);
	if (!status)
		status = run(&load, out);
	if (!status && tt_fraction_valid(out->volume)) /* one rounding, not one a round */
		out->seconds = seconds_of(&load, out->latency, out->volume);
	tt_routes_free(load.routes);
	tt_messages_free(&load.messages);
	free(load.loads);
	free(load.leaving);
	free(load.touched);
	free(load.records);
	return status;
}
