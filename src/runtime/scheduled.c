/* SPDX-License-Identifier: BSD-3-Clause */
/* scheduled - the program of a work: found among those that are kept or lowered anew, and run. */
#include "runtime/scheduled_parts.h"

#include <stdlib.h>
#include <xxhash.h>

#include "algorithms/algorithm.h"
#include "transport/memory.h"

enum { KEPT = 8 };

static void scheduled_free(struct tt_scheduled *plan)
{
	tt_executor_close(&plan->executor);
	free(plan->blocks);
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
	int n = comm->nranks;
	size_t blocks = tt_scheduled_nblocks(comm, work);
	totum_status status = tt_algorithm_build(tt_scheduled_collective(work), comm->algo, n,
						 work->task.root, &schedule);

	if (status)
		return status;
	struct tt_layout layout = {(int64_t)blocks, plan->blocks, plan->blocks + blocks,
				   totum_dtype_size(tt_scheduled_dtype(work))};
	status = tt_program_lower(schedule, comm->rank, &layout, &program);
	tt_schedule_free(schedule);
	return status ? status : tt_executor_open(&plan->executor, program);
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
	tt_scheduled_lay_out(comm, work, plan->blocks);
	uint64_t facts[4] = {tt_scheduled_collective(work), (uint64_t)work->task.root,
			     totum_dtype_size(tt_scheduled_dtype(work)),
			     XXH3_64bits(comm->algo, strlen(comm->algo))};
	XXH128_hash_t sizes = XXH3_128bits(plan->blocks, bytes);
	plan->key[0] = sizes.low64 ^ XXH3_64bits(facts, sizeof facts);
	plan->key[1] = sizes.high64;
	work->plan = find_kept(comm, plan->key);
	totum_status status = work->plan ? TOTUM_OK : lower(comm, work, plan);
	if (!work->plan && !status)
		work->plan = plan;
	else
		scheduled_free(plan);
	return status;
}

totum_status tt_scheduled_start(totum_comm *comm, struct tt_work *work)
{
	totum_status status = TOTUM_OK;

	if (!comm->endpoint) {
		comm->transport = &tt_transport_memory;
		status = comm->transport->open(
			&(struct tt_memory_context){.host = &comm->host, .lane = TT_LANE_COLLECTIVES},
			&comm->endpoint);
	}
	if (status) /* the others must not wait for this rank for ever */
		return tt_host_fail(&comm->host, status, comm->rank, "%s", totum_errmsg());
	comm->entrance =
		(struct tt_task){.kind = tt_task_direct(TT_OP_BARRIER), .call = work->task.call};
	return tt_task_start(&comm->host, &comm->entrance);
}

/*
 * All ranks have made the same call.  An algorithm that refuses does so on all of them alike, which
 * leaves the communicator as it was and the buffers too.
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
	work->plan->executor.host = &comm->host;
	work->plan->executor.transport = comm->transport;
	work->plan->executor.endpoint = comm->endpoint;
	return tt_executor_begin(&work->plan->executor);
}

totum_status tt_scheduled_go(totum_comm *comm, struct tt_work *work, bool block)
{
	totum_status status;

	if (!comm->entrance.done) {
		status = tt_task_go(&comm->host, &comm->entrance, block);
		if (!status && comm->entrance.done)
			status = begin_program(comm, work);
		if (status || !comm->entrance.done)
			return status;
	}
	status = tt_executor_go(&work->plan->executor, block, &work->done);
	if (work->done)
		tt_scheduled_unload(comm, work);
	return status;
}

uint64_t tt_scheduled_mark(const struct tt_work *work)
{
	return work->plan ? work->plan->executor.moves : 0;
}

void tt_scheduled_pause(totum_comm *comm, uint64_t since)
{
	if (!comm->entrance.done)
		tt_task_pause(&comm->host, since);
	else
		comm->transport->wait(comm->endpoint, since);
}

struct tt_traffic tt_scheduled_traffic(const struct tt_work *work)
{
	const struct tt_program *program = work->plan->executor.program;
	struct tt_traffic traffic = {0};

	for (int64_t i = 0; i < program->nsteps; i++)
		*(program->steps[i].kind == TT_STEP_SEND ? &traffic.sent : &traffic.received) +=
			program->steps[i].bytes;
	return traffic;
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
