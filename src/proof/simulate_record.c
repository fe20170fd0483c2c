/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate_record - an observer that keeps everything; running out of memory is told at the end. */
#include "proof/simulate_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/grow.h"

/* Alike rounds of the flow model differ by this part of their time. */
static const double rounding = 1e-9;

static totum_status no_memory(size_t bytes)
{
	return tt_fail_memory(bytes, "the rounds and messages of a simulation; ask for less of it");
}

static bool same_loads(const int64_t *a, const int64_t *b, int64_t nlinks)
{
	return (!a && !b) || (a && b && !memcmp(a, b, (size_t)nlinks * sizeof *a));
}

static bool alike(const struct tt_recording *recording, const struct tt_recorded_round *last,
		  const struct tt_round_load *next)
{
	return last->messages == next->messages && last->latency == next->latency &&
	       last->busiest == next->busiest && last->load.over == next->load.over &&
	       last->load.under == next->load.under &&
	       fabs(last->seconds - next->seconds) <= rounding * last->seconds &&
	       same_loads(last->loads, recording->keep_loads ? next->loads : NULL,
			  recording->nlinks);
}

static void see_round(void *context, const struct tt_round_load *load)
{
	struct tt_recording *recording = context;
	size_t bytes = (size_t)recording->nlinks * sizeof *load->loads;

	if (recording->failed)
		return;
	if (recording->nrounds &&
	    alike(recording, &recording->rounds[recording->nrounds - 1], load)) {
		recording->rounds[recording->nrounds - 1].count++;
		return;
	}
	struct tt_recorded_round *rounds = tt_grow(recording->rounds, recording->nrounds,
						   &recording->rounds_room, sizeof *rounds);
	int64_t *loads = recording->keep_loads && load->loads ? malloc(bytes + 1) : NULL;
	if (rounds)
		recording->rounds = rounds;
	if (!rounds || (recording->keep_loads && load->loads && !loads)) {
		free(loads);
		recording->failed = no_memory(bytes + sizeof *rounds);
		return;
	}
	if (loads)
		memcpy(loads, load->loads, bytes);
	rounds[recording->nrounds++] = (struct tt_recorded_round){.first = load->round,
								  .count = 1,
								  .messages = load->messages,
								  .latency = load->latency,
								  .load = load->load,
								  .busiest = load->busiest,
								  .start = load->start,
								  .seconds = load->seconds,
								  .loads = loads,
								  .scale = load->scale};
}

static void see_message(void *context, const struct tt_message_span *span)
{
	struct tt_recording *recording = context;

	if (recording->failed)
		return;
	struct tt_message_span *messages = tt_grow(recording->messages, recording->nmessages,
						   &recording->messages_room, sizeof *messages);
	if (!messages) {
		recording->failed = no_memory(2 * (size_t)recording->nmessages * sizeof *messages);
		return;
	}
	recording->messages = messages;
	messages[recording->nmessages++] = *span;
}

void tt_record(struct tt_recording *recording, struct tt_simulate_options *options)
{
	options->round = see_round;
	options->message = recording->keep_messages ? see_message : NULL;
	options->context = recording;
}

static int compare_spans(const void *a, const void *b)
{
	const struct tt_message_span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

totum_status tt_record_finish(struct tt_recording *recording)
{
	if (!recording->failed && recording->nmessages)
		qsort(recording->messages, (size_t)recording->nmessages,
		      sizeof *recording->messages, compare_spans);
	return recording->failed;
}

void tt_record_free(struct tt_recording *recording)
{
	for (int64_t i = 0; i < recording->nrounds; i++)
		free(recording->rounds[i].loads);
	free(recording->rounds);
	free(recording->messages);
	*recording = (struct tt_recording){0};
}
