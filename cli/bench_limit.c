/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_limit - what copying alone costs: every rank copies M bytes out of one shared memory block
 * at the same time, through the caches or past them, whichever is faster.  A limit is what can be
 * done, so the least time counts: whatever else runs on the machine must not raise it.
 *
 * No all-gather or broadcast that leaves a private result on every rank can take less, but by the
 * 1/nranks that a rank need not fetch from others.  With fresh inputs, every rank rewrites its part
 * of the block before each copy, as it does with its input.
 */
#include "bench.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Below it the caches win on any machine. */
enum { STREAM_LEAST = 64 << 10 };

struct copy {
	struct bench_job *job;
	uint64_t bytes;
	bool streams;
	uint64_t salt;
};

#ifdef __SSE2__
enum { CAN_STREAM = 1, LINE = 64 };

/* to is aligned to a page. */
static void copy_past_caches(unsigned char *to, const unsigned char *from, size_t bytes)
{
	size_t lines = bytes / LINE * LINE;

	for (size_t at = 0; at < lines; at += sizeof(__m128i))
		_mm_stream_si128((__m128i *)(void *)(to + at),
				 _mm_loadu_si128((const __m128i *)(const void *)(from + at)));
	memcpy(to + lines, from + lines, bytes - lines);
	_mm_sfence();
}
#else
enum { CAN_STREAM = 0 };

static void copy_past_caches(unsigned char *to, const unsigned char *from, size_t bytes)
{
	memcpy(to, from, bytes);
}
#endif

static totum_status copies(void *context, long n)
{
	const struct copy *copy = context;
	unsigned char *to = copy->job->whole;
	const unsigned char *from = totum_window_data(copy->job->window);

	for (long i = 0; i < n; i++) {
		if (copy->streams)
			copy_past_caches(to, from, copy->bytes);
		else
			memcpy(to, from, copy->bytes);
		/* nobody reads the copy: keeps the compiler from dropping it */
		__asm__ volatile("" : : "r"(to) : "memory");
	}
	return TOTUM_OK;
}

static void renew(void *context)
{
	struct copy *copy = context;
	uint64_t n = (uint64_t)copy->job->nranks, rank = (uint64_t)copy->job->rank;
	uint64_t first = copy->bytes / n * rank;
	uint64_t last = rank + 1 == n ? copy->bytes : first + copy->bytes / n;

	memset((unsigned char *)totum_window_data(copy->job->window) + first, (int)++copy->salt,
	       last - first);
}

totum_status bench_limit(struct bench_job *job, struct bench_row *row)
{
	struct copy copy = {.job = job, .bytes = row->total};
	struct bench_subject subject = {copies, renew, true, &copy};
	struct bench_timing timing;

	if (!job->window || !row->total)
		return TOTUM_OK;
	renew(&copy);
	totum_status status =
		bench_time(&job->options->plan, &subject, job->control, job->times, &timing);

	if (status)
		return status;
	row->limit = timing.least;
	if (!CAN_STREAM || row->total < STREAM_LEAST)
		return TOTUM_OK;
	copy.streams = true;
	status = bench_time(&job->options->plan, &subject, job->control, job->times, &timing);
	row->limit_streams = !status && timing.least < row->limit;
	if (row->limit_streams)
		row->limit = timing.least;
	return status;
}
