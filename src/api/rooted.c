/* SPDX-License-Identifier: BSD-3-Clause */
/* rooted - entry points of what has a root and only moves: broadcast, gather(v), scatter(v). */
#include "api/entry.h"

static void set_rooted(struct tt_work *work, const void *send, void *recv, size_t bytes, int root)
{
	work->task.call.kind |= (uint32_t)root << 16;
	work->task.send = send;
	work->task.recv = recv;
	work->task.bytes = bytes;
	work->task.root = root;
}

/* The sizes that only the root gives; the work owns them from now on. */
static totum_status keep_shards(struct tt_work *work, const char *call, const size_t counts[],
				const size_t displs[], totum_dtype dtype, int nranks,
				struct tt_shards *shards)
{
	totum_status status = tt_check_shards(call, counts, displs, dtype, nranks, shards);

	if (status)
		return status;
	work->sizes = shards->bytes;
	work->task.sizes = shards->bytes;
	work->task.places = shards->places;
	return TOTUM_OK;
}

/* The root's own count, which is that of the array: in place it is not looked at. */
static totum_status check_own_count(const char *call, size_t *count, size_t expected, bool in_place,
				    int rank)
{
	if (in_place)
		*count = expected;
	if (*count == expected)
		return TOTUM_OK;
	return tt_fail(TOTUM_EINVAL, "%s: count is %zu but counts[%d] is %zu; they must agree",
		       call, *count, rank, expected);
}

/* A scatter's buffers: send counts on the root only, where recv may say that its block stays. */
static totum_status check_scattered(const char *call, bool is_root, const void **send, size_t total,
				    void **recv, size_t bytes, size_t place)
{
	if (!is_root) {
		*send = NULL;
		return tt_check_apart(call, NULL, 0, *recv, bytes);
	}
	if (*send == TOTUM_IN_PLACE)
		return tt_fail(TOTUM_EINVAL,
			       "%s: send is TOTUM_IN_PLACE; "
			       "to work in place give it as recv, on the root",
			       call);
	if (*recv == TOTUM_IN_PLACE)
		*recv = *send ? (char *)(uintptr_t)*send + place : NULL;
	return tt_check_scatter(call, send, total, recv, bytes, place);
}

static totum_status prepare_broadcast(struct tt_work *work, totum_comm *comm, const void *send,
			void *recv, size_t count, totum_dtype dtype, int root)
{
	static const char call[] = "totum_broadcast";
	size_t bytes = 0;

	tt_work_init(work, comm, TT_OP_BROADCAST, dtype);
	totum_status status = tt_check_root(call, root, comm->nranks);
	if (!status)
		status = tt_check_bytes(call, count, dtype, 1, &bytes);
	if (comm->rank != root)
		send = recv;
	if (!status)
		status = tt_check_buffers(call, &send, bytes, recv, bytes, 0);
	set_rooted(work, send, recv, bytes, root);
	work->task.call.count = count;
	return status;
}

totum_status totum_broadcast(const void *send, void *recv, size_t count, totum_dtype dtype,
			int root, totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare_broadcast(&work, comm, send, recv, count, dtype, root);
	return tt_work_now(comm, &work, status);
}

totum_status totum_ibroadcast(const void *send, void *recv, size_t count, totum_dtype dtype,
			int root, totum_comm *comm, totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare_broadcast(&(*request)->work, comm, send, recv, count, dtype, root);
	return tt_request_submit(request, status);
}

totum_status totum_broadcast_plan(const void *send, void *recv, size_t count, totum_dtype dtype,
			int root, totum_comm *comm, totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = prepare_broadcast(&kept->work, comm, send, recv, count, dtype, root);
	return tt_plan_keep(kept, status, plan);
}

static totum_status prepare_gather(struct tt_work *work, totum_comm *comm, const void *send,
			void *recv, size_t count, totum_dtype dtype, int root)
{
	static const char call[] = "totum_gather";
	size_t bytes = 0, total = 0;
	bool is_root = comm->rank == root;

	tt_work_init(work, comm, TT_OP_GATHER, dtype);
	totum_status status = tt_check_root(call, root, comm->nranks);
	if (!status)
		status = tt_check_bytes(call, count, dtype, 1, &bytes);
	if (!status)
		status = tt_check_bytes(call, count, dtype, (size_t)comm->nranks, &total);
	if (!status && is_root)
		status = tt_check_buffers(call, &send, bytes, recv, total, (size_t)root * bytes);
	else if (!status)
		status = tt_check_buffers(call, &send, bytes, NULL, 0, 0);
	set_rooted(work, send, recv, bytes, root);
	work->task.call.count = count;
	work->task.call.sizes = bytes;
	return status;
}

totum_status totum_gather(const void *send, void *recv, size_t count, totum_dtype dtype, int root,
			totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare_gather(&work, comm, send, recv, count, dtype, root);
	return tt_work_now(comm, &work, status);
}

totum_status totum_igather(const void *send, void *recv, size_t count, totum_dtype dtype, int root,
			totum_comm *comm, totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare_gather(&(*request)->work, comm, send, recv, count, dtype, root);
	return tt_request_submit(request, status);
}

totum_status totum_gather_plan(const void *send, void *recv, size_t count, totum_dtype dtype,
			int root, totum_comm *comm, totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = prepare_gather(&kept->work, comm, send, recv, count, dtype, root);
	return tt_plan_keep(kept, status, plan);
}

static totum_status prepare_gatherv(struct tt_work *work, totum_comm *comm, const void *send,
			size_t count, void *recv, const size_t counts[], const size_t displs[],
			totum_dtype dtype, int root)
{
	static const char call[] = "totum_gatherv";
	int rank = comm->rank;
	size_t bytes = 0;
	struct tt_shards shards = {0};

	tt_work_init(work, comm, TT_OP_GATHERV, dtype);
	work->task.call.kind |= TT_CALL_LOCAL;
	totum_status status = tt_check_root(call, root, comm->nranks);
	if (!status && rank == root)
		status = keep_shards(work, call, counts, displs, dtype, comm->nranks, &shards);
	if (!status && rank == root)
		status = check_own_count(
			call, &count, counts[rank],
			tt_check_in_place(send, recv, &shards, displs, dtype, rank), rank);
	if (!status)
		status = tt_check_bytes(call, count, dtype, 1, &bytes);
	if (!status && rank == root)
		status = tt_check_buffers(call, &send, bytes, recv, shards.end,
					  shards.places[rank]);
	else if (!status)
		status = tt_check_buffers(call, &send, bytes, NULL, 0, 0);
	set_rooted(work, send, recv, bytes, root);
	work->task.call.sizes = bytes;
	return status;
}

totum_status totum_gatherv(const void *send, size_t count, void *recv, const size_t counts[],
			const size_t displs[], totum_dtype dtype, int root, totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare_gatherv(&work, comm, send, count, recv, counts, displs, dtype, root);
	return tt_work_now(comm, &work, status);
}

totum_status totum_igatherv(const void *send, size_t count, void *recv, const size_t counts[],
			const size_t displs[], totum_dtype dtype, int root, totum_comm *comm,
			totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare_gatherv(&(*request)->work, comm, send, count, recv, counts, displs, dtype,
			root);
	return tt_request_submit(request, status);
}

totum_status totum_gatherv_plan(const void *send, size_t count, void *recv, const size_t counts[],
			const size_t displs[], totum_dtype dtype, int root, totum_comm *comm,
			totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = prepare_gatherv(&kept->work, comm, send, count, recv, counts, displs, dtype, root);
	return tt_plan_keep(kept, status, plan);
}

static totum_status prepare_scatter(struct tt_work *work, totum_comm *comm, const void *send,
			void *recv, size_t count, totum_dtype dtype, int root)
{
	static const char call[] = "totum_scatter";
	size_t bytes = 0, total = 0;

	tt_work_init(work, comm, TT_OP_SCATTER, dtype);
	totum_status status = tt_check_root(call, root, comm->nranks);
	if (!status)
		status = tt_check_bytes(call, count, dtype, 1, &bytes);
	if (!status)
		status = tt_check_bytes(call, count, dtype, (size_t)comm->nranks, &total);
	if (!status)
		status = check_scattered(call, comm->rank == root, &send, total, &recv, bytes,
					 (size_t)root * bytes);
	set_rooted(work, send, recv, bytes, root);
	work->task.call.count = count;
	work->task.call.sizes = bytes;
	return status;
}

totum_status totum_scatter(const void *send, void *recv, size_t count, totum_dtype dtype, int root,
			totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare_scatter(&work, comm, send, recv, count, dtype, root);
	return tt_work_now(comm, &work, status);
}

totum_status totum_iscatter(const void *send, void *recv, size_t count, totum_dtype dtype, int root,
			totum_comm *comm, totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare_scatter(&(*request)->work, comm, send, recv, count, dtype, root);
	return tt_request_submit(request, status);
}

totum_status totum_scatter_plan(const void *send, void *recv, size_t count, totum_dtype dtype,
			int root, totum_comm *comm, totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = prepare_scatter(&kept->work, comm, send, recv, count, dtype, root);
	return tt_plan_keep(kept, status, plan);
}

static totum_status prepare_scatterv(struct tt_work *work, totum_comm *comm, const void *send,
			const size_t counts[], const size_t displs[], void *recv, size_t count,
			totum_dtype dtype, int root)
{
	static const char call[] = "totum_scatterv";
	int rank = comm->rank;
	size_t bytes = 0;
	struct tt_shards shards = {0};

	tt_work_init(work, comm, TT_OP_SCATTERV, dtype);
	work->task.call.kind |= TT_CALL_LOCAL;
	totum_status status = tt_check_root(call, root, comm->nranks);
	if (!status && rank == root)
		status = keep_shards(work, call, counts, displs, dtype, comm->nranks, &shards);
	if (!status && rank == root)
		status = check_own_count(
			call, &count, counts[rank],
			tt_check_in_place(recv, send, &shards, displs, dtype, rank), rank);
	if (!status)
		status = tt_check_bytes(call, count, dtype, 1, &bytes);
	if (!status)
		status = check_scattered(call, rank == root, &send, shards.end, &recv, bytes,
					 shards.places ? shards.places[rank] : 0);
	set_rooted(work, send, recv, bytes, root);
	work->task.call.sizes = rank == root ? shards.longest : bytes;
	return status;
}

totum_status totum_scatterv(const void *send, const size_t counts[], const size_t displs[],
			void *recv, size_t count, totum_dtype dtype, int root, totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare_scatterv(&work, comm, send, counts, displs, recv, count, dtype, root);
	return tt_work_now(comm, &work, status);
}

totum_status totum_iscatterv(const void *send, const size_t counts[], const size_t displs[],
			void *recv, size_t count, totum_dtype dtype, int root, totum_comm *comm,
			totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare_scatterv(&(*request)->work, comm, send, counts, displs, recv, count, dtype,
			root);
	return tt_request_submit(request, status);
}

totum_status totum_scatterv_plan(const void *send, const size_t counts[], const size_t displs[],
			void *recv, size_t count, totum_dtype dtype, int root, totum_comm *comm,
			totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = prepare_scatterv(&kept->work, comm, send, counts, displs, recv, count, dtype,
			root);
	return tt_plan_keep(kept, status, plan);
}
