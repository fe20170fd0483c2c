/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tune_rates - how fast a rank adds and copies while all ranks of its host do the same.
 *
 * Adding is a reduce-scatter of memory that the ranks read where it lies: of M bytes each rank adds
 * (n-1)/n M to its own; what a call with one element takes is taken off.  A rank alone on its host
 * adds nothing, and leaves adding unknown if all are.
 */
#include "tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

enum { CACHED = 512 << 10, PAGE = 4096, ROUNDS = 8, CALLS = 4 };
enum { LEAST = 8 << 20, MOST = 32 << 20, HOST_MOST = 128 << 20 };

struct rate {
	struct tune_job *job;
	unsigned char *to, *from;
	size_t bytes;
	totum_status (*work)(const struct rate *rate);
};

static totum_status add(const struct rate *rate)
{
	size_t n = (size_t)totum_comm_nranks(rate->job->host);

	return totum_reduce_scatter(rate->from, rate->to, rate->bytes / n / sizeof(float),
				    TOTUM_F32, TOTUM_SUM, rate->job->host);
}

static totum_status copy(const struct rate *rate)
{
	memcpy(rate->to, rate->from, rate->bytes);
	__asm__ volatile("" : : "r"(rate->to) : "memory"); /* nobody reads the copy */
	return TOTUM_OK;
}

static totum_status copy_past_caches(const struct rate *rate)
{
	stream_copy(rate->to, rate->from, rate->bytes);
	__asm__ volatile("" : : "r"(rate->to) : "memory");
	return TOTUM_OK;
}

/* The least time of the slowest rank of this host. */
static totum_status time_work(const struct rate *rate, double *best)
{
	double seconds[ROUNDS] = {0};
	totum_comm *host = rate->job->host;
	totum_status status = TOTUM_OK;

	for (int i = 0; i < ROUNDS && !status; i++) {
		status = totum_barrier(host);
		double begin = tune_now();

		for (int call = 0; call < CALLS && !status; call++)
			status = rate->work(rate);
		seconds[i] = (tune_now() - begin) / CALLS;
	}
	if (!status)
		status = tune_greatest(seconds, ROUNDS, host);
	*best = (double)INFINITY;
	for (int i = 0; i < ROUNDS; i++)
		*best = fmin(*best, seconds[i]);
	return status;
}

static size_t large(int n)
{
	size_t bytes = HOST_MOST / (size_t)n;

	return bytes < LEAST ? LEAST : bytes > MOST ? MOST : bytes;
}

/* B/s of adding where n ranks have bytes each; 0: one rank adds nothing. */
static totum_status time_add(struct rate *rate, size_t bytes, double *out)
{
	size_t n = (size_t)totum_comm_nranks(rate->job->host);
	double base, seconds;

	*out = 0;
	if (n < 2)
		return TOTUM_OK;
	rate->work = add;
	rate->bytes = n * sizeof(float);
	totum_status status = time_work(rate, &base);

	rate->bytes = bytes / (n * sizeof(float)) * (n * sizeof(float));
	if (!status)
		status = time_work(rate, &seconds);
	if (status)
		return status;
	double added = (double)rate->bytes * (double)(n - 1) / (double)n;

	*out = added / fmax(seconds - base, seconds / 4);
	return TOTUM_OK;
}

static totum_status time_copy(struct rate *rate, totum_status (*work)(const struct rate *),
			      size_t bytes, double *out)
{
	double seconds;

	rate->work = work;
	rate->bytes = bytes;
	totum_status status = time_work(rate, &seconds);

	*out = (double)bytes / fmax(seconds, 1e-9);
	return status;
}

/* The least of all hosts; a host that does not know is not asked. */
static totum_status agree(struct tune_job *job, totum_rates *rates)
{
	double worst[] = {rates->add_cached, rates->add_memory, rates->copy_cached,
			  rates->copy_memory, rates->copy_stream};
	enum { N = sizeof worst / sizeof *worst };

	for (int i = 0; i < N; i++)
		worst[i] = worst[i] > 0 ? 1 / worst[i] : 0;
	totum_status status = tune_greatest(worst, N, job->comm);

	for (int i = 0; i < N; i++)
		worst[i] = worst[i] > 0 ? 1 / worst[i] : 0;
	*rates = (totum_rates){worst[0], worst[1], worst[2], worst[3], worst[4]};
	return status;
}

totum_status tune_rates(struct tune_job *job, totum_rates *out)
{
	size_t bytes = large(totum_comm_nranks(job->host));
	struct rate rate = {.job = job, .to = aligned_alloc(PAGE, bytes)};
	totum_status status = totum_alloc(job->host, bytes, (void **)&rate.from);

	*out = (totum_rates){0};
	if (!status && !rate.to)
		status = TOTUM_EMEMORY;
	if (!status) {
		memset(rate.from, 0, bytes); /* zeros as floats: no sum grows slow */
		memset(rate.to, 0, bytes);
		status = time_add(&rate, CACHED, &out->add_cached);
	}
	if (!status)
		status = time_add(&rate, bytes, &out->add_memory);
	if (!status)
		status = time_copy(&rate, copy, CACHED, &out->copy_cached);
	if (!status)
		status = time_copy(&rate, copy, bytes, &out->copy_memory);
	if (!status)
		status = time_copy(&rate, copy_past_caches, bytes, &out->copy_stream);
	if (!status)
		status = agree(job, out);
	totum_free(job->host, rate.from);
	free(rate.to);
	return status;
}
