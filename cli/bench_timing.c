/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench_timing - samples and their statistics.
 *
 * All ranks must take the same number of samples of the same number of calls; what they decide by
 * is a time that is the maximum over ranks, and so equal on all of them.
 */
#include "bench_timing.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* One sample: when it began and ended on this rank. */
static totum_status sample(const struct bench_subject *subject, long batch, bool fresh,
			   totum_comm *control, double *begin, double *end)
{
	if (fresh)
		subject->prepare(subject->context);
	totum_status status = totum_barrier(control);

	if (status)
		return status;
	*begin = now();
	status = subject->calls(subject->context, batch);
	*end = now();
	return status;
}

/*
 * Makes of n begins, and n ends behind them, the times of n samples.  All ranks are on one host,
 * where they read the same clock.
 */
static totum_status combine(bool apart, double *begins, long n, totum_comm *control)
{
	double *ends = begins + n;

	for (long i = 0; i < n; i++) {
		if (!apart)
			ends[i] -= begins[i];
		begins[i] = apart ? -begins[i] : 0;
	}
	totum_status status =
		totum_allreduce(begins, begins, 2 * (size_t)n, TOTUM_F64, TOTUM_MAX, control);

	for (long i = 0; i < n; i++)
		begins[i] += ends[i];
	return status;
}

/* The best of some samples: a rank that was kept waiting for its core must not look like work. */
static totum_status trial(const struct bench_plan *plan, const struct bench_subject *subject,
			  totum_comm *control, long batch, double *seconds)
{
	enum { TRIALS = 3 };
	double times[2 * TRIALS];
	totum_status status = TOTUM_OK;

	for (int i = 0; i < TRIALS && !status; i++)
		status =
			sample(subject, batch, plan->fresh, control, &times[i], &times[TRIALS + i]);
	if (!status)
		status = combine(subject->apart, times, TRIALS, control);
	*seconds = fmin(times[0], fmin(times[1], times[2]));
	return status;
}

/* Calls in a sample, and how long that takes. */
static totum_status calibrate(const struct bench_plan *plan, const struct bench_subject *subject,
			      totum_comm *control, long *batch, double *seconds)
{
	double enough = subject->apart ? BENCH_BATCH_TIME_APART : BENCH_BATCH_TIME;

	*batch = plan->batch ? plan->batch : 1;
	for (;;) {
		totum_status status = trial(plan, subject, control, *batch, seconds);

		if (status || plan->batch || plan->fresh || *seconds >= enough ||
		    *batch == BENCH_BATCH_MOST)
			return status;
		/* the first calls are slow: grow by steps */
		double growth = fmin(8, fmax(2, ceil(enough / fmax(*seconds, 1e-9))));

		*batch = (long)fmin(BENCH_BATCH_MOST, (double)*batch * growth);
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void bench_sort(double *times, long n)
{
	qsort(times, (size_t)n, sizeof *times, ascending);
}

static double quantile(const double *sorted, long n, double part)
{
	long index = (long)ceil(part * (double)n) - 1;

	return sorted[index < 0 ? 0 : index];
}

void bench_statistics(double *times, long n, struct bench_timing *out)
{
	double sum = 0, squares = 0;

	bench_sort(times, n);
	for (long i = 0; i < n; i++)
		sum += times[i];
	out->samples = n;
	out->mean = sum / (double)n;
	for (long i = 0; i < n; i++)
		squares += (times[i] - out->mean) * (times[i] - out->mean);
	out->deviation = sqrt(squares / (double)n);
	out->median = (times[(n - 1) / 2] + times[n / 2]) / 2;
	out->p95 = quantile(times, n, 0.95);
	out->p99 = quantile(times, n, 0.99);
	out->least = times[0];
	out->most = times[n - 1];
}

static long most_samples(const struct bench_plan *plan)
{
	return plan->iterations ? plan->iterations : BENCH_MOST;
}

size_t bench_room(const struct bench_plan *plan)
{
	return 2 * (size_t)most_samples(plan);
}

totum_status bench_time(const struct bench_plan *plan, const struct bench_subject *subject,
			totum_comm *control, double *times, struct bench_timing *out)
{
	long n = most_samples(plan), batch;
	double estimate;
	totum_status status = TOTUM_OK;

	*out = (struct bench_timing){0};
	if (plan->warmup)
		status = subject->calls(subject->context, plan->warmup);
	if (!status)
		status = calibrate(plan, subject, control, &batch, &estimate);
	if (status)
		return status;
	if (!plan->iterations)
		n = (long)fmin(BENCH_MOST, fmax(BENCH_LEAST, BENCH_TIME / fmax(estimate, 1e-9)));
	for (long i = 0; i < n && !status; i++)
		status = sample(subject, batch, plan->fresh, control, &times[i], &times[n + i]);
	if (!status)
		status = combine(subject->apart, times, n, control);
	if (status)
		return status;
	for (long i = 0; i < n; i++)
		times[i] /= (double)batch;
	bench_statistics(times, n, out);
	out->batch = batch;
	return TOTUM_OK;
}
