/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify_deadlock.c - can the ranks of a set of programs wait for each other for ever?
 *
 * Every step has a start (it is posted) and an end.  An arrow says what must come first:
 *   start -> end             of each step
 *   end -> start             of what the step waits for: the step before it (blocking), else its
 * dependencies and the step before it on the same channel and side send start -> receive end
 * nothing arrives before it is sent receive start -> send end     of the same message, when sender
 * and receiver must meet (depth 0) receive end -> send end       of the message `depth` places
 * later, for which it makes room Nothing can stand still iff the arrows have no circle.  They are
 * sorted out by Kahn's method; of what is left over, everything waits for something left over, and
 * following that back leads round a circle.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof/verify_internal.h"
#include "proof/verify_match.h"
#include "schedule/grow.h"

struct arrow {
	int64_t from, to;
};

struct graph {
	const struct tt_program *const *programs;
	int64_t nranks;
	const struct tt_running *running;
	int64_t *base; /* [nranks + 1]: the number of a rank's first step among all */
	struct arrow *arrows;
	int64_t narrows, capacity;
	totum_status status; /* of adding arrows */
};

/* The two events of step i of a rank. */
static int64_t start_of(const struct graph *graph, int64_t rank, int64_t i)
{
	return 2 * (graph->base[rank] + i);
}

static int64_t end_of(const struct graph *graph, int64_t rank, int64_t i)
{
	return 2 * (graph->base[rank] + i) + 1;
}

static void point(struct graph *graph, int64_t from, int64_t to)
{
	if (graph->status)
		return;
	struct arrow *arrows =
		tt_grow(graph->arrows, graph->narrows, &graph->capacity, sizeof(*arrows));

	if (!arrows) {
		graph->status =
			tt_fail_memory(2 * (size_t)graph->narrows * sizeof(*arrows), "a proof");
		return;
	}
	graph->arrows = arrows;
	arrows[graph->narrows++] = (struct arrow){from, to};
}

static void point_within(struct graph *graph, int64_t rank)
{
	const struct tt_program *program = graph->programs[rank];

	for (int64_t i = 0; i < program->nsteps; i++) {
		const struct tt_step *step = &program->steps[i];

		point(graph, start_of(graph, rank, i), end_of(graph, rank, i));
		if (graph->running->blocking) {
			if (i)
				point(graph, end_of(graph, rank, i - 1), start_of(graph, rank, i));
			continue;
		}
		for (int64_t j = 0; j < step->nwaiters; j++) {
			int64_t waiter = program->waiters[step->first_waiter + j];
			bool late = graph->running->staged &&
				    program->steps[waiter].kind == TT_STEP_REDUCE;

			point(graph, end_of(graph, rank, i),
			      late ? end_of(graph, rank, waiter) : start_of(graph, rank, waiter));
		}
	}
}

static bool same_channel(const struct tt_message_end *a, const struct tt_message_end *b)
{
	return a->from == b->from && a->to == b->to;
}

static void point_between(struct graph *graph, const struct tt_match *match)
{
	int64_t depth = graph->running->depth;

	for (int64_t i = 0; i < match->nsends; i++) {
		const struct tt_message_end *send = &match->sends[i],
					    *receive = &match->receives[i];

		point(graph, start_of(graph, send->from, send->step),
		      end_of(graph, receive->to, receive->step));
		if (depth == 0)
			point(graph, start_of(graph, receive->to, receive->step),
			      end_of(graph, send->from, send->step));
		else if (i >= depth && same_channel(&match->receives[i - depth], receive))
			point(graph, end_of(graph, receive->to, match->receives[i - depth].step),
			      end_of(graph, send->from, send->step));
		if (i == 0 || !same_channel(&match->sends[i - 1], send) || graph->running->blocking)
			continue;
		point(graph, end_of(graph, send->from, match->sends[i - 1].step),
		      start_of(graph, send->from, send->step));
		point(graph, end_of(graph, receive->to, match->receives[i - 1].step),
		      start_of(graph, receive->to, receive->step));
	}
}

/* Kahn's method; blocked[event] tells what is left over.  The number of events left, or -1. */
static int64_t sort_out(struct graph *graph, int64_t nevents, int32_t *blocked)
{
	int64_t *first = calloc((size_t)nevents + 2, sizeof(*first));
	int64_t *next = malloc(((size_t)graph->narrows + 1) * sizeof(*next));
	int64_t *ready = malloc(((size_t)nevents + 1) * sizeof(*ready));
	int64_t nready = 0, done = 0;

	if (first && next && ready) {
		for (int64_t i = 0; i < graph->narrows; i++) {
			/* Lists of arrows by their tail: first and next hold 1 + an arrow, or 0. */
			next[i] = first[graph->arrows[i].from];
			first[graph->arrows[i].from] = i + 1;
			blocked[graph->arrows[i].to]++;
		}
		for (int64_t event = 0; event < nevents; event++)
			if (!blocked[event])
				ready[nready++] = event;
		for (; done < nready; done++)
			for (int64_t i = first[ready[done]]; i; i = next[i - 1])
				if (--blocked[graph->arrows[i - 1].to] == 0)
					ready[nready++] = graph->arrows[i - 1].to;
	} else {
		graph->status = tt_fail_memory((size_t)nevents * sizeof(*ready), "a proof");
	}
	free(first);
	free(next);
	free(ready);
	return nevents - done;
}

static int64_t rank_of(const struct graph *graph, int64_t event)
{
	int64_t low = 0, high = graph->nranks;

	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (graph->base[middle] <= event / 2)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void describe(const struct graph *graph, int64_t event, char *text, size_t size)
{
	int64_t rank = rank_of(graph, event), index = event / 2 - graph->base[rank];
	const struct tt_step *step = &graph->programs[rank]->steps[index];

	snprintf(text, size, "rank %lld (%s rank %d, round %lld)", (long long)rank,
		 step->kind == TT_STEP_SEND ? "to" : "from", step->peer, (long long)step->round);
}

/* Follows what blocked events wait for until it comes round, and reports the circle. */
static totum_status report_circle(struct graph *graph, int64_t nevents, const int32_t *blocked,
				  struct tt_verifier *verifier)
{
	int64_t *cause = calloc((size_t)nevents + 1, sizeof(*cause));
	bool *seen = calloc((size_t)nevents + 1, sizeof(*seen));
	char circle[160] = "", one[64];
	int64_t event = 0;

	if (!cause || !seen) {
		free(cause);
		free(seen);
		return tt_fail_memory((size_t)nevents * sizeof(*cause), "a proof");
	}
	for (int64_t i = 0; i < graph->narrows; i++)
		if (blocked[graph->arrows[i].from] && blocked[graph->arrows[i].to])
			cause[graph->arrows[i].to] = graph->arrows[i].from;
	while (!blocked[event])
		event++;
	for (; !seen[event]; event = cause[event])
		seen[event] = true;
	int64_t begin = event, last = -1;

	do {
		describe(graph, event, one, sizeof(one));
		size_t used = strlen(circle);

		if (event / 2 != last && used + strlen(one) + 16 < sizeof(circle))
			snprintf(circle + used, sizeof(circle) - used, "%s%s", used ? ", " : "",
				 one);
		last = event / 2;
		event = cause[event];
	} while (event != begin);
	int64_t rank = rank_of(graph, begin);
	const struct tt_step *step = &graph->programs[rank]->steps[begin / 2 - graph->base[rank]];

	tt_violate(verifier, TT_DEADLOCK, step->round, rank, -1, "steps wait in a circle: %s",
		   circle);
	free(cause);
	free(seen);
	return TOTUM_OK;
}

static totum_status check(struct graph *graph, struct tt_verifier *verifier)
{
	int64_t nevents = 2 * graph->base[graph->nranks];
	int32_t *blocked = calloc((size_t)nevents + 1, sizeof(*blocked));
	struct tt_match match = {0};

	if (!blocked)
		return tt_fail_memory((size_t)nevents * sizeof(*blocked), "a proof");
	totum_status status = tt_match_make(graph->programs, graph->nranks, &match);

	for (int64_t rank = 0; rank < graph->nranks && !status; rank++)
		point_within(graph, rank);
	if (!status)
		point_between(graph, &match);
	tt_match_free(&match);
	if (!status)
		status = graph->status;
	if (!status && sort_out(graph, nevents, blocked) && !graph->status)
		status = report_circle(graph, nevents, blocked, verifier);
	if (!status)
		status = graph->status;
	free(blocked);
	free(graph->arrows);
	return status;
}

totum_status tt_verify_deadlock(const struct tt_program *const programs[], int64_t nranks,
				const struct tt_running *running, struct tt_verify_report *report)
{
	struct tt_verify_report own;
	struct tt_verifier verifier = {.report = report ? report : &own, .where = "", .times = 1};
	struct graph graph = {.programs = programs, .nranks = nranks, .running = running};
	totum_status status = tt_verify_programs(programs, nranks, verifier.report);

	if (status)
		return status;
	if (running->depth < 0)
		return tt_fail(TOTUM_EINVAL,
			       "a pair of ranks has at least 0 messages under way, not %lld",
			       (long long)running->depth);
	graph.base = calloc((size_t)nranks + 1, sizeof(*graph.base));
	if (!graph.base)
		return tt_fail_memory((size_t)nranks * sizeof(*graph.base), "a proof");
	for (int64_t rank = 0; rank < nranks; rank++)
		graph.base[rank + 1] = graph.base[rank] + programs[rank]->nsteps;
	status = check(&graph, &verifier);
	free(graph.base);
	return status ? status : tt_verdict(verifier.report, "the programs of all ranks");
}
