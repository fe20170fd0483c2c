/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * collectives - the public entry points that move and reduce, blocking.
 *
 * Each checks its arguments, takes the communicator, and hands the call to the direct path of the host or to
 * the forced algorithm.  All checks of arguments are here or in check.c, and nowhere below.
 */
#include <stdlib.h>
#include <xxhash.h>

#include "api/check.h"
#include "runtime/comm.h"
#include "runtime/scheduled.h"

/* The communicator is ours, the call has a fingerprint, the communicator has not failed. */
static totum_status begin(totum_comm *comm, struct tt_fingerprint call)
{
	totum_status status = tt_host_begin(&comm->host, call);

	strcpy(comm->ran, comm->algo_tag ? comm->algo : "direct");
	return status;
}

static totum_status end(totum_comm *comm, totum_status status)
{
	tt_comm_exit(comm);
	return status;
}

/* Equal shards as the sizes that schedules work on. */
static totum_status scheduled_allgather(totum_comm *comm, const void *send, void *recv, size_t bytes)
{
	size_t n = (size_t)comm->host.nranks, *sizes = malloc(2 * n * sizeof *sizes);

	if (!sizes)
		return tt_fail_memory(2 * n * sizeof *sizes, "a layout");
	for (size_t rank = 0; rank < n; rank++) {
		sizes[rank] = bytes;
		sizes[n + rank] = rank * bytes;
	}
	totum_status status = tt_scheduled_allgatherv(comm, send, recv, sizes, sizes + n);
	free(sizes);
	return status;
}

totum_status totum_allgather(const void *send, void *recv, size_t count, totum_dtype dtype, totum_comm *comm)
{
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	size_t bytes, total, n = (size_t)comm->host.nranks;
	status = tt_check_bytes("totum_allgather", count, dtype, 1, &bytes);
	if (!status)
		status = tt_check_bytes("totum_allgather", count, dtype, n, &total);
	if (!status)
		status = tt_check_buffers("totum_allgather", &send, bytes, recv, total, (size_t)comm->host.rank * bytes);
	if (status)
		return end(comm, status);
	status = begin(comm, tt_call(TT_OP_ALLGATHER, dtype, 0, 0, count, comm->algo_tag));
	if (!status && comm->algo_tag)
		status = scheduled_allgather(comm, send, recv, bytes);
	else if (!status)
		status = tt_host_allgather(&comm->host, send, recv, bytes);
	return end(comm, status);
}

/* Byte sizes and displacements of an all-gather-v, and a hash of the counts for the fingerprint. */
struct shards {
	size_t *bytes, *displs, total; /* total: elements */
	uint64_t hash;
};

static totum_status shards_new(const size_t counts[], const size_t displs[], totum_dtype dtype, int nranks,
			       struct shards *out)
{
	size_t n = (size_t)nranks, element = totum_dtype_size(dtype);

	out->bytes = malloc(2 * n * sizeof *out->bytes);
	if (!out->bytes)
		return tt_fail_memory(2 * n * sizeof *out->bytes, "a layout");
	out->displs = out->bytes + n;
	out->total = 0;
	out->hash = XXH3_64bits(counts, n * sizeof *counts);
	for (size_t rank = 0; rank < n; rank++) {
		out->bytes[rank] = counts[rank] * element;
		out->displs[rank] = (displs ? displs[rank] : out->total) * element;
		out->total += counts[rank];
	}
	return TOTUM_OK;
}

static totum_status run_allgatherv(totum_comm *comm, const void *send, void *recv, const struct shards *shards,
				   totum_dtype dtype)
{
	struct tt_fingerprint call = tt_call(TT_OP_ALLGATHERV, dtype, 0, 0, shards->total, comm->algo_tag);

	call.sizes = shards->hash;
	totum_status status = begin(comm, call);
	if (status)
		return status;
	if (comm->algo_tag)
		return tt_scheduled_allgatherv(comm, send, recv, shards->bytes, shards->displs);
	return tt_host_allgatherv(&comm->host, send, recv, shards->bytes, shards->displs);
}

totum_status totum_allgatherv(const void *send, size_t count, void *recv, const size_t counts[], const size_t displs[],
			      totum_dtype dtype, totum_comm *comm)
{
	totum_status status = tt_comm_enter(comm);
	struct shards shards = {0};

	if (status)
		return status;
	status = tt_check_shards(&send, count, recv, counts, displs, dtype, comm->host.rank, comm->host.nranks);
	if (!status)
		status = shards_new(counts, displs, dtype, comm->host.nranks, &shards);
	if (!status)
		status = run_allgatherv(comm, send, recv, &shards, dtype);
	free(shards.bytes);
	return end(comm, status);
}

totum_status totum_reduce_scatter(const void *send, void *recv, size_t count, totum_dtype dtype, totum_op op,
				  totum_comm *comm)
{
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	size_t bytes, total, n = (size_t)comm->host.nranks, rank = (size_t)comm->host.rank;
	status = tt_check_op("totum_reduce_scatter", dtype, op);
	if (!status)
		status = tt_check_bytes("totum_reduce_scatter", count, dtype, 1, &bytes);
	if (!status)
		status = tt_check_bytes("totum_reduce_scatter", count, dtype, n, &total);
	if (!status && send == TOTUM_IN_PLACE) {
		send = recv;
		recv = recv ? (char *)recv + rank * bytes : NULL;
	}
	if (!status)
		status = tt_check_scatter("totum_reduce_scatter", send, total, recv, bytes, rank * bytes);
	if (status)
		return end(comm, status);
	status = begin(comm, tt_call(TT_OP_REDUCE_SCATTER, dtype, op, 0, count, comm->algo_tag));
	if (!status && comm->algo_tag)
		status = tt_scheduled_reduce_scatter(comm, send, recv, count, dtype, op);
	else if (!status)
		status = tt_host_reduce_scatter(&comm->host, send, recv, count, dtype, op);
	return end(comm, status);
}

totum_status totum_allreduce(const void *send, void *recv, size_t count, totum_dtype dtype, totum_op op,
			     totum_comm *comm)
{
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	size_t bytes;
	status = tt_check_op("totum_allreduce", dtype, op);
	if (!status)
		status = tt_check_bytes("totum_allreduce", count, dtype, 1, &bytes);
	if (!status)
		status = tt_check_buffers("totum_allreduce", &send, bytes, recv, bytes, 0);
	if (status)
		return end(comm, status);
	status = begin(comm, tt_call(TT_OP_ALLREDUCE, dtype, op, 0, count, comm->algo_tag));
	if (!status && comm->algo_tag)
		status = tt_scheduled_allreduce(comm, send, recv, count, dtype, op);
	else if (!status)
		status = tt_host_allreduce(&comm->host, send, recv, count, dtype, op);
	return end(comm, status);
}

totum_status totum_broadcast(const void *send, void *recv, size_t count, totum_dtype dtype, int root, totum_comm *comm)
{
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	size_t bytes;
	status = tt_check_root("totum_broadcast", root, comm->host.nranks);
	if (!status)
		status = tt_check_bytes("totum_broadcast", count, dtype, 1, &bytes);
	if (!status && comm->host.rank != root)
		send = recv;
	if (!status)
		status = tt_check_buffers("totum_broadcast", &send, bytes, recv, bytes, 0);
	if (status)
		return end(comm, status);
	status = begin(comm, tt_call(TT_OP_BROADCAST, dtype, 0, root, count, comm->algo_tag));
	if (!status && comm->algo_tag)
		status = tt_scheduled_broadcast(comm, send, recv, count, dtype, root);
	else if (!status)
		status = tt_host_broadcast(&comm->host, send, recv, bytes, root);
	return end(comm, status);
}

totum_status totum_barrier(totum_comm *comm)
{
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = begin(comm, tt_call(TT_OP_BARRIER, 0, 0, 0, 0, 0));
	if (!status)
		status = tt_host_barrier(&comm->host);
	return end(comm, status);
}
