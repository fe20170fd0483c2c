/* SPDX-License-Identifier: BSD-3-Clause */
/* scheduled - a work's buffers laid out for its schedule, and the schedule run over them. */
#include "runtime/scheduled.h"

#include <stdlib.h>
#include <xxhash.h>

#include "algorithms/algorithm.h"
#include "host/reduce.h"
#include "host/widen.h"
#include "runtime/execute.h"
#include "transport/transport.h"

enum { KEPT = 8 };

struct tt_scheduled {
	uint64_t key[2];             /* what the program was made for */
	struct tt_executor executor;
	struct tt_layout layout;
	uint64_t *blocks;            /* the layout's arrays: offsets, then lengths */
	unsigned char *scratch;      /* the working copy of a reduction */
	size_t scratch_bytes;
	struct tt_scheduled *next;
};

static enum tt_operation operation_of(const struct tt_work *work)
{
	return tt_call_operation(&work->task.call);
}

bool tt_scheduled_serves(enum tt_operation operation)
{
	return operation == TT_OP_ALLGATHER || operation == TT_OP_ALLGATHERV || operation == TT_OP_REDUCE_SCATTER ||
	       operation == TT_OP_ALLREDUCE || operation == TT_OP_BROADCAST;
}

static enum tt_collective collective_of(const struct tt_work *work)
{
	switch (operation_of(work)) {
	case TT_OP_REDUCE_SCATTER:
		return TT_REDUCE_SCATTER;
	case TT_OP_ALLREDUCE:
		return TT_ALLREDUCE;
	case TT_OP_BROADCAST:
		return TT_BROADCAST;
	default:
		return TT_ALLGATHER;
	}
}

static bool reduces(const struct tt_work *work)
{
	return tt_reduces(collective_of(work));
}

/* The type that travels: that of the call, or a wider one. */
static totum_dtype travelling(const struct tt_work *work)
{
	return reduces(work) ? tt_widen_dtype(work->task.dtype, work->task.op) : work->task.dtype;
}

/* Elements that the working buffer of a reduction or broadcast holds. */
static size_t elements(const totum_comm *comm, const struct tt_work *work)
{
	size_t count = work->task.bytes / totum_dtype_size(work->task.dtype);

	return collective_of(work) == TT_REDUCE_SCATTER ? count * (size_t)comm->host.nranks : count;
}

/* Offsets and lengths of the blocks: the shards where they lie, or the buffer in nearly equal parts. */
static void lay_out(const totum_comm *comm, const struct tt_work *work, uint64_t *blocks)
{
	size_t n = (size_t)comm->host.nranks, element = totum_dtype_size(travelling(work));
	const struct tt_task *task = &work->task;

	if (collective_of(work) == TT_ALLGATHER) {
		for (size_t rank = 0; rank < n; rank++) {
			blocks[rank] = task->places ? task->places[rank] : rank * task->bytes;
			blocks[n + rank] = task->sizes ? task->sizes[rank] : task->bytes;
		}
		return;
	}
	size_t count = elements(comm, work), each = count / n, more = count % n, at = 0;
	for (size_t rank = 0; rank < n; rank++) {
		blocks[rank] = at * element;
		blocks[n + rank] = (each + (rank < more)) * element;
		at += each + (rank < more);
	}
}

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
	int n = comm->host.nranks;
	totum_status status = tt_algorithm_build(collective_of(work), comm->algo, n, work->task.root, &schedule);

	if (status)
		return status;
	struct tt_layout layout = {n, plan->blocks, plan->blocks + n, totum_dtype_size(travelling(work))};
	status = tt_program_lower(schedule, comm->host.rank, &layout, &program);
	tt_schedule_free(schedule);
	return status ? status : tt_executor_open(&plan->executor, program);
}

/* The program for the work's blocks: a kept one, or a new one. */
static totum_status make(totum_comm *comm, struct tt_work *work)
{
	size_t bytes = 2 * (size_t)comm->host.nranks * sizeof(uint64_t);
	struct tt_scheduled *plan = calloc(1, sizeof *plan);

	if (!plan)
		return tt_fail_memory(sizeof *plan, "a program");
	plan->blocks = malloc(bytes);
	if (!plan->blocks) {
		free(plan);
		return tt_fail_memory(bytes, "a layout");
	}
	lay_out(comm, work, plan->blocks);
	uint64_t facts[4] = {collective_of(work), (uint64_t)work->task.root, totum_dtype_size(travelling(work)),
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

/* Where the schedule works: in recv, which then holds what this rank brings, or in a wide copy of send. */
static totum_status load(totum_comm *comm, struct tt_work *work)
{
	struct tt_task *task = &work->task;
	struct tt_scheduled *plan = work->plan;
	struct tt_operands *operands = &plan->executor.operands;
	int rank = comm->host.rank;

	*operands = (struct tt_operands){task->recv, travelling(work), task->op};
	if (reduces(work)) {
		size_t count = elements(comm, work), bytes = count * totum_dtype_size(operands->dtype);
		if (bytes > plan->scratch_bytes) {
			free(plan->scratch);
			plan->scratch = malloc(bytes);
			plan->scratch_bytes = plan->scratch ? bytes : 0;
			if (!plan->scratch)
				return tt_fail_memory(bytes, "a reduction's working copy");
		}
		operands->buffer = plan->scratch;
		tt_widen(plan->scratch, task->send, count, task->dtype, task->op);
		return TOTUM_OK;
	}
	bool gathers = collective_of(work) == TT_ALLGATHER;
	uint64_t place = gathers ? plan->blocks[rank] : 0;
	size_t bytes = gathers ? plan->blocks[comm->host.nranks + rank] : rank == task->root ? task->bytes : 0;
	if (bytes && task->recv + place != task->send)
		memcpy(task->recv + place, task->send, bytes);
	return TOTUM_OK;
}

static void unload(const totum_comm *comm, struct tt_work *work)
{
	const struct tt_task *task = &work->task;
	size_t size = totum_dtype_size(travelling(work)), count = task->bytes / totum_dtype_size(task->dtype);
	size_t first = collective_of(work) == TT_REDUCE_SCATTER ? (size_t)comm->host.rank * count : 0;

	if (reduces(work) && comm->host.nranks == 1) /* no step folds, but a logical op still gives a truth value */
		tt_reduce(task->recv, &(const void *){task->send}, 1, count, task->dtype, task->op);
	else if (reduces(work))
		tt_narrow(task->recv, work->plan->scratch + first * size, count, task->dtype, task->op, comm->host.nranks);
}

totum_status tt_scheduled_start(totum_comm *comm, struct tt_work *work)
{
	totum_status status = TOTUM_OK;

	if (!comm->endpoint) {
		comm->transport = &tt_transport_memory;
		status = comm->transport->open(&(struct tt_memory_context){&comm->host, TT_LANE_COLLECTIVES}, &comm->endpoint);
	}
	if (status) /* the others must not wait for this rank for ever */
		return tt_host_fail(&comm->host, status, comm->host.rank, "%s", totum_errmsg());
	comm->entrance = (struct tt_task){.kind = tt_task_direct(TT_OP_BARRIER), .call = work->task.call};
	return tt_task_start(&comm->host, &comm->entrance);
}

/*
 * All ranks have made the same call.  An algorithm that refuses does so on all of them alike, which leaves the
 * communicator as it was and the buffers too.
 */
static totum_status begin_program(totum_comm *comm, struct tt_work *work)
{
	totum_status status = work->plan ? TOTUM_OK : make(comm, work);

	if (status == TOTUM_EUNSUPPORTED || status == TOTUM_EINVAL)
		return status;
	if (!status)
		status = load(comm, work);
	if (status)
		return tt_host_fail(&comm->host, status, comm->host.rank, "%s", totum_errmsg());
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
		unload(comm, work);
	return status;
}

void tt_scheduled_pause(totum_comm *comm, uint64_t since)
{
	if (!comm->entrance.done)
		tt_task_pause(&comm->host, &comm->entrance, since);
	else
		comm->transport->wait(comm->endpoint, since);
}

struct tt_traffic tt_scheduled_traffic(const struct tt_work *work)
{
	const struct tt_program *program = work->plan->executor.program;
	struct tt_traffic traffic = {0};

	for (int64_t i = 0; i < program->nsteps; i++)
		*(program->steps[i].kind == TT_STEP_SEND ? &traffic.sent : &traffic.received) += program->steps[i].bytes;
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
