/* SPDX-License-Identifier: BSD-3-Clause */
/* scheduled - a collective's buffers laid out for its schedule, and the schedule run over them. */
#include "runtime/scheduled.h"

#include <stdlib.h>
#include <xxhash.h>

#include "algorithms/algorithm.h"
#include "host/reduce.h"
#include "host/widen.h"

/* Blocks of the working buffer: nranks of them. */
struct blocks {
	uint64_t *offset, *length;
};

static totum_status blocks_new(int nranks, struct blocks *out)
{
	out->offset = malloc(2 * (size_t)nranks * sizeof *out->offset);
	if (!out->offset)
		return tt_fail_memory(2 * (size_t)nranks * sizeof *out->offset, "a layout");
	out->length = out->offset + nranks;
	return TOTUM_OK;
}

/* count elements in nranks nearly equal parts. */
static totum_status blocks_even(int nranks, size_t count, size_t element, struct blocks *out)
{
	totum_status status = blocks_new(nranks, out);
	size_t each = count / (size_t)nranks, more = count % (size_t)nranks, at = 0;

	for (size_t rank = 0; rank < (size_t)nranks && !status; rank++) {
		out->offset[rank] = at * element;
		out->length[rank] = (each + (rank < more)) * element;
		at += each + (rank < more);
	}
	return status;
}

struct task {
	enum tt_collective collective;
	int root;
	size_t element;
	struct blocks blocks;
};

static totum_status prepare_program(totum_comm *comm, const struct task *task)
{
	struct tt_executor *executor = &comm->executor;
	int n = comm->host.nranks;
	uint64_t facts[3] = {(uint64_t)task->collective, (uint64_t)task->root, task->element};
	XXH128_hash_t sizes = XXH3_128bits(task->blocks.offset, 2 * (size_t)n * sizeof *task->blocks.offset);
	uint64_t key[2] = {sizes.low64 ^ XXH3_64bits(facts, sizeof facts), sizes.high64};
	struct tt_schedule *schedule;
	struct tt_program *program;

	if (executor->program && !memcmp(executor->key, key, sizeof key))
		return TOTUM_OK;
	totum_status status = tt_algorithm_build(task->collective, comm->algo, n, task->root, &schedule);
	if (status)
		return status;
	struct tt_layout layout = {n, task->blocks.offset, task->blocks.length, task->element};
	status = tt_program_lower(schedule, comm->host.rank, &layout, &program);
	tt_schedule_free(schedule);
	return status ? status : tt_executor_keep(executor, program, key);
}

/*
 * The first beat compares the calls of all ranks; then every rank makes its program.  An algorithm that refuses does so
 * on all of them alike, which leaves the communicator as it was and the buffers too: nothing is moved before this.
 */
static totum_status agree(totum_comm *comm, const struct task *task)
{
	struct tt_executor *executor = &comm->executor;
	totum_status status = TOTUM_OK;

	if (!executor->endpoint) {
		executor->transport = &tt_transport_memory;
		status = executor->transport->open(&comm->host, &executor->endpoint);
	}
	if (status) /* the others must not wait for this rank for ever */
		return tt_host_fail(&comm->host, status, comm->host.rank, "%s", totum_errmsg());
	status = tt_host_barrier(&comm->host);
	if (status)
		return status;
	status = prepare_program(comm, task);
	if (status && status != TOTUM_EUNSUPPORTED && status != TOTUM_EINVAL)
		return tt_host_fail(&comm->host, status, comm->host.rank, "%s", totum_errmsg());
	return status;
}

totum_status tt_scheduled_allgatherv(totum_comm *comm, const void *send, void *recv, const size_t bytes[],
				     const size_t displs[])
{
	struct task task = {.collective = TT_ALLGATHER, .element = 1};
	unsigned char *mine = (unsigned char *)recv + displs[comm->host.rank];
	int n = comm->host.nranks;

	totum_status status = blocks_new(n, &task.blocks);
	if (status)
		return status;
	for (int rank = 0; rank < n; rank++) {
		task.blocks.offset[rank] = displs[rank];
		task.blocks.length[rank] = bytes[rank];
	}
	status = agree(comm, &task);
	if (!status && mine != send && bytes[comm->host.rank])
		memcpy(mine, send, bytes[comm->host.rank]);
	if (!status)
		status = tt_executor_run(&comm->executor, &(struct tt_operands){.buffer = recv});
	free(task.blocks.offset);
	return status;
}

totum_status tt_scheduled_broadcast(totum_comm *comm, const void *send, void *recv, size_t count, totum_dtype dtype,
				    int root)
{
	size_t element = totum_dtype_size(dtype);
	struct task task = {.collective = TT_BROADCAST, .root = root, .element = element};

	totum_status status = blocks_even(comm->host.nranks, count, element, &task.blocks);
	if (status)
		return status;
	status = agree(comm, &task);
	if (!status && comm->host.rank == root && recv != send && count)
		memcpy(recv, send, count * element);
	if (!status)
		status = tt_executor_run(&comm->executor, &(struct tt_operands){.buffer = recv});
	free(task.blocks.offset);
	return status;
}

/*
 * Reduces count elements within a working copy of send in the wide type, then narrows elements [first, first +
 * wanted) of it into recv.
 */
static totum_status reduce_wide(totum_comm *comm, struct task *task, const void *send, void *recv, size_t count,
				size_t first, size_t wanted, totum_dtype dtype, totum_op op)
{
	totum_dtype wide = tt_widen_dtype(dtype, op);
	size_t size = totum_dtype_size(wide);
	unsigned char *work = malloc(count * size + 1);

	task->element = size;
	if (!work)
		return tt_fail_memory(count * size, "a reduction's working copy");
	tt_widen(work, send, count, dtype, op);
	struct tt_operands operands = {work, wide, op};
	totum_status status = agree(comm, task);
	if (!status)
		status = tt_executor_run(&comm->executor, &operands);
	if (!status && comm->host.nranks == 1) /* no step folds, but a logical op still gives a truth value */
		tt_reduce(recv, &send, 1, wanted, dtype, op);
	else if (!status)
		tt_narrow(recv, work + first * size, wanted, dtype, op, comm->host.nranks);
	free(work);
	return status;
}

totum_status tt_scheduled_reduce_scatter(totum_comm *comm, const void *send, void *recv, size_t count,
					 totum_dtype dtype, totum_op op)
{
	struct task task = {.collective = TT_REDUCE_SCATTER};
	size_t n = (size_t)comm->host.nranks, wide = totum_dtype_size(tt_widen_dtype(dtype, op));

	totum_status status = blocks_even(comm->host.nranks, n * count, wide, &task.blocks);
	if (status)
		return status;
	status = reduce_wide(comm, &task, send, recv, n * count, (size_t)comm->host.rank * count, count, dtype, op);
	free(task.blocks.offset);
	return status;
}

totum_status tt_scheduled_allreduce(totum_comm *comm, const void *send, void *recv, size_t count, totum_dtype dtype,
				    totum_op op)
{
	struct task task = {.collective = TT_ALLREDUCE};

	totum_status status = blocks_even(comm->host.nranks, count, totum_dtype_size(tt_widen_dtype(dtype, op)), &task.blocks);
	if (status)
		return status;
	status = reduce_wide(comm, &task, send, recv, count, 0, count, dtype, op);
	free(task.blocks.offset);
	return status;
}
