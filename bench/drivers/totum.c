/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totum - the library itself as bench/compare measures it: blocking calls as a program makes them.
 *
 * SHARED buffers come from totum_alloc.  WINDOW is an all-gather in place into one shared result: a
 * rank's input is its block of the window.
 */
#include "library.h"

#include <totum.h>

#include <stdio.h>

static totum_comm *comm;
static totum_window *window;
static struct {
	void *memory;
	size_t bytes;
} send_buffer, recv_buffer;

static void must(totum_status status)
{
	if (status)
		driver_fail("%s", totum_errmsg());
}

void library_start(struct job *job)
{
	must(totum_init(&comm));
	job->rank = totum_comm_rank(comm);
	job->nranks = totum_comm_nranks(comm);
	snprintf(job->version, sizeof job->version, "totum %s", totum_version());
}

static void *shared_memory(void **memory, size_t *have, size_t bytes)
{
	if (bytes > *have) {
		must(totum_free(comm, *memory));
		*memory = NULL;
		must(totum_alloc(comm, bytes, memory));
		*have = bytes;
	}
	return *memory;
}

static bool window_memory(struct call *call, size_t recv_bytes)
{
	if (call->what != ALLGATHER)
		return false;
	if (!window || totum_window_size(window) < recv_bytes) {
		must(totum_window_free(window));
		must(totum_window_create(comm, recv_bytes, &window));
	}
	call->recv = totum_window_data(window);
	call->send = (char *)call->recv + (size_t)call->job->rank * call->count;
	return true;
}

bool library_memory(struct call *call, size_t send_bytes, size_t recv_bytes)
{
	if (call->memory == WINDOW)
		return window_memory(call, recv_bytes);
	if (call->memory != SHARED)
		return false;
	call->send = shared_memory(&send_buffer.memory, &send_buffer.bytes, send_bytes);
	call->recv = shared_memory(&recv_buffer.memory, &recv_buffer.bytes, recv_bytes);
	return true;
}

void library_prepare(const struct call *call)
{
	(void)call;
}

void library_call(const struct call *call)
{
	void *send = call->send, *recv = call->recv;
	size_t count = call->count;

	switch (call->what) {
	case ALLGATHER:
		must(totum_allgather(send, recv, count, TOTUM_U8, comm));
		break;
	case REDUCE_SCATTER:
		must(totum_reduce_scatter(send, recv, count, TOTUM_F32, TOTUM_SUM, comm));
		break;
	case ALLREDUCE:
		must(totum_allreduce(send, recv, count, TOTUM_F32, TOTUM_SUM, comm));
		break;
	case BROADCAST:
		must(totum_broadcast(send, recv, count, TOTUM_U8, 0, comm));
		break;
	case ALLTOALL:
		must(totum_alltoall(send, recv, count, TOTUM_U8, comm));
		break;
	default:
		must(totum_barrier(comm));
	}
}

void library_end(void)
{
	must(totum_window_free(window));
	must(totum_free(comm, send_buffer.memory));
	must(totum_free(comm, recv_buffer.memory));
	must(totum_comm_free(comm));
}
