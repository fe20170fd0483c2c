/* SPDX-License-Identifier: BSD-3-Clause */
/* alltoall - the entry points of all-to-all and all-to-all-v. */
#include <stdlib.h>

#include "api/entry.h"

/* Both sides' sizes in one array, which the work owns. */
static totum_status join_shards(struct tt_work *work, const struct tt_shards *out,
				const struct tt_shards *in, int nranks)
{
	size_t n = (size_t)nranks, half = 2 * n * sizeof(size_t), *all = malloc(2 * half);

	if (all) {
		memcpy(all, out->bytes, half);
		memcpy(all + 2 * n, in->bytes, half);
	}
	free(out->bytes);
	free(in->bytes);
	if (!all)
		return tt_fail_memory(2 * half, "a layout");
	work->sizes = all;
	work->task.sizes = all;
	work->task.places = all + n;
	work->task.from_sizes = all + 2 * n;
	work->task.from_places = all + 3 * n;
	return TOTUM_OK;
}

static totum_status prepare_alltoall(struct tt_work *work, totum_comm *comm, const void *send,
			void *recv, size_t count, totum_dtype dtype)
{
	static const char call[] = "totum_alltoall";
	size_t bytes = 0, total = 0;

	tt_work_init(work, comm, TT_OP_ALLTOALL, dtype);
	totum_status status = tt_check_bytes(call, count, dtype, 1, &bytes);
	if (!status)
		status = tt_check_bytes(call, count, dtype, (size_t)comm->nranks, &total);
	if (!status)
		status = tt_check_buffers(call, &send, total, recv, total, 0);
	work->task.call.count = count;
	work->task.call.sizes = bytes;
	work->task.send = send;
	work->task.recv = recv;
	work->task.bytes = bytes;
	return status;
}

totum_status totum_alltoall(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare_alltoall(&work, comm, send, recv, count, dtype);
	return tt_work_now(comm, &work, status);
}

totum_status totum_ialltoall(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_comm *comm, totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare_alltoall(&(*request)->work, comm, send, recv, count, dtype);
	return tt_request_submit(request, status);
}

totum_status totum_alltoall_plan(const void *send, void *recv, size_t count, totum_dtype dtype,
			totum_comm *comm, totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = prepare_alltoall(&kept->work, comm, send, recv, count, dtype);
	return tt_plan_keep(kept, status, plan);
}

static totum_status prepare_alltoallv(struct tt_work *work, totum_comm *comm, const void *send,
			const size_t send_counts[], const size_t send_displs[], void *recv,
			const size_t recv_counts[], const size_t recv_displs[], totum_dtype dtype)
{
	static const char call[] = "totum_alltoallv";
	int n = comm->nranks;
	struct tt_shards out, in;

	tt_work_init(work, comm, TT_OP_ALLTOALLV, dtype);
	work->task.call.kind |= TT_CALL_LOCAL;
	if (send == TOTUM_IN_PLACE)
		return tt_fail(TOTUM_EINVAL,
			       "%s cannot work in place; give send and recv buffers of their own",
			       call);
	totum_status status = tt_check_shards(call, send_counts, send_displs, dtype, n, &out);
	if (status)
		return status;
	status = tt_check_shards(call, recv_counts, recv_displs, dtype, n, &in);
	if (status) {
		free(out.bytes);
		return status;
	}
	status = join_shards(work, &out, &in, n);
	if (!status)
		status = tt_check_apart(call, send, out.end, recv, in.end);
	work->task.call.sizes = out.longest;
	work->task.send = send;
	work->task.recv = recv;
	return status;
}

totum_status totum_alltoallv(const void *send, const size_t send_counts[],
			const size_t send_displs[], void *recv, const size_t recv_counts[],
			const size_t recv_displs[], totum_dtype dtype, totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare_alltoallv(&work, comm, send, send_counts, send_displs, recv, recv_counts,
			recv_displs, dtype);
	return tt_work_now(comm, &work, status);
}

totum_status totum_ialltoallv(const void *send, const size_t send_counts[],
			const size_t send_displs[], void *recv, const size_t recv_counts[],
			const size_t recv_displs[], totum_dtype dtype, totum_comm *comm,
			totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare_alltoallv(&(*request)->work, comm, send, send_counts, send_displs, recv,
			recv_counts, recv_displs, dtype);
	return tt_request_submit(request, status);
}

totum_status totum_alltoallv_plan(const void *send, const size_t send_counts[],
			const size_t send_displs[], void *recv, const size_t recv_counts[],
			const size_t recv_displs[], totum_dtype dtype, totum_comm *comm,
			totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = prepare_alltoallv(&kept->work, comm, send, send_counts, send_displs, recv,
			recv_counts, recv_displs, dtype);
	return tt_plan_keep(kept, status, plan);
}
