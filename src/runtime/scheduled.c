/* SPDX-License-Identifier: BSD-3-Clause */
/* scheduled - the program of a work: found among those that are kept or lowered anew, and run. */
#include "runtime/scheduled_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "algorithms/algorithm.h"
#include "host/failure.h"
#include "runtime/notice.h"
#include "runtime/reach.h"
#include "runtime/spread_choice.h"
#include "transport/memory.h"

enum { KEPT = 8 };

static void scheduled_free(struct tt_scheduled *plan)
{
	tt_executor_close(&plan->executor);
	free(plan->blocks);
	free(plan->inputs);
	free(plan->scratch);
	free(plan);
}

/* A kept program for the same blocks, taken out of those that are idle. */
static struct tt_scheduled *find_kept(totum_comm *comm, const uint64_t key[2])
{
	for (struct tt_scheduled **at = &comm->idle; *at; at = &(*at)->next) {
		struct tt_scheduled *plan = *at;
		if (memcmp(plan->key, key, sizeof plan->key))
			continue;
		*at = plan->next;
		return plan;
	}
	return NULL;
}

static totum_status lower(totum_comm *comm, const struct tt_work *work, struct tt_scheduled *plan)
{
	struct tt_schedule *schedule;
	struct tt_program *program;
	size_t blocks = tt_scheduled_nblocks(comm, work);
	totum_status status = tt_algorithm_build_placed(
		tt_scheduled_collective(work), plan->algorithm, comm->nranks, work->task.root,
		comm->spread ? &comm->spread->placement : NULL, &schedule);

	if (status)
		return status;
	struct tt_layout layout = {
		(int64_t)blocks, plan->blocks, plan->blocks + blocks,
		tt_scheduled_only_meets(comm, work) ? 1 : totum_dtype_size(tt_scheduled_dtype(work))};
	status = tt_program_lower(schedule, comm->rank, &layout, &program);
	tt_schedule_free(schedule);
	return status ? status : tt_executor_open(&plan->executor, program);
}

/* The algorithm that the caller has forced, or the choice between hosts. */
static totum_status choose(const totum_comm *comm, const struct tt_work *work,
			   char out[static TT_ALGO])
{
	if (!(work->task.call.algorithm & 1))
		return tt_spread_choose(comm, work, out);
	memcpy(out, comm->algo, TT_ALGO);
	return TOTUM_OK;
}

/* The program for the work's blocks: a kept one, or a new one. */
static totum_status make(totum_comm *comm, struct tt_work *work)
{
	size_t bytes = 2 * tt_scheduled_nblocks(comm, work) * sizeof(uint64_t);
	struct tt_scheduled *plan = calloc(1, sizeof *plan);

	if (!plan)
		return tt_fail_memory(sizeof *plan, "a program");
	plan->blocks = malloc(bytes);
	if (!plan->blocks) {
		free(plan);
		return tt_fail_memory(bytes, "a layout");
	}
	totum_status status = choose(comm, work, plan->algorithm);
	if (status) {
		scheduled_free(plan);
		return status;
	}
	plan->workplace = tt_scheduled_workplace(comm, work, plan->algorithm);
	tt_scheduled_lay_out(comm, work, plan->workplace, plan->blocks);
	uint64_t facts[6] = {tt_scheduled_collective(work), work->whole, (uint64_t)work->task.root,
			     totum_dtype_size(tt_scheduled_dtype(work)), plan->workplace,
			     XXH3_64bits(plan->algorithm, strlen(plan->algorithm))};
	XXH128_hash_t sizes = XXH3_128bits(plan->blocks, bytes);
	plan->key[0] = sizes.low64 ^ XXH3_64bits(facts, sizeof facts);
	plan->key[1] = sizes.high64;
	work->plan = find_kept(comm, plan->key);
	status = work->plan ? TOTUM_OK : lower(comm, work, plan);
	if (!work->plan && !status)
		work->plan = plan;
	else
		scheduled_free(plan);
	return status;
}

static totum_status open_endpoint(totum_comm *comm)
{
	totum_status status = TOTUM_OK;

	if (comm->spread && !comm->notices)
		status = tt_notices_open(comm);
	if (status)
		return status;
	if (comm->spread) {
		struct tt_reach_context reach = {comm, TT_LANE_COLLECTIVES, TT_WAY_COLLECTIVES};
		comm->transport = &tt_transport_reach;
		return comm->transport->open(&reach, &comm->endpoint);
	}
	struct tt_memory_context memory = {.host = &comm->host, .lane = TT_LANE_COLLECTIVES};
	comm->transport = &tt_transport_memory;
	return comm->transport->open(&memory, &comm->endpoint);
}

totum_status tt_scheduled_start(totum_comm *comm, struct tt_work *work)
{
	totum_status status = comm->endpoint ? TOTUM_OK : open_endpoint(comm);

	work->phase = comm->spread ? TT_WORK_BEGINS : TT_WORK_MEETS;
	work->whole = tt_scheduled_whole(comm, work);
	if (status) { /* the others must not wait for this rank for ever */
		totum_status failed = tt_host_begin(&comm->host, &work->task.call);
		return failed ? failed
			      : tt_host_fail(&comm->host, status, comm->rank, "%s", totum_errmsg());
	}
	if (comm->spread) {
		status = tt_host_begin(&comm->host, &work->task.call);
		tt_notices_call(comm, &work->task.call);
		return status;
	}
	comm->meeting =
		(struct tt_task){.kind = tt_task_direct(TT_OP_BARRIER), .call = work->task.call};
	return tt_task_start(&comm->host, &comm->meeting);
}

static totum_status differs(struct tt_executor *executor, int peer,
			    const struct tt_greeting *theirs, uint64_t expected)
{
	const totum_comm *comm = executor->context;
	const struct tt_greeting *mine = executor->greeting;
	const struct tt_fingerprint *call = tt_notices_recall(comm, theirs->number);
	char what[96] = "";

	/* theirs may be of an earlier call, which differed from this rank's and needed nothing of it */
	if (!call || tt_call_same(call, &theirs->call))
		call = &mine->call;
	if (theirs->number != mine->number && call == &mine->call)
		snprintf(what, sizeof what, " after another number of calls");
	else if (tt_call_looks_same(call, &theirs->call))
		snprintf(what, sizeof what,
			 " with other counts: rank %d sends %" PRIu64 " bytes, not %" PRIu64, peer,
			 theirs->bytes, expected);
	return tt_host_differ(executor->host, comm->rank, call, peer, &theirs->call, what);
}

/*
 * All ranks have made the same call, or will find out by its greetings.  An algorithm that refuses
 * does so on all of them alike, which leaves the communicator as it was and the buffers too.
 */
static totum_status begin_program(totum_comm *comm, struct tt_work *work)
{
	totum_status status = work->plan ? TOTUM_OK : make(comm, work);

	if (status == TOTUM_EUNSUPPORTED || status == TOTUM_EINVAL)
		return status;
	if (!status)
		status = tt_scheduled_load(comm, work);
	if (status)
		return tt_host_fail(&comm->host, status, comm->rank, "%s", totum_errmsg());
	struct tt_executor *executor = &work->plan->executor;
	executor->host = &comm->host;
	executor->transport = comm->transport;
	executor->endpoint = comm->endpoint;
	executor->context = comm;
	executor->differs = differs;
	work->plan->greeting =
		(struct tt_greeting){.call = work->task.call};
	if (comm->spread)
		work->plan->greeting.number = tt_notices_number(comm);
	executor->greeting = comm->spread ? &work->plan->greeting : NULL;
	executor->root = work->task.root;
	executor->greets = TT_GREETS_WITH_BYTES;
	if (work->task.call.kind & TT_CALL_LOCAL) {
		enum tt_collective collective = tt_scheduled_collective(work);

		executor->greets = collective == TT_GATHER    ? TT_GREETS_ROOT
				   : collective == TT_SCATTER ? TT_ROOT_GREETS
							      : TT_GREETS_ALL;
	}
	memcpy(comm->ran, work->plan->algorithm, sizeof comm->ran);
	return tt_executor_begin(executor);
}

/* A result that the ranks of this host share is whole when all of them are done. */
static totum_status leave(totum_comm *comm, struct tt_work *work)
{
	tt_scheduled_unload(comm, work);
	if (!work->shares || comm->host.nranks == 1) {
		work->done = true;
		return TOTUM_OK;
	}
	work->phase = TT_WORK_LEAVES;
	comm->meeting =
		(struct tt_task){.kind = tt_task_direct(TT_OP_BARRIER), .call = work->task.call};
	return tt_task_start(&comm->host, &comm->meeting);
}

static totum_status meet(totum_comm *comm, bool block, bool *met)
{
	totum_status status = tt_task_go(&comm->host, &comm->meeting, block);

	*met = !status && comm->meeting.done;
	return status;
}

totum_status tt_scheduled_go(totum_comm *comm, struct tt_work *work, bool block)
{
	totum_status status = TOTUM_OK;
	bool done = false;

	if (work->phase == TT_WORK_MEETS)
		status = meet(comm, block, &done);
	if (!status && (done || work->phase == TT_WORK_BEGINS)) {
		status = begin_program(comm, work);
		if (!status)
			work->phase = TT_WORK_RUNS;
	}
	if (!status && work->phase == TT_WORK_RUNS) {
		done = false;
		status = tt_executor_go(&work->plan->executor, block, &done);
		if (done)
			status = leave(comm, work);
	}
	if (!status && work->phase == TT_WORK_LEAVES)
		status = meet(comm, block, &work->done);
	return status;
}

uint64_t tt_scheduled_mark(const struct tt_work *work)
{
	return work->plan ? work->plan->executor.moves : 0;
}

void tt_scheduled_pause(totum_comm *comm, const struct tt_work *work, uint64_t since)
{
	if (work->phase != TT_WORK_RUNS)
		tt_task_pause(&comm->host, since);
	else
		comm->transport->wait(comm->endpoint, since);
}

void tt_scheduled_traffic(const totum_comm *comm, const struct tt_work *work,
			  struct tt_traffic *inside, struct tt_traffic *between)
{
	const struct tt_program *program = work->plan->executor.program;

	*inside = *between = (struct tt_traffic){0};
	for (int64_t i = 0; i < program->nsteps; i++) {
		const struct tt_step *step = &program->steps[i];
		bool far = tt_comm_far(comm, step->peer);
		struct tt_traffic *traffic = far ? between : inside;
		*(step->kind == TT_STEP_SEND ? &traffic->sent : &traffic->received) += step->bytes;
	}
}

void tt_scheduled_return(totum_comm *comm, struct tt_work *work)
{
	struct tt_scheduled *plan = work->plan, **at = &comm->idle;

	work->plan = NULL;
	plan->next = comm->idle;
	comm->idle = plan;
	for (int kept = 0; *at && kept < KEPT; kept++)
		at = &(*at)->next;
	plan = *at;
	*at = NULL;
	while (plan) {
		struct tt_scheduled *next = plan->next;
		scheduled_free(plan);
		plan = next;
	}
}

uint64_t tt_scheduled_bytes(const totum_comm *comm)
{
	uint64_t bytes = 0;

	for (const struct tt_scheduled *plan = comm->idle; plan; plan = plan->next)
		bytes += plan->scratch_bytes + tt_executor_bytes(&plan->executor);
	return bytes;
}

void tt_scheduled_forget(totum_comm *comm)
{
	while (comm->idle) {
		struct tt_scheduled *plan = comm->idle;
		comm->idle = plan->next;
		scheduled_free(plan);
	}
}
