/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_timing.h - how long a call takes, over all ranks.
 *
 * A sample is a barrier, a clock read, some calls back to back, and a clock read, divided by the
 * number of calls: two clock reads and a barrier's uneven end cost as much as a small call does, so
 * small calls are timed in batches.  The time of a sample is that of the slowest rank; of ranks
 * that do not wait for each other it is from the first one's begin to the last one's end, which
 * counts the time that those without a core stand idle.
 */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdbool.h>
#include <totum.h>

/* A sample shorter than this, in seconds, becomes a batch. */
#define BENCH_BATCH_TIME       100e-6
#define BENCH_BATCH_TIME_APART 1e-3
/* When the number of samples is left open: as many as fit this time, between these bounds. */
#define BENCH_TIME 0.1
enum { BENCH_LEAST = 20, BENCH_MOST = 200, BENCH_BATCH_MOST = 1 << 20 };

struct bench_plan {
	long iterations; /* samples; 0: as many as fit BENCH_TIME */
	long warmup;     /* calls before the first sample */
	long batch;      /* calls in a sample; 0: as many as take BENCH_BATCH_TIME */
	bool fresh;      /* prepare before every sample, of one call */
};

/* What is timed. */
struct bench_subject {
	totum_status (*calls)(void *context, long n); /* n times, back to back */
	void (*prepare)(void *context);               /* outside the clock */
	bool apart;                                   /* ranks do not wait for each other in it */
	void *context;
};

/* Seconds a call. */
struct bench_timing {
	double median, p95, p99, least, most, mean, deviation;
	long samples, batch; /* 0: not measured */
};

/* Room that bench_time needs by this plan, in numbers. */
size_t bench_room(const struct bench_plan *plan);
/*
 * Collective over control, on which ranks meet and compare their clocks.  times has room for
 * bench_room(plan).
 */
totum_status bench_time(const struct bench_plan *plan, const struct bench_subject *subject,
			totum_comm *control, double *times, struct bench_timing *out);

/* Sorts times, ascending. */
void bench_sort(double *times, long n);
/* Sorts times, n >= 1 of them, and fills all but batch.  Quantiles are the nearest rank's. */
void bench_statistics(double *times, long n, struct bench_timing *out);

#endif
