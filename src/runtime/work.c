/* SPDX-License-Identifier: BSD-3-Clause */
/* work - the queue of a communicator's calls. */
#include "runtime/work.h"

#include <stdlib.h>

#include "host/traffic.h"
#include "base/clock.h"
#include "runtime/bundle.h"
#include "runtime/mail.h"
#include "runtime/notice.h"
#include "runtime/reached.h"
#include "runtime/rest.h"
#include "runtime/scheduled.h"
#include "runtime/trace.h"
#include "transport/transport.h"

void tt_work_init(struct tt_work *work, const totum_comm *comm, enum tt_operation operation,
		  totum_dtype dtype)
{
	tt_task_init(&work->task, operation, dtype);
	work->task.call.algorithm = tt_scheduled_tag(comm, operation);
	work->on_host = work->shares = false;
	work->phase = TT_WORK_MEETS;
	work->whole = 0;
	work->plan = NULL;
	work->sizes = NULL;
	work->bundle = NULL;
	work->started = work->done = false;
	work->status = TOTUM_OK;
	work->refusal = NULL;
	work->queued = false;
	work->posted = 0;
	work->next = NULL;
}

void tt_work_free(totum_comm *comm, struct tt_work *work)
{
	free(work->sizes);
	free(work->refusal);
	work->sizes = NULL;
	work->refusal = NULL;
	if (work->plan)
		tt_scheduled_return(comm, work);
}

static bool is_scheduled(const totum_comm *comm, const struct tt_work *work)
{
	return work->task.call.algorithm || (comm->spread && !work->on_host);
}

/* What a direct work does on the host: its own call, or that of its bundle. */
static struct tt_task *task_of(struct tt_work *work)
{
	return work->bundle ? &work->bundle->task : &work->task;
}

static void record_end(totum_comm *comm, struct tt_work *work, totum_status status)
{
	struct tt_traffic inside, between;

	if (is_scheduled(comm, work) && work->plan) {
		tt_scheduled_traffic(comm, work, &inside, &between);
		tt_recorder_count(comm, inside, between);
	}
	if (comm->recorder && comm->recorder->trace && !comm->recorder->failed)
		tt_trace_work(comm, work, status);
	tt_recorder_end(comm, status, !work->queued);
}

/* Peers may be waiting for the first beat: it comes before what only this rank wants to know. */
static totum_status start(totum_comm *comm, struct tt_work *work)
{
	struct tt_task *task = task_of(work);
	totum_status status;

	work->started = true;
	if (is_scheduled(comm, work)) {
		tt_recorder_begin(comm, &task->call);
		return tt_scheduled_start(comm, work);
	}
	status = tt_task_start(&comm->host, task);
	if (!status)
		tt_task_post(&comm->host, task);
	tt_recorder_begin(comm, &task->call);
	tt_recorder_count(comm, tt_task_traffic(&comm->host, task), (struct tt_traffic){0});
	memcpy(comm->ran, "direct", sizeof "direct");
	return status;
}

static totum_status advance(totum_comm *comm, struct tt_work *work, bool block)
{
	totum_status status = work->started ? TOTUM_OK : start(comm, work);

	if (status)
		return status;
	if (is_scheduled(comm, work))
		return tt_scheduled_go(comm, work, block);
	struct tt_task *task = task_of(work);
	status = tt_task_go(&comm->host, task, block);
	work->done = task->done;
	return status;
}

static totum_status go_on(totum_comm *comm, struct tt_work *work, bool block)
{
	totum_status status = advance(comm, work, block);

	if (status || work->done)
		record_end(comm, work, status);
	if (status)
		tt_reached_note(comm, work, status);
	if (status && comm->spread)
		tt_notices_tell(comm, status);
	return status;
}

/*
 * The first work is over.  A failure of the communicator is that of every work that waits; an
 * algorithm that refuses is the work's own affair.
 */
static void retire(totum_comm *comm, totum_status status)
{
	int together = comm->first->bundle ? comm->first->bundle->nworks : 1;
	bool failed =
		status && atomic_load_explicit(&comm->host.head->failed, memory_order_relaxed);

	free(comm->first->refusal);
	comm->first->refusal = status && !failed ? strdup(totum_errmsg()) : NULL;

	do {
		struct tt_work *work = comm->first;
		work->status = status;
		work->done = true;
		comm->first = work->next;
		free(work->bundle);
		work->bundle = NULL;
	} while ((failed || --together > 0) && comm->first);
	if (!comm->first)
		comm->last = &comm->first;
}

void tt_work_go(totum_comm *comm)
{
	while (comm->first) {
		totum_status status = go_on(comm, comm->first, false);
		if (!status && !comm->first->done)
			return;
		retire(comm, status);
	}
}

/* Nothing moves any more on a communicator that has failed. */
static bool mail_moves(const totum_comm *comm)
{
	return comm->mail && tt_mail_busy(comm) &&
	       !atomic_load_explicit(&comm->host.head->failed, memory_order_relaxed);
}

bool tt_work_moves(const totum_comm *comm)
{
	return (comm->first && !comm->grouping) || mail_moves(comm);
}

totum_status tt_work_go_all(totum_comm *comm)
{
	if (!comm->grouping)
		tt_work_go(comm);
	return comm->mail ? tt_mail_go(comm) : TOTUM_OK;
}

uint64_t tt_work_mark(const totum_comm *comm)
{
	const struct tt_work *first = comm->first;
	uint64_t mark = comm->host.beat + comm->host.calls + (comm->mail ? tt_mail_mark(comm) : 0);

	return first && is_scheduled(comm, first) ? mark + tt_scheduled_mark(first) : mark;
}

/* Is the first work all that this rank has to go on with? */
static bool alone(const totum_comm *comm)
{
	return !mail_moves(comm) && !tt_others_wait(comm);
}

enum { LOOKS = 16 /* at the work alone, before the rest: each reads the clock */ };

/* Messages and other communicators go on meanwhile: a peer may need them before this call. */
void tt_work_finish(totum_comm *comm, struct tt_work *work)
{
	struct tt_waiting waiting = {0};

	while (!work->done) {
		if (alone(comm)) {
			tt_waiting_end(&waiting, comm); /* the host counts its own */
			retire(comm, go_on(comm, comm->first, true));
			continue;
		}
		if (comm->mail)
			tt_mail_go(comm); /* its failure is comm's, which the work finds */
		tt_work_go(comm);
		for (uint32_t i = 0; i < comm->host.spins && i < LOOKS && !work->done; i++)
			tt_work_go(comm);
		if (!work->done)
			tt_rest(comm, &waiting);
	}
	tt_waiting_end(&waiting, comm);
}

static void append(totum_comm *comm, struct tt_work *work)
{
	work->next = NULL;
	work->started = work->done = false;
	work->queued = true;
	work->posted = comm->recorder && comm->recorder->trace ? tt_clock_ns() : 0;
	*comm->last = work;
	comm->last = &work->next;
}

void tt_work_add(totum_comm *comm, struct tt_work *work)
{
	append(comm, work);
	if (!comm->grouping)
		tt_work_go(comm);
}

totum_status tt_work_run(totum_comm *comm, struct tt_work *work)
{
	totum_status status;

	if (!comm->first && alone(comm)) {
		status = go_on(comm, work, true);
	} else {
		append(comm, work);
		tt_work_finish(comm, work);
		status = work->status;
	}
	if (work->sizes || work->plan)
		tt_work_free(comm, work);
	return status;
}

totum_status tt_work_exchange(totum_comm *comm, struct tt_work *work, const void *mine, void *all,
			      size_t bytes)
{
	work->task.send = mine;
	work->task.recv = all;
	work->task.bytes = bytes;
	return tt_work_run(comm, work);
}

totum_status tt_comm_barrier(totum_comm *comm)
{
	struct tt_work work;

	tt_work_init(&work, comm, TT_OP_BARRIER, TOTUM_U8);
	return tt_work_run(comm, &work);
}

totum_status tt_work_now(totum_comm *comm, struct tt_work *work, totum_status status)
{
	if (!status && comm->grouping)
		status = tt_fail(TOTUM_EUSAGE, "a blocking call cannot be made between "
				 "totum_group_begin and totum_group_end");
	if (!status)
		status = tt_work_run(comm, work);
	else
		tt_work_free(comm, work);
	tt_comm_exit(comm);
	return status;
}

bool tt_work_has(const totum_comm *comm, const struct tt_work *work, int rank)
{
	if (work->done)
		return true;
	if (!work->started || is_scheduled(comm, work) || work->bundle)
		return false;
	return tt_task_has(&comm->host, &work->task, rank);
}

void tt_work_pause(totum_comm *comm, uint64_t since)
{
	struct tt_work *work = comm->first;

	if (is_scheduled(comm, work))
		tt_scheduled_pause(comm, work, since);
	else
		tt_task_pause(&comm->host, since);
}
