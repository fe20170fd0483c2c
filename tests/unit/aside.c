/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stepping aside: only after several yields in a row that somebody has used, ever more rarely while
 * it does not help; and the affinity mask is the same before and after.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <sched.h>
#include <cmocka.h>

#include "host/aside.h"

static const uint64_t alone = 400, used = 20000, second = 1000000000;

/* Yields that somebody uses, one each 50 us from *now on, until the rank steps aside. */
static int yields(struct tt_aside *aside, uint64_t *now)
{
	int n = 1;

	while (!tt_aside_counts(aside, *now += 50000, used))
		n++;
	return n;
}

static void several_in_a_row(void **state)
{
	struct tt_aside aside = {0};
	uint64_t now = second;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		assert_false(tt_aside_counts(&aside, now += 50000, used));
		assert_false(tt_aside_counts(&aside, now += 50000, used));
		assert_int_equal(aside.shared, 2);
		assert_false(tt_aside_counts(&aside, now += 50000, alone));
		assert_int_equal(aside.shared, 0);
	}
	int n = yields(&aside, &now);
	assert_in_range(n, 3, 20);
	assert_int_equal(aside.shared, 0);
}

/* Two ranks whose yields are used from the same time on do not step at the same time for ever. */
static void by_chance(void **state)
{
	int first = 0, differ = 0;

	(void)state;
	for (uint64_t at = 0; at < 64; at++) {
		struct tt_aside aside = {0};
		uint64_t now = second + at * 37;
		int n = yields(&aside, &now);
		first = first ? first : n;
		differ += n != first;
	}
	assert_true(differ > 16);
}

static void ever_more_rarely(void **state)
{
	struct tt_aside aside = {0};
	uint64_t now = second, last = 0;
	int steps = 0;

	(void)state;
	for (uint64_t end = now + 4 * second; now < end; steps++) {
		yields(&aside, &now);
		if (last)
			assert_true(now - last >= 1000000);
		last = now;
	}
	assert_in_range(steps, 4 * 1000 / 33, 4 * 1000 / 32 + 10);
	assert_true(aside.pause_ns >= 32000000);
	now += 2 * second; /* it helped, or was not needed: the next step comes soon again */
	yields(&aside, &now);
	assert_int_equal(aside.pause_ns, 1000000);
}

static void on_another_core(void **state)
{
	cpu_set_t mine, one, after;
	int moved = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof mine, &mine), 0);
	for (int i = 0; i < 20 && CPU_COUNT(&mine) > 1; i++) {
		int core = sched_getcpu();
		assert_true(tt_step_aside());
		moved += sched_getcpu() != core;
		assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
		assert_true(CPU_EQUAL(&mine, &after));
	}
	assert_true(CPU_COUNT(&mine) < 2 || moved > 5);

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_false(tt_step_aside());
	assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
	assert_true(CPU_EQUAL(&one, &after));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_in_a_row),
		cmocka_unit_test(by_chance),
		cmocka_unit_test(ever_more_rarely),
		cmocka_unit_test(on_another_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
