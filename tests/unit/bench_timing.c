/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The benchmark's statistics by hand, and how often it calls what it times: warm-up, batches, one
 * call a sample with fresh inputs, and an end at the first failure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

/* The clock stands still but for what is called. */
static int fake_clock(clockid_t clock, struct timespec *time);
#define clock_gettime fake_clock
#include "../../cli/bench_timing.c"
#undef clock_gettime

static void statistics(void **state)
{
	struct bench_timing timing;
	double one[] = {7}, even[] = {4, 1, 3, 2}, odd[] = {9, 1, 5}, many[200];

	(void)state;
	bench_statistics(one, 1, &timing);
	assert_true(timing.median == 7 && timing.p95 == 7 && timing.p99 == 7 && timing.mean == 7);
	assert_true(timing.least == 7 && timing.most == 7 && timing.deviation == 0 &&
		    timing.samples == 1);
	bench_statistics(even, 4, &timing);
	assert_true(timing.median == 2.5 && timing.p99 == 4 && timing.least == 1 &&
		    timing.mean == 2.5);
	assert_true(fabs(timing.deviation * timing.deviation - 1.25) < 1e-12);
	bench_statistics(odd, 3, &timing);
	assert_true(timing.median == 5 && timing.most == 9 && timing.mean == 5);
	for (int i = 0; i < 200; i++)
		many[i] = (i * 77) % 200 + 1;
	bench_statistics(many, 200, &timing);
	assert_true(timing.median == 100.5 && timing.p95 == 190 && timing.p99 == 198 &&
		    timing.most == 200);
}

struct counted {
	long calls, runs, prepares, fails_at;
	double seconds; /* of a call */
};

static double passed; /* by the fake clock */

static int fake_clock(clockid_t clock, struct timespec *time)
{
	(void)clock;
	time->tv_sec = (time_t)passed;
	time->tv_nsec = (long)((passed - (double)time->tv_sec) * 1e9);
	return 0;
}

static totum_status calls(void *context, long n)
{
	struct counted *counted = context;

	counted->runs++;
	counted->calls += n;
	passed += (double)n * counted->seconds;
	return counted->runs == counted->fails_at ? TOTUM_EINVAL : TOTUM_OK;
}

static void prepare(void *context)
{
	struct counted *counted = context;

	counted->prepares++;
	passed += 5;
}

static struct counted run(struct bench_plan plan, double seconds, bool apart,
			  struct bench_timing *timing)
{
	struct counted counted = {.seconds = seconds};
	struct bench_subject subject = {calls, prepare, apart, &counted};
	double times[2 * BENCH_MOST];
	totum_comm *comm;

	passed = 1000;
	assert_true(bench_room(&plan) <= 2 * BENCH_MOST);
	assert_int_equal(totum_init_threads(1, &comm), TOTUM_OK);
	assert_int_equal(bench_time(&plan, &subject, comm, times, timing), TOTUM_OK);
	totum_comm_free(comm);
	if (!(fabs(timing->least - seconds) < 2e-8 && fabs(timing->most - seconds) < 2e-8))
		fail_msg("%g to %g instead of %g", timing->least, timing->most, seconds);
	return counted;
}

static void given(void **state)
{
	struct bench_timing timing;

	(void)state;
	for (int apart = 0; apart < 2; apart++) {
		struct counted counted =
			run((struct bench_plan){.iterations = 7, .warmup = 11, .batch = 4}, 1e-3,
			    apart, &timing);

		assert_int_equal(counted.calls, 11 + (3 + 7) * 4);
		assert_int_equal(counted.prepares, 0);
		assert_true(timing.samples == 7 && timing.batch == 4);
		counted = run((struct bench_plan){.iterations = 5, .fresh = true}, 1e-5, apart,
			      &timing);
		assert_int_equal(counted.calls, 3 + 5);
		assert_int_equal(counted.prepares, 3 + 5);
		assert_true(timing.samples == 5 && timing.batch == 1);
	}
}

/* Batches grow, at most by 8, until they take 100 us; samples are what fits 0.1 s. */
static void chosen(void **state)
{
	static const struct {
		double seconds;
		long batch, samples;
	} rows[] = {{1e-6, 128, 200}, {3e-5, 4, 200}, {1e-3, 1, 100},
		    {2e-3, 1, 50},    {1, 1, 20},     {0, 1 << 20, 200}};
	struct bench_timing timing;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		run((struct bench_plan){0}, rows[i].seconds, false, &timing);
		if (labs(timing.samples - rows[i].samples) > 1 || timing.batch != rows[i].batch)
			fail_msg("%g s: %ld samples of %ld", rows[i].seconds, timing.samples,
				 timing.batch);
	}
	run((struct bench_plan){0}, 1e-6, true, &timing); /* ranks apart: until it takes 1 ms */
	assert_int_equal(timing.batch, 1024);
}

static void failures(void **state)
{
	const struct bench_plan plan = {.iterations = 5, .warmup = 1, .batch = 1};
	struct bench_timing timing;
	totum_comm *comm;

	(void)state;
	assert_int_equal(totum_init_threads(1, &comm), TOTUM_OK);
	for (long at = 1; at <= 9; at++) {
		struct counted counted = {.fails_at = at};
		struct bench_subject subject = {calls, prepare, false, &counted};
		double times[10];

		assert_int_equal(bench_time(&plan, &subject, comm, times, &timing), TOTUM_EINVAL);
		assert_int_equal(counted.runs, at);
	}
	totum_comm_free(comm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statistics),
		cmocka_unit_test(given),
		cmocka_unit_test(chosen),
		cmocka_unit_test(failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
