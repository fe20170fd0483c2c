/* SPDX-License-Identifier: BSD-3-Clause */
/* reduce - the entry points of the collectives that add: reduce-scatter(v), all-reduce, reduce. */
#include <xxhash.h>

#include "api/entry.h"

static void set_reduction(struct tt_work *work, const void *send, void *recv, size_t count,
			  size_t bytes, totum_op op, int root)
{
	work->task.call.count = count;
	work->task.call.kind |= (uint32_t)op << 12;
	work->task.call.kind |= (uint32_t)root << 16;
	work->task.send = send;
	work->task.recv = recv;
	work->task.bytes = bytes;
	work->task.op = op;
	work->task.root = root;
}

static totum_status prepare_reduce_scatter(struct tt_work *work, totum_comm *comm, const void *send,
			void *recv, size_t count, totum_dtype dtype, totum_op op)
{
	static const char call[] = "totum_reduce_scatter";
	size_t bytes = 0, total = 0;

	tt_work_init(work, comm, TT_OP_REDUCE_SCATTER, dtype);
	totum_status status = tt_check_op(call, dtype, op);
	if (!status)
		status = tt_check_bytes(call, count, dtype, 1, &bytes);
	if (!status)
		status = tt_check_bytes(call, count, dtype, (size_t)comm->nranks, &total);
	if (!status)
		status = tt_check_scatter(call, &send, total, &recv, bytes,
					  (size_t)comm->rank * bytes);
	set_reduction(work, send, recv, count, bytes, op, 0);
	return status;
}

totum_status totum_reduce_scatter(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_op op, totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare_reduce_scatter(&work, comm, send, recv, count, dtype, op);
	return tt_work_now(comm, &work, status);
}

totum_status totum_ireduce_scatter(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_op op, totum_comm *comm, totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare_reduce_scatter(&(*request)->work, comm, send, recv, count, dtype, op);
	return tt_request_submit(request, status);
}

totum_status totum_reduce_scatter_plan(const void *send, void *recv, size_t count,
			totum_dtype dtype, totum_op op, totum_comm *comm, totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = prepare_reduce_scatter(&kept->work, comm, send, recv, count, dtype, op);
	return tt_plan_keep(kept, status, plan);
}

static totum_status prepare_reduce_scatterv(struct tt_work *work, totum_comm *comm,
			const void *send, void *recv, const size_t counts[], totum_dtype dtype,
			totum_op op)
{
	static const char call[] = "totum_reduce_scatterv";
	int n = comm->nranks, rank = comm->rank;
	struct tt_shards shards;

	tt_work_init(work, comm, TT_OP_REDUCE_SCATTERV, dtype);
	totum_status status = tt_check_op(call, dtype, op);
	if (!status)
		status = tt_check_shards(call, counts, NULL, dtype, n, &shards);
	if (status)
		return status;
	work->sizes = shards.bytes;
	work->task.sizes = shards.bytes;
	work->task.places = shards.places;
	work->task.call.sizes = XXH3_64bits(counts, (size_t)n * sizeof *counts);
	status = tt_check_scatter(call, &send, shards.end, &recv, shards.bytes[rank],
				  shards.places[rank]);
	set_reduction(work, send, recv, shards.count, 0, op, 0);
	return status;
}

totum_status totum_reduce_scatterv(const void *send, void *recv, const size_t counts[],
			totum_dtype dtype, totum_op op, totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare_reduce_scatterv(&work, comm, send, recv, counts, dtype, op);
	return tt_work_now(comm, &work, status);
}

totum_status totum_ireduce_scatterv(const void *send, void *recv, const size_t counts[],
			totum_dtype dtype, totum_op op, totum_comm *comm, totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare_reduce_scatterv(&(*request)->work, comm, send, recv, counts, dtype, op);
	return tt_request_submit(request, status);
}

totum_status totum_reduce_scatterv_plan(const void *send, void *recv, const size_t counts[],
			totum_dtype dtype, totum_op op, totum_comm *comm, totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = prepare_reduce_scatterv(&kept->work, comm, send, recv, counts, dtype, op);
	return tt_plan_keep(kept, status, plan);
}

static totum_status prepare_allreduce(struct tt_work *work, totum_comm *comm, const void *send,
			void *recv, size_t count, totum_dtype dtype, totum_op op)
{
	static const char call[] = "totum_allreduce";
	size_t bytes = 0;

	tt_work_init(work, comm, TT_OP_ALLREDUCE, dtype);
	totum_status status = tt_check_op(call, dtype, op);
	if (!status)
		status = tt_check_bytes(call, count, dtype, 1, &bytes);
	if (!status)
		status = tt_check_buffers(call, &send, bytes, recv, bytes, 0);
	set_reduction(work, send, recv, count, bytes, op, 0);
	return status;
}

totum_status totum_allreduce(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_op op, totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare_allreduce(&work, comm, send, recv, count, dtype, op);
	return tt_work_now(comm, &work, status);
}

totum_status totum_iallreduce(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_op op, totum_comm *comm, totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare_allreduce(&(*request)->work, comm, send, recv, count, dtype, op);
	return tt_request_submit(request, status);
}

totum_status totum_allreduce_plan(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_op op, totum_comm *comm, totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = prepare_allreduce(&kept->work, comm, send, recv, count, dtype, op);
	return tt_plan_keep(kept, status, plan);
}

static totum_status prepare_reduce(struct tt_work *work, totum_comm *comm, const void *send,
			void *recv, size_t count, totum_dtype dtype, totum_op op, int root)
{
	static const char call[] = "totum_reduce";
	size_t bytes = 0;

	tt_work_init(work, comm, TT_OP_REDUCE, dtype);
	totum_status status = tt_check_op(call, dtype, op);
	if (!status)
		status = tt_check_root(call, root, comm->nranks);
	if (!status)
		status = tt_check_bytes(call, count, dtype, 1, &bytes);
	if (!status && comm->rank == root)
		status = tt_check_buffers(call, &send, bytes, recv, bytes, 0);
	else if (!status)
		status = tt_check_buffers(call, &send, bytes, NULL, 0, 0);
	set_reduction(work, send, recv, count, bytes, op, root);
	return status;
}

totum_status totum_reduce(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_op op, int root, totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare_reduce(&work, comm, send, recv, count, dtype, op, root);
	return tt_work_now(comm, &work, status);
}

totum_status totum_ireduce(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_op op, int root, totum_comm *comm, totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare_reduce(&(*request)->work, comm, send, recv, count, dtype, op, root);
	return tt_request_submit(request, status);
}

totum_status totum_reduce_plan(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_op op, int root, totum_comm *comm, totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = prepare_reduce(&kept->work, comm, send, recv, count, dtype, op, root);
	return tt_plan_keep(kept, status, plan);
}
