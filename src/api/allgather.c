/* SPDX-License-Identifier: BSD-3-Clause */
/* allgather - the entry points of all-gather and all-gather-v. */
#include <xxhash.h>

#include "api/allgather.h"
#include "api/entry.h"
#include "runtime/window.h"

static const char ALLGATHER[] = "totum_allgather", ALLGATHERV[] = "totum_allgatherv";

/* recv is a window: all ranks must say so, which the operation in the fingerprint tells. */
static void into_window(struct tt_work *work)
{
	work->task.call.kind = (work->task.call.kind & ~(uint32_t)0x3f) | TT_OP_GATHER_INTO_WINDOW;
	work->task.call.algorithm = 0;
	work->task.kind = tt_task_direct(TT_OP_GATHER_INTO_WINDOW);
	work->shares = true;
}

totum_status tt_prepare_allgather(struct tt_work *work, totum_comm *comm, const char *call,
			const void *send, void *recv, size_t count, totum_dtype dtype)
{
	size_t bytes, total;

	tt_work_init(work, comm, TT_OP_ALLGATHER, dtype);
	totum_status status = tt_check_bytes(call, count, dtype, 1, &bytes);
	if (!status)
		status = tt_check_bytes(call, count, dtype, (size_t)comm->nranks, &total);
	if (!status)
		status = tt_check_buffers(call, &send, bytes, recv, total,
					  (size_t)comm->rank * bytes);
	work->task.call.count = count;
	work->task.send = send;
	work->task.recv = recv;
	work->task.bytes = status ? 0 : bytes;
	if (!status && comm->windows && tt_window_is(comm, recv, total))
		into_window(work);
	return status;
}

totum_status totum_allgather(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = tt_prepare_allgather(&work, comm, ALLGATHER, send, recv, count, dtype);
	return tt_work_now(comm, &work, status);
}

totum_status totum_iallgather(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_comm *comm, totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = tt_prepare_allgather(&(*request)->work, comm, ALLGATHER, send, recv, count, dtype);
	return tt_request_submit(request, status);
}

totum_status totum_allgather_plan(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_comm *comm, totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = tt_prepare_allgather(&kept->work, comm, ALLGATHER, send, recv, count, dtype);
	return tt_plan_keep(kept, status, plan);
}

totum_status tt_prepare_allgatherv(struct tt_work *work, totum_comm *comm, const char *call,
			const void *send, size_t count, void *recv, const size_t counts[],
			const size_t displs[], totum_dtype dtype)
{
	int n = comm->nranks, rank = comm->rank;
	struct tt_shards shards;

	tt_work_init(work, comm, TT_OP_ALLGATHERV, dtype);
	totum_status status = tt_check_shards(call, counts, displs, dtype, n, &shards);
	if (status)
		return status;
	work->sizes = shards.bytes;
	work->task.sizes = shards.bytes;
	work->task.places = shards.places;
	work->task.call.count = shards.count;
	work->task.call.sizes = XXH3_64bits(counts, (size_t)n * sizeof *counts);
	const char *in_place = recv ? (const char *)recv + shards.places[rank] : NULL;
	if (count != counts[rank] && !tt_check_in_place(send, recv, &shards, displs, dtype, rank))
		return tt_fail(TOTUM_EINVAL,
			       "%s: count is %zu but counts[%d] is %zu; they must agree", call,
			       count, rank, counts[rank]);
	if (!counts[rank]) /* nothing to send: its address does not matter */
		send = in_place;
	status = tt_check_buffers(call, &send, shards.bytes[rank], recv, shards.end,
				  shards.places[rank]);
	work->task.send = send;
	work->task.recv = recv;
	if (!status && comm->windows && tt_window_is(comm, recv, shards.end))
		into_window(work);
	return status;
}

totum_status totum_allgatherv(const void *send, size_t count, void *recv, const size_t counts[],
			const size_t displs[], totum_dtype dtype, totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = tt_prepare_allgatherv(&work, comm, ALLGATHERV, send, count, recv, counts, displs,
			dtype);
	return tt_work_now(comm, &work, status);
}

totum_status totum_iallgatherv(const void *send, size_t count, void *recv, const size_t counts[],
			const size_t displs[], totum_dtype dtype, totum_comm *comm,
			totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = tt_prepare_allgatherv(&(*request)->work, comm, ALLGATHERV, send, count, recv,
			counts, displs, dtype);
	return tt_request_submit(request, status);
}

totum_status totum_allgatherv_plan(const void *send, size_t count, void *recv,
			const size_t counts[], const size_t displs[], totum_dtype dtype,
			totum_comm *comm, totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = tt_prepare_allgatherv(&kept->work, comm, ALLGATHERV, send, count, recv, counts, displs,
			dtype);
	return tt_plan_keep(kept, status, plan);
}
