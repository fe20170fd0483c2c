/* SPDX-License-Identifier: BSD-3-Clause */
/* memory - the entry points for memory that peers can read, and what they hold. */
#include "runtime/scheduled.h"
#include "runtime/window.h"

static int job_rank(const totum_comm *comm)
{
	return comm->job_ranks[comm->host.rank];
}

totum_status totum_alloc(totum_comm *comm, size_t bytes, void **out)
{
	if (!out)
		return tt_fail(TOTUM_EINVAL,
			       "totum_alloc: out is NULL; give the address of a pointer");
	totum_status status = tt_comm_enter(comm);
	if (status)
		return status;
	status = tt_job_alloc(comm->job, job_rank(comm), bytes, out);
	tt_comm_exit(comm);
	return status;
}

totum_status totum_free(totum_comm *comm, void *memory)
{
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	if (memory)
		status = tt_job_free(comm->job, job_rank(comm), memory);
	tt_comm_exit(comm);
	return status;
}

totum_status totum_memory_stats(totum_comm *comm, struct totum_memory *out)
{
	if (!out || out->size < sizeof *out)
		return tt_fail(TOTUM_EINVAL,
			       "totum_memory_stats: "
			       "out is NULL or its size is not set to sizeof(struct totum_memory)");
	totum_status status = tt_comm_enter(comm);
	if (status)
		return status;
	const struct tt_heap *heap = &comm->job->heaps[job_rank(comm)];
	out->shared = heap->bytes;
	out->shared_peak = heap->peak;
	out->shared_limit = comm->job->settings.memory_limit;
	out->comm = tt_area_bytes(comm->host.nranks);
	out->programs = tt_scheduled_bytes(comm);
	out->preloaded = tt_share_used();
	out->read = atomic_load_explicit(&heap->read, memory_order_relaxed);
	tt_comm_exit(comm);
	return TOTUM_OK;
}

totum_status totum_window_create(totum_comm *comm, size_t bytes, totum_window **window)
{
	if (!window)
		return tt_fail(TOTUM_EINVAL,
			       "totum_window_create: window is NULL; "
			       "give the address of a totum_window pointer");
	totum_status status = tt_comm_enter(comm);
	if (status)
		return status;
	status = tt_window_create(comm, bytes, window);
	tt_comm_exit(comm);
	return status;
}

void *totum_window_data(const totum_window *window)
{
	return window ? window->data : NULL;
}

size_t totum_window_size(const totum_window *window)
{
	return window ? window->bytes : 0;
}

totum_status totum_window_free(totum_window *window)
{
	if (!window)
		return TOTUM_OK;
	totum_comm *comm = window->comm;
	totum_status status = tt_comm_enter(comm);
	if (status)
		return status;
	status = tt_window_free(window);
	tt_comm_exit(comm);
	return status;
}
