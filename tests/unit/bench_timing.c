/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The benchmark's statistics by hand, and how often it calls what it times: warm-up, batches, one call a sample with fresh
 * inputs, and an end at the first failure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../cli/bench_timing.c"

static void statistics(void **state)
{
	struct bench_timing timing;
	double one[] = {7}, even[] = {4, 1, 3, 2}, odd[] = {9, 1, 5}, many[200];

	(void)state;
	bench_statistics(one, 1, &timing);
	assert_true(timing.median == 7 && timing.p95 == 7 && timing.p99 == 7 && timing.mean == 7);
	assert_true(timing.least == 7 && timing.most == 7 && timing.deviation == 0 && timing.samples == 1);
	bench_statistics(even, 4, &timing);
	assert_true(timing.median == 2.5 && timing.p99 == 4 && timing.least == 1 && timing.mean == 2.5);
	assert_true(fabs(timing.deviation * timing.deviation - 1.25) < 1e-12);
	bench_statistics(odd, 3, &timing);
	assert_true(timing.median == 5 && timing.most == 9 && timing.mean == 5);
	for (int i = 0; i < 200; i++)
		many[i] = (i * 77) % 200 + 1;
	bench_statistics(many, 200, &timing);
	assert_true(timing.median == 100.5 && timing.p95 == 190 && timing.p99 == 198 && timing.most == 200);
}

struct counted {
	long calls, runs, prepares, fails_at;
	long batch; /* of the last run */
};

static totum_status calls(void *context, long n)
{
	struct counted *counted = context;

	counted->runs++;
	counted->calls += n;
	counted->batch = n;
	return counted->runs == counted->fails_at ? TOTUM_EINVAL : TOTUM_OK;
}

static void prepare(void *context)
{
	struct counted *counted = context;

	counted->prepares++;
}

static struct counted run(struct bench_plan plan, bool apart, long fails_at, struct bench_timing *timing)
{
	struct counted counted = {.fails_at = fails_at};
	struct bench_subject subject = {calls, prepare, apart, &counted};
	double times[2 * BENCH_MOST];
	totum_comm *comm;

	assert_true(bench_room(&plan) <= 2 * BENCH_MOST);
	assert_int_equal(totum_init_threads(1, &comm), TOTUM_OK);
	assert_int_equal(bench_time(&plan, &subject, comm, times, timing), fails_at ? TOTUM_EINVAL : TOTUM_OK);
	totum_comm_free(comm);
	return counted;
}

static void plans(void **state)
{
	struct bench_timing timing;

	(void)state;
	for (int apart = 0; apart < 2; apart++) {
		struct counted counted = run((struct bench_plan){.iterations = 7, .warmup = 11, .batch = 4}, apart, 0, &timing);

		assert_int_equal(counted.calls, 11 + (3 + 7) * 4);
		assert_int_equal(counted.prepares, 0);
		assert_true(timing.samples == 7 && timing.batch == 4 && timing.least >= 0 && timing.most < 1);
		counted = run((struct bench_plan){.iterations = 5, .fresh = true}, apart, 0, &timing);
		assert_int_equal(counted.calls, 3 + 5);
		assert_int_equal(counted.prepares, 3 + 5);
		assert_true(timing.samples == 5 && timing.batch == 1);
		/* a call that takes no time: the largest batch */
		counted = run((struct bench_plan){.iterations = 2}, apart, 0, &timing);
		assert_int_equal(timing.batch, counted.batch);
		assert_true(timing.batch > 1 && timing.batch <= BENCH_BATCH_MOST);
		run((struct bench_plan){0}, apart, 0, &timing);
		assert_true(timing.samples >= BENCH_LEAST && timing.samples <= BENCH_MOST);
	}
}

static void failures(void **state)
{
	struct bench_timing timing;

	(void)state;
	for (long at = 1; at <= 9; at++) {
		struct counted counted = run((struct bench_plan){.iterations = 5, .warmup = 1, .batch = 1}, false, at, &timing);

		assert_int_equal(counted.runs, at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statistics),
		cmocka_unit_test(plans),
		cmocka_unit_test(failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
