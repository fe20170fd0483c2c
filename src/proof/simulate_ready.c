/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate_ready - no barriers: a message leaves when what it carries is
 * there and its place is free.
 *
 * The programs of all ranks say which steps wait for which.  A message is a send step and
 * the receive step that it meets; it may leave when both have nothing to wait for and the
 * message before it between the same two ranks has arrived, and when it arrives the steps
 * that wait for either may go on.  What is to be added may arrive early: it is then added
 * when its turn comes, in no time.
 */
#include <stdlib.h>

#include "proof/simulate_events.h"
#include "schedule/program.h"

/* One end of a message: a step of a rank's program. */
struct end {
	int32_t from, to;
	int64_t step; /* numbered through all programs */
};

struct ready {
	const struct tt_schedule *schedule;
	const struct tt_simulate_options *options;
	struct tt_program **programs; /* [nranks] */
	int64_t *base;                /* [nranks + 1]: the number of each program's first step */
	struct end *sends,
		*receives; /* [nmessages]: ordered by from, to, step: these meet one to one */
	int64_t nmessages;
	int64_t *message_of; /* [steps] */
	int32_t *waits;      /* [nmessages]: what must happen before it leaves */
	int32_t *adds;       /* [nmessages]: before it is added, its arrival included */
	int64_t *added;      /* scratch: messages just added */
	double *start;       /* [nmessages] */
	struct tt_events *events;
	double end;
};

static int compare_ends(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step;
}

/* Blocks as byte ranges of weight * pieces bytes: a piece has as many bytes as weight in blocks. */
static totum_status make_layout(const struct tt_schedule *schedule, const int64_t *weights,
				uint64_t *offset, uint64_t *length, struct tt_layout *out)
{
	uint64_t at = 0;

	for (int64_t b = 0; b < schedule->nblocks; b++) {
		uint64_t weight = weights ? (uint64_t)weights[b] : 1;

		offset[b] = at;
		if (__builtin_mul_overflow(weight, (uint64_t)schedule->pieces, &length[b]) ||
		    __builtin_add_overflow(at, length[b], &at) || at > INT64_MAX)
			return tt_fail(
				TOTUM_EUNSUPPORTED,
				"shards of more than 9e18 parts of blocks; use smaller ones");
	}
	*out = (struct tt_layout){
		.nblocks = schedule->nblocks, .offset = offset, .length = length, .element = 1};
	return TOTUM_OK;
}

static totum_status lower_all(struct ready *ready)
{
	const struct tt_schedule *schedule = ready->schedule;
	size_t n = (size_t)schedule->nranks, bytes = (size_t)schedule->nblocks * sizeof(uint64_t);
	uint64_t *offset = malloc(bytes), *length = malloc(bytes);
	struct tt_layout layout;

	ready->programs = calloc(n, sizeof(struct tt_program *));
	ready->base = calloc(n + 1, sizeof *ready->base);
	totum_status status =
		offset && length && ready->programs && ready->base
			? make_layout(schedule, ready->options->weights, offset, length, &layout)
			: tt_fail_memory(2 * bytes, "programs");
	for (int64_t r = 0; r < schedule->nranks && !status; r++) {
		status = tt_program_lower(schedule, r, &layout, &ready->programs[r]);
		ready->base[r + 1] = ready->base[r] + (status ? 0 : ready->programs[r]->nsteps);
	}
	free(offset);
	free(length);
	return status;
}

/* Lists the ends of all messages, so that sends[i] meets receives[i]. */
static totum_status pair_ends(struct ready *ready)
{
	int64_t nsteps = ready->base[ready->schedule->nranks], nsends = 0, nreceives = 0;
	size_t room = (size_t)nsteps + 1;

	ready->sends = malloc(room * sizeof *ready->sends);
	ready->receives = malloc(room * sizeof *ready->receives);
	ready->message_of = malloc(room * sizeof *ready->message_of);
	ready->waits = calloc(room, sizeof *ready->waits);
	ready->adds = calloc(room, sizeof *ready->adds);
	ready->added = malloc(room * sizeof *ready->added);
	ready->start = malloc(room * sizeof *ready->start);
	if (!ready->sends || !ready->receives || !ready->message_of || !ready->waits ||
	    !ready->adds || !ready->added || !ready->start)
		return tt_fail_memory(room * 72,
				      "messages; simulate a smaller schedule or use --model load");
	for (int32_t r = 0; r < ready->schedule->nranks; r++)
		for (int64_t i = 0; i < ready->programs[r]->nsteps; i++) {
			const struct tt_step *step = &ready->programs[r]->steps[i];
			int64_t number = ready->base[r] + i;

			if (step->kind == TT_STEP_SEND)
				ready->sends[nsends++] = (struct end){r, step->peer, number};
			else
				ready->receives[nreceives++] = (struct end){step->peer, r, number};
		}
	qsort(ready->sends, (size_t)nsends, sizeof *ready->sends, compare_ends);
	qsort(ready->receives, (size_t)nreceives, sizeof *ready->receives, compare_ends);
	ready->nmessages = nsends;
	for (int64_t i = 0; i < nsends; i++)
		if (nsends != nreceives || ready->sends[i].from != ready->receives[i].from ||
		    ready->sends[i].to != ready->receives[i].to)
			return tt_fail(
				TOTUM_EINVAL,
				"what rank %d sends to rank %d is not what is received; verify "
				"the schedule",
				ready->sends[i].from, ready->sends[i].to);
	return TOTUM_OK;
}

static const struct tt_step *step_at(const struct ready *ready, int64_t rank, int64_t number)
{
	return &ready->programs[rank]->steps[number - ready->base[rank]];
}

static bool follows(const struct ready *ready, int64_t message)
{
	const struct end *end = &ready->sends[message];

	return message && end[-1].from == end->from && end[-1].to == end->to;
}

static totum_status add_messages(struct ready *ready)
{
	totum_status status = TOTUM_OK;
	int64_t factor = ready->options->split ? 2 : 1;

	for (int64_t i = 0; i < ready->nmessages && !status; i++) {
		const struct end *send = &ready->sends[i], *receive = &ready->receives[i];
		const struct tt_step *out = step_at(ready, send->from, send->step);
		const struct tt_step *in = step_at(ready, receive->to, receive->step);

		ready->message_of[send->step] = ready->message_of[receive->step] = i;
		bool reduce = in->kind == TT_STEP_REDUCE;

		ready->waits[i] = out->nwaits + (reduce ? 0 : in->nwaits) + follows(ready, i);
		ready->adds[i] = 1 + (reduce ? in->nwaits : 0);
		status =
			tt_events_add(ready->events,
				      &(struct tt_message){.from = send->from,
							   .to = send->to,
							   .volume = (int64_t)out->bytes * factor});
	}
	return status;
}

static void launch(struct ready *ready, int64_t message, double now)
{
	ready->start[message] = now;
	tt_events_launch(ready->events, message, now);
}

static void release(struct ready *ready, int64_t message, double now)
{
	if (!--ready->waits[message])
		launch(ready, message, now);
}

/*
 * The steps that wait for this one may have nothing else to wait for; additions among them are
 * pushed on ready->added, from *count on, for the caller to go on with.
 */
static void step_done(struct ready *ready, int64_t rank, int64_t number, double now, int64_t *count)
{
	const struct tt_program *program = ready->programs[rank];
	const struct tt_step *step = step_at(ready, rank, number);

	for (int64_t i = 0; i < step->nwaiters; i++) {
		int32_t waiter = program->waiters[step->first_waiter + i];
		int64_t message = ready->message_of[ready->base[rank] + waiter];

		if (program->steps[waiter].kind != TT_STEP_REDUCE)
			release(ready, message, now);
		else if (!--ready->adds[message])
			ready->added[(*count)++] = message;
	}
}

static void arrive(struct ready *ready, int64_t message, double now)
{
	int64_t count = 0;

	step_done(ready, ready->sends[message].from, ready->sends[message].step, now, &count);
	if (!--ready->adds[message])
		ready->added[count++] = message;
	while (count) {
		const struct end *receive = &ready->receives[ready->added[--count]];

		step_done(ready, receive->to, receive->step, now, &count);
	}
}

static totum_status message_done(void *context, int64_t message, double now)
{
	struct ready *ready = context;
	const struct end *send = &ready->sends[message];
	const struct tt_step *step = step_at(ready, send->from, send->step);

	ready->end = now > ready->end ? now : ready->end;
	if (ready->options->message)
		ready->options->message(ready->options->context,
					&(struct tt_message_span){.round = step->round,
								  .from = send->from,
								  .to = send->to,
								  .blocks = (double)step->bytes /
									    ready->schedule->pieces,
								  .start = ready->start[message],
								  .end = now});
	arrive(ready, message, now);
	if (message + 1 < ready->nmessages && follows(ready, message + 1))
		release(ready, message + 1, now);
	return TOTUM_OK;
}

static totum_status run(struct ready *ready)
{
	for (int64_t i = 0; i < ready->nmessages; i++)
		ready->start[i] = -1;
	/* In program order, in which messages over one link take their turns. */
	for (int64_t r = 0; r < ready->schedule->nranks; r++)
		for (int64_t i = 0; i < ready->programs[r]->nsteps; i++) {
			int64_t message = ready->message_of[ready->base[r] + i];

			if (ready->programs[r]->steps[i].kind == TT_STEP_SEND &&
			    !ready->waits[message])
				launch(ready, message, 0);
		}
	totum_status status = tt_events_run(ready->events);
	for (int64_t i = 0; i < ready->nmessages && !status; i++)
		if (ready->start[i] < 0)
			status = tt_fail(TOTUM_EINVAL,
					 "rank %d never gets to send to rank %d: the steps wait "
					 "for each other; verify the schedule",
					 ready->sends[i].from, ready->sends[i].to);
	return status;
}

static void release_all(struct ready *ready)
{
	for (int64_t r = 0; ready->programs && r < ready->schedule->nranks; r++)
		tt_program_free(ready->programs[r]);
	free(ready->programs);
	free(ready->base);
	free(ready->sends);
	free(ready->receives);
	free(ready->message_of);
	free(ready->waits);
	free(ready->adds);
	free(ready->added);
	free(ready->start);
	tt_events_free(ready->events);
}

totum_status tt_simulate_ready(const struct tt_schedule *schedule,
			       const struct tt_topology *topology,
			       const struct tt_simulate_options *options, struct tt_simulation *out)
{
	static const struct tt_simulate_options none = {0};
	struct ready ready = {.schedule = schedule, .options = options ? options : &none};
	totum_status status =
		tt_simulate_fits(schedule, topology->nranks, topology->name, ready.options);

	if (status)
		return status;
	status = lower_all(&ready);
	if (!status)
		status = pair_ends(&ready);
	if (!status)
		status = tt_events_new(topology, ready.options,
				       tt_message_scale(schedule, ready.options->split),
				       message_done, &ready, &ready.events);
	if (!status)
		status = add_messages(&ready);
	if (!status)
		status = run(&ready);
	*out = (struct tt_simulation){.rounds = schedule->rounds,
				      .messages = ready.nmessages,
				      .unit = topology->unit,
				      .seconds = ready.end};
	release_all(&ready);
	return status;
}
