/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * limit - what copying alone costs: an all-gather without waiting.
 *
 * The inputs lie in memory that all ranks share, each rank's block where it will be in the result,
 * and the driver's meeting says when they are there.  A call copies the whole result into private
 * memory, on all ranks at the same time: by memcpy (PLAIN_COPY), or past the caches (STREAMED_COPY;
 * where the processor has no such stores, there is none).  No library that leaves a private result
 * on every rank can be faster than the faster of the two, but by the 1/nranks that it need not
 * fetch from others.  FLAGS is the other limit: a BARRIER of it is the driver's meeting, which
 * shows how fast the cores see each other's flags.
 */
#include "library.h"
#include "meeting.h"

#include <totum.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { PAGE = 4096 };

static totum_comm *comm;
static totum_window *window;
static void *result;
static size_t result_bytes;

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
	strcpy(job->version, "copy limit");
}

#ifdef __SSE2__
static void copy_streamed(char *to, const char *from, size_t bytes)
{
	size_t head = -(uintptr_t)to & 63;

	if (bytes < 256) {
		memcpy(to, from, bytes);
		return;
	}
	memcpy(to, from, head);
	to += head, from += head, bytes -= head;
	for (; bytes >= 64; to += 64, from += 64, bytes -= 64)
		for (int i = 0; i < 64; i += 16)
			_mm_stream_si128(
				(__m128i *)(void *)(to + i),
				_mm_loadu_si128((const __m128i *)(const void *)(from + i)));
	memcpy(to, from, bytes);
	_mm_sfence();
}
#define HAVE_STREAMS true
#else
#define copy_streamed(to, from, bytes) memcpy(to, from, bytes)
#define HAVE_STREAMS false
#endif

static void make_room(size_t bytes)
{
	if (window && totum_window_size(window) >= bytes)
		return;
	must(totum_window_free(window));
	must(totum_window_create(comm, bytes, &window));
	free(result);
	result_bytes = (bytes + PAGE - 1) / PAGE * PAGE;
	result = aligned_alloc(PAGE, result_bytes);
	if (!result)
		driver_fail("no memory for a buffer of %zu bytes: ask for smaller --sizes", bytes);
	memset(result, 0, result_bytes);
}

bool library_memory(struct call *call, size_t send_bytes, size_t recv_bytes)
{
	bool kind = call->memory == PLAIN_COPY || (call->memory == STREAMED_COPY && HAVE_STREAMS);

	(void)send_bytes;
	if (call->memory == FLAGS && call->what == BARRIER)
		return true;
	if (!kind || call->what != ALLGATHER)
		return false;
	make_room(recv_bytes);
	call->send = (char *)totum_window_data(window) + (size_t)call->job->rank * call->count;
	call->recv = result;
	return true;
}

void library_prepare(const struct call *call)
{
	(void)call;
}

void library_call(const struct call *call)
{
	size_t bytes = call->count * (size_t)call->job->nranks;

	if (call->memory == FLAGS)
		meeting();
	else if (call->memory == STREAMED_COPY)
		copy_streamed(call->recv, totum_window_data(window), bytes);
	else
		memcpy(call->recv, totum_window_data(window), bytes);
	/* paired with nothing: keeps the compiler from dropping the copies of a batch */
	__asm__ volatile("" ::"r"(call->recv) : "memory");
}

void library_end(void)
{
	must(totum_window_free(window));
	must(totum_comm_free(comm));
	free(result);
}
