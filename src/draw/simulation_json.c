/* SPDX-License-Identifier: BSD-3-Clause */
/* simulation_json - a simulation as JSON; loads and volumes are exact fractions. */
#include "draw/json.h"
#include "draw/simulation.h"

static void write_link(const struct tt_topology *topology, struct tt_json *json, const char *key,
		       int32_t link)
{
	char name[2 * TT_TOPOLOGY_NAME + 1];

	snprintf(name, sizeof name, "%s>%s", topology->vertices[topology->links[link].from].name,
		 topology->vertices[topology->links[link].to].name);
	tt_json_string(json, key, name);
}

static void write_loads(const struct tt_simulated *simulated, const struct tt_recorded_round *round,
			struct tt_json *json)
{
	tt_json_array(json, "loads");
	for (int32_t l = 0; l < simulated->topology->nlinks; l++) {
		if (!round->loads[l])
			continue;
		tt_json_object(json, NULL);
		write_link(simulated->topology, json, "link", l);
		tt_json_fraction(json, "blocks", tt_fraction_of(round->loads[l], round->scale));
		tt_json_end(json, '}');
	}
	tt_json_end(json, ']');
}

static void write_round(const struct tt_simulated *simulated, const struct tt_recorded_round *round,
			struct tt_json *json)
{
	tt_json_object(json, NULL);
	tt_json_int(json, "first", round->first);
	tt_json_int(json, "count", round->count);
	tt_json_int(json, "messages", round->messages);
	tt_json_real(json, "seconds", round->seconds);
	if (tt_fraction_valid(simulated->result.volume)) {
		tt_json_real(json, "latency", (double)round->latency / (double)TT_PICOSECONDS);
		tt_json_fraction(json, "load", round->load);
	}
	if (round->busiest >= 0)
		write_link(simulated->topology, json, "busiest", round->busiest);
	if (round->loads)
		write_loads(simulated, round, json);
	tt_json_end(json, '}');
}

void tt_draw_simulation_json(const struct tt_simulated *simulated, FILE *out)
{
	const struct tt_simulation *result = &simulated->result;
	const struct tt_bound *bound = simulated->limits.bound;
	struct tt_json json = {.out = out};

	tt_json_object(&json, NULL);
	if (simulated->command)
		tt_json_string(&json, "command", simulated->command);
	tt_json_string(&json, "collective", tt_collective_name(simulated->schedule->collective));
	tt_json_string(&json, "algorithm", simulated->schedule->name);
	tt_json_string(&json, "topology",
		       simulated->topology ? simulated->topology->name
					   : tt_shape_name(simulated->shape->kind));
	tt_json_string(&json, "model", simulated->model);
	tt_json_bool(&json, "split", simulated->split);
	tt_json_bool(&json, "overlap", simulated->overlap);
	tt_json_int(&json, "nranks", simulated->schedule->nranks);
	tt_json_int(&json, "bytes", (int64_t)simulated->bytes);
	tt_json_int(&json, "rounds", result->rounds);
	tt_json_int(&json, "messages", result->messages);
	tt_json_real(&json, "seconds", result->seconds);
	tt_json_real(&json, "bound", simulated->bound);
	tt_json_int(&json, "unit", result->unit);
	if (tt_fraction_valid(result->volume))
		tt_json_fraction(&json, "volume", result->volume);
	tt_json_fraction(&json, "lambda", bound->lambda_unit);
	tt_json_string(&json, "bottleneck", bound->sentence);
	tt_json_array(&json, "by_round");
	for (int64_t i = 0; i < simulated->recording.nrounds; i++)
		write_round(simulated, &simulated->recording.rounds[i], &json);
	tt_json_end(&json, ']');
	tt_json_end(&json, '}');
}
