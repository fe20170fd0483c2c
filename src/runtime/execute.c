/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * execute - runs a program: start what is ready, move bytes, see what is done, release what waited
 * for it.
 *
 * Every link (a peer and a direction) has its steps in order; only the first one that has not
 * started may start, which keeps the order that makes tags unnecessary.  A link has one reduce step
 * under way at a time and so one scratch.
 */
#include "runtime/execute.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "host/host.h"
#include "host/reduce.h"

enum { LOOK_NS = 20000000 /* a program that is only tested looks for failures this often */ };

struct link {
	int32_t *steps; /* of this link, in order */
	int32_t nsteps;
	int32_t next;   /* the first that has not started */
	bool reducing;
	unsigned char *scratch;
	struct tt_span scratch_span;
	uint64_t bytes; /* of all steps */
	enum { GREETED, UNGREETED, GREETING } state;
	struct tt_greeting greeting;
	struct tt_span greeting_span;
	struct tt_transfer_state greeting_transfer;
};

struct tt_run {
	struct link *links;                    /* [2 * nranks]: receives from 0.., sends to 0.. */
	int64_t nlinks;
	struct tt_transfer_state *transfers;   /* [nsteps] */
	struct tt_span *spans;                 /* [nranges] */
	int32_t *waits;                        /* [nsteps]: how many steps each still waits for */
	int32_t *active;                       /* [nsteps]: those under way */
	int64_t nactive, finished;
	int64_t greetings;                     /* that are waited for; sent, where no bytes follow */
	int32_t *order;                        /* [nsteps]: the links' steps */
	unsigned char *scratch;
	uint64_t scratch_bytes;
};

static int64_t link_of(const struct tt_program *program, const struct tt_step *step)
{
	return step->kind == TT_STEP_SEND ? program->nranks + step->peer : step->peer;
}

static void run_free(struct tt_run *run)
{
	if (!run)
		return;
	free(run->links);
	free(run->transfers);
	free(run->spans);
	free(run->waits);
	free(run->active);
	free(run->order);
	free(run->scratch);
	free(run);
}

/* Hands every link its part of `order` and of the scratch memory. */
static totum_status lay_out_links(struct tt_run *run, const struct tt_program *program)
{
	uint64_t *longest = calloc((size_t)run->nlinks, sizeof *longest), scratch = 0;

	if (!longest)
		return tt_fail_memory((size_t)run->nlinks * sizeof *longest, "a program");
	for (int64_t i = 0; i < program->nsteps; i++) {
		const struct tt_step *step = &program->steps[i];
		int64_t link = link_of(program, step);
		run->links[link].nsteps++;
		run->links[link].bytes += step->bytes;
		if (step->kind == TT_STEP_REDUCE && step->bytes > longest[link])
			longest[link] = step->bytes;
	}
	int32_t at = 0;
	for (int64_t link = 0; link < run->nlinks; link++) {
		run->links[link].steps = run->order + at;
		at += run->links[link].nsteps;
		run->links[link].nsteps = 0;
		scratch += (longest[link] + 63) / 64 * 64;
	}
	for (int32_t i = 0; i < program->nsteps; i++) {
		struct link *link = &run->links[link_of(program, &program->steps[i])];
		link->steps[link->nsteps++] = i;
	}
	run->scratch = scratch ? aligned_alloc(64, scratch) : NULL;
	if (scratch && !run->scratch) {
		free(longest);
		return tt_fail_memory(scratch, "reduction scratch");
	}
	run->scratch_bytes = scratch;
	scratch = 0;
	for (int64_t link = 0; link < run->nlinks; link++) {
		run->links[link].scratch = run->scratch + scratch;
		scratch += (longest[link] + 63) / 64 * 64;
	}
	free(longest);
	return TOTUM_OK;
}

static totum_status run_new(const struct tt_program *program, struct tt_run **out)
{
	size_t steps = (size_t)program->nsteps + 1;
	struct tt_run *run = calloc(1, sizeof *run);

	if (!run)
		return tt_fail_memory(sizeof *run, "a program");
	run->nlinks = 2 * program->nranks;
	run->links = calloc((size_t)run->nlinks, sizeof *run->links);
	run->transfers = calloc(steps, sizeof *run->transfers);
	run->spans = calloc((size_t)program->nranges + 1, sizeof *run->spans);
	run->waits = calloc(steps, sizeof *run->waits);
	run->active = calloc(steps, sizeof *run->active);
	run->order = calloc(steps, sizeof *run->order);
	totum_status status = TOTUM_OK;
	if (!run->links || !run->transfers || !run->spans || !run->waits || !run->active ||
	    !run->order)
		status = tt_fail_memory(steps * sizeof *run->transfers, "a program");
	if (!status)
		status = lay_out_links(run, program);
	if (status)
		run_free(run);
	else
		*out = run;
	return status;
}

/* Is this link greeted even if it has no steps?  Both of its ends say the same. */
static bool greets_always(const struct tt_executor *executor, int64_t number)
{
	int64_t n = executor->program->nranks, rank = executor->program->rank, peer = number % n;
	int64_t from = number < n ? peer : rank, to = number < n ? rank : peer;

	if (peer == rank || executor->greets == TT_GREETS_WITH_BYTES)
		return false;
	return executor->greets == TT_GREETS_ALL ||
	       (executor->greets == TT_GREETS_ROOT ? to : from) == executor->root;
}

static void begin(struct tt_executor *executor)
{
	const struct tt_program *program = executor->program;
	const struct tt_operands *operands = &executor->operands;
	struct tt_run *run = executor->run;

	run->nactive = run->finished = run->greetings = 0;
	for (int64_t i = 0; i < program->nranges; i++) {
		uint64_t at = program->ranges[i].offset;
		unsigned char *to = at < operands->divide
					    ? (unsigned char *)operands->buffer + at
					    : (unsigned char *)operands->second +
						      (at - operands->divide);
		run->spans[i] = (struct tt_span){to, program->ranges[i].length};
	}
	for (int64_t i = 0; i < program->nsteps; i++)
		run->waits[i] = program->steps[i].nwaits;
	for (int64_t i = 0; i < run->nlinks; i++) {
		struct link *link = &run->links[i];
		link->next = 0;
		link->reducing = false;
		link->state = executor->greeting && (link->nsteps || greets_always(executor, i))
				      ? UNGREETED
				      : GREETED;
	}
}

/*
 * The greeting of a link goes, or is waited for, before anything else on it.  Ranks that wait for
 * each other before any of it has gone learn of each other's calls by the notices.
 */
static totum_status greet(struct tt_executor *executor, struct link *link)
{
	const struct tt_transport *transport = executor->transport;
	int64_t number = link - executor->run->links, n = executor->program->nranks;
	bool sends = number >= n;

	link->greeting = *executor->greeting;
	link->greeting.bytes = link->bytes;
	link->greeting_span =
		(struct tt_span){(unsigned char *)&link->greeting, sizeof link->greeting};
	link->greeting_transfer = (struct tt_transfer_state){
		.spans = &link->greeting_span, .nspans = 1, .peer = (int)(number % n)};
	/* of one that is sent before bytes these tell when it is gone */
	link->state = sends && link->nsteps ? GREETED : GREETING;
	executor->run->greetings += link->state == GREETING;
	return sends ? transport->send(executor->endpoint, &link->greeting_transfer)
		     : transport->receive(executor->endpoint, &link->greeting_transfer);
}

static totum_status start_step(struct tt_executor *executor, int32_t i, struct link *link)
{
	const struct tt_step *step = &executor->program->steps[i];
	struct tt_run *run = executor->run;
	struct tt_transfer_state *transfer = &run->transfers[i];

	*transfer = (struct tt_transfer_state){.peer = step->peer};
	transfer->spans = run->spans + step->first_range;
	transfer->nspans = (int)step->nranges;
	run->active[run->nactive++] = i;
	if (step->kind == TT_STEP_SEND)
		return executor->transport->send(executor->endpoint, transfer);
	if (step->kind == TT_STEP_REDUCE) {
		link->reducing = true;
		link->scratch_span = (struct tt_span){link->scratch, step->bytes};
		transfer->spans = &link->scratch_span;
		transfer->nspans = 1;
	}
	return executor->transport->receive(executor->endpoint, transfer);
}

/* What is sent goes as one with the bytes behind it, and so not before these are there. */
static bool greets_later(const struct tt_executor *executor, const struct link *link)
{
	const struct tt_run *run = executor->run;

	return link - run->links >= executor->program->nranks && link->nsteps &&
	       run->waits[link->steps[0]];
}

/* Starts the steps of a link that may start, in order. */
static totum_status start_link(struct tt_executor *executor, struct link *link)
{
	const struct tt_program *program = executor->program;

	if (link->state == UNGREETED) {
		if (greets_later(executor, link))
			return TOTUM_OK;
		totum_status status = greet(executor, link);
		if (status)
			return status;
	}
	if (link->state == GREETING)
		return TOTUM_OK;
	while (link->next < link->nsteps) {
		int32_t i = link->steps[link->next];
		bool reduces = program->steps[i].kind == TT_STEP_REDUCE;
		if (executor->run->waits[i] || (reduces && link->reducing))
			return TOTUM_OK;
		link->next++;
		totum_status status = start_step(executor, i, link);
		if (status)
			return status;
	}
	return TOTUM_OK;
}

static void add_received(struct tt_executor *executor, const struct tt_step *step,
			 struct link *link)
{
	const struct tt_operands *operands = &executor->operands;
	const struct tt_span *spans = executor->run->spans + step->first_range;
	size_t element = totum_dtype_size(operands->dtype), at = 0;

	for (int64_t i = 0; i < step->nranges; i++) {
		tt_reduce_pair(spans[i].at, link->scratch + at, spans[i].bytes / element,
			       operands->dtype, operands->op);
		at += spans[i].bytes;
	}
	link->reducing = false;
}

static totum_status finish_step(struct tt_executor *executor, int32_t i)
{
	const struct tt_program *program = executor->program;
	const struct tt_step *step = &program->steps[i];
	struct tt_run *run = executor->run;
	struct link *link = &run->links[link_of(program, step)];

	run->finished++;
	if (step->kind == TT_STEP_REDUCE)
		add_received(executor, step, link);
	for (int64_t w = 0; w < step->nwaiters; w++) {
		int32_t waiter = program->waiters[step->first_waiter + w];
		if (--run->waits[waiter])
			continue;
		totum_status status = start_link(
			executor, &run->links[link_of(program, &program->steps[waiter])]);
		if (status)
			return status;
	}
	return step->kind == TT_STEP_REDUCE ? start_link(executor, link) : TOTUM_OK;
}

/* Is it the greeting of the same call, before as many bytes as this rank expects? */
static bool fits(const struct tt_executor *executor, const struct link *link)
{
	const struct tt_greeting *mine = executor->greeting, *theirs = &link->greeting;

	return theirs->number == mine->number && theirs->bytes == link->bytes &&
	       tt_call_same(&theirs->call, &mine->call);
}

static totum_status finish_greetings(struct tt_executor *executor)
{
	struct tt_run *run = executor->run;

	for (int64_t i = 0; i < run->nlinks && run->greetings; i++) {
		struct link *link = &run->links[i];
		if (link->state != GREETING || !link->greeting_transfer.done)
			continue;
		link->state = GREETED;
		run->greetings--;
		if (i >= executor->program->nranks)
			continue;
		totum_status status =
			fits(executor, link)
				? start_link(executor, link)
				: executor->differs(executor, (int)i, &link->greeting, link->bytes);
		if (status)
			return status;
	}
	return TOTUM_OK;
}

static totum_status finish_steps(struct tt_executor *executor)
{
	struct tt_run *run = executor->run;
	totum_status greeted = run->greetings ? finish_greetings(executor) : TOTUM_OK;

	if (greeted)
		return greeted;

	for (int64_t a = 0; a < run->nactive;) {
		int32_t i = run->active[a];
		if (!run->transfers[i].done) {
			a++;
			continue;
		}
		run->active[a] = run->active[--run->nactive];
		totum_status status = finish_step(executor, i);
		if (status)
			return status;
	}
	return TOTUM_OK;
}

totum_status tt_executor_begin(struct tt_executor *executor)
{
	struct tt_run *run = executor->run;
	totum_status status = TOTUM_OK;

	begin(executor);
	executor->idle_since = 0;
	for (int64_t link = 0; link < run->nlinks && !status; link++) /* receives come first */
		status = start_link(executor, &run->links[link]);
	return status;
}

/* Nothing moves, and the caller is not to wait, as the transport would: the look is taken here. */
static totum_status look(struct tt_executor *executor)
{
	if (tt_clock_ns() - executor->idle_since < LOOK_NS)
		return TOTUM_OK;
	return executor->transport->check(executor->endpoint, executor->idle_since);
}

/* Something moves again. */
static void count_wait(const struct tt_executor *executor, bool block)
{
	if (!block || !executor->idle_since)
		return;
	executor->host->waits++;
	executor->host->waited_ns += tt_clock_ns() - executor->idle_since;
}

totum_status tt_executor_go(struct tt_executor *executor, bool block, bool *done)
{
	const struct tt_transport *transport = executor->transport;
	struct tt_run *run = executor->run;
	totum_status status = TOTUM_OK;

	while (!status && (run->finished < executor->program->nsteps || run->greetings)) {
		bool moved;
		status = transport->progress(executor->endpoint, &moved);
		if (status)
			break;
		if (moved) {
			executor->moves++;
			count_wait(executor, block);
			executor->idle_since = 0;
			status = finish_steps(executor);
			continue;
		}
		if (!executor->idle_since)
			executor->idle_since = tt_clock_ns();
		status = block ? transport->wait(executor->endpoint, executor->idle_since)
			       : look(executor);
		if (!block && !status)
			return TOTUM_OK;
	}
	if (status)
		transport->cancel(executor->endpoint);
	*done = !status;
	return status;
}

totum_status tt_executor_open(struct tt_executor *executor, struct tt_program *program)
{
	executor->program = program;
	return run_new(program, &executor->run);
}

void tt_executor_close(struct tt_executor *executor)
{
	run_free(executor->run);
	tt_program_free(executor->program);
	executor->run = NULL;
	executor->program = NULL;
}

bool tt_executor_received(const struct tt_executor *executor, int64_t step)
{
	const struct tt_program *program = executor->program;
	const struct tt_run *run = executor->run;
	const struct link *link = &run->links[link_of(program, &program->steps[step])];
	/* what has not started holds the end of the run before; a link's steps are in order */
	bool started = link->next == link->nsteps || step < link->steps[link->next];

	return started && run->transfers[step].done;
}

uint64_t tt_executor_bytes(const struct tt_executor *executor)
{
	const struct tt_program *program = executor->program;
	uint64_t step =
		sizeof(struct tt_step) + sizeof(struct tt_transfer_state) + 3 * sizeof(int32_t);

	return (uint64_t)program->nsteps * step +
	       (uint64_t)program->nranges * (sizeof(struct tt_range) + sizeof(struct tt_span)) +
	       (uint64_t)program->nwaiters * sizeof(int32_t) + executor->run->scratch_bytes;
}
