/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate_flow - rounds with barriers, in which messages share links max-min
 * fairly from moment to moment.
 *
 * Where all messages of a round are alike and share a bottleneck this is the load model; where they
 * are not, it tells how early the short ones end.
 */
#include <stdlib.h>

#include "proof/simulate_events.h"

struct rounds {
	const struct tt_simulate_options *options;
	struct tt_messages messages;
	int64_t round, scale;
	double start, end;
};

static totum_status message_done(void *context, int64_t message, double now)
{
	struct rounds *rounds = context;
	const struct tt_message *sent = &rounds->messages.items[message];

	rounds->end = now > rounds->end ? now : rounds->end;
	if (rounds->options->message)
		rounds->options->message(rounds->options->context,
					 &(struct tt_message_span){.round = rounds->round,
								   .from = sent->from,
								   .to = sent->to,
								   .blocks = (double)sent->volume /
									     (double)rounds->scale,
								   .start = rounds->start,
								   .end = now});
	return TOTUM_OK;
}

static totum_status run_round(struct rounds *rounds, const struct tt_schedule *schedule,
			      struct tt_events *events)
{
	totum_status status =
		tt_messages_collect(&rounds->messages, schedule, rounds->round, rounds->options);

	tt_events_clear(events);
	for (int64_t i = 0; i < rounds->messages.count && !status; i++)
		status = tt_events_add(events, &rounds->messages.items[i]);
	for (int64_t i = 0; i < rounds->messages.count && !status; i++)
		tt_events_launch(events, i, rounds->start);
	return status ? status : tt_events_run(events);
}

totum_status tt_simulate_flow(const struct tt_schedule *schedule,
			      const struct tt_topology *topology,
			      const struct tt_simulate_options *options, struct tt_simulation *out)
{
	static const struct tt_simulate_options none = {0};
	struct rounds rounds = {.options = options ? options : &none};
	struct tt_events *events = NULL;
	totum_status status =
		tt_simulate_fits(schedule, topology->nranks, topology->name, rounds.options);

	if (status)
		return status;
	*out = (struct tt_simulation){.rounds = schedule->rounds, .unit = topology->unit};
	rounds.scale = tt_message_scale(schedule, rounds.options->split);
	status = tt_messages_new(schedule, &rounds.messages);
	if (!status)
		status = tt_events_new(topology, rounds.options, rounds.scale, message_done,
				       &rounds, &events);
	for (; rounds.round < schedule->rounds && !status; rounds.round++) {
		rounds.start = rounds.end;
		status = run_round(&rounds, schedule, events);
		out->messages += rounds.messages.count;
		if (!status && rounds.options->round)
			rounds.options->round(
				rounds.options->context,
				&(struct tt_round_load){.round = rounds.round,
							.messages = rounds.messages.count,
							.busiest = -1,
							.load = {0, 1},
							.scale = rounds.scale,
							.start = rounds.start,
							.seconds = rounds.end - rounds.start});
	}
	out->seconds = rounds.end;
	tt_events_free(events);
	tt_messages_free(&rounds.messages);
	return status;
}
