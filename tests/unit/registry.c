/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding algorithms by name and reading parameters: what is found, and what is said if not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/algorithm.h"

static void expect(totum_status got, totum_status expected, const char *what, const char *part)
{
	if (got != expected)
		fail_msg("'%s' gave status %d: %s", what, got, totum_errmsg());
	if (!strstr(totum_errmsg(), part))
		fail_msg("'%s' gave: %s", what, totum_errmsg());
}

/* The table is ordered, and every entry is found by its own name for whatever it serves. */
static void test_table(void **state)
{
	(void)state;
	for (int i = 0; i < tt_nalgorithms; i++) {
		const struct tt_algorithm_entry *entry = &tt_algorithms[i];

		assert_true(tt_algorithm_serves(entry, entry->collective));
		for (int c = 0; c < TT_COLLECTIVES; c++)
			if (tt_algorithm_serves(entry, (enum tt_collective)c))
				assert_ptr_equal(
					tt_algorithm_find((enum tt_collective)c, entry->name),
					entry);
		if (i == 0)
			continue;
		int order = strcmp(tt_collective_name(entry[-1].collective),
				   tt_collective_name(entry->collective));

		if (order > 0 || (order == 0 && strcmp(entry[-1].name, entry->name) >= 0))
			fail_msg("%s comes after %s", entry->name, entry[-1].name);
	}
}

static void test_not_found(void **state)
{
	char endless[300];

	(void)state;
	assert_null(tt_algorithm_find(TT_ALLGATHER, "rnig"));
	expect(TOTUM_EINVAL, TOTUM_EINVAL, "rnig", "did you mean 'ring'");
	assert_non_null(strstr(totum_errmsg(), "bruck"));
	assert_null(tt_algorithm_find(TT_ALLGATHER, ""));
	assert_null(tt_algorithm_find(TT_ALLGATHER, "Ring"));
	assert_null(tt_algorithm_find(TT_ALLTOALL, "ring"));
	assert_null(tt_algorithm_find(TT_GATHER, "ring"));
	memset(endless, 'x', sizeof endless - 1);
	endless[sizeof endless - 1] = '\0';
	assert_null(tt_algorithm_find(TT_ALLREDUCE, endless));
}

static void test_values(void **state)
{
	const struct tt_algorithm_entry *bruck = tt_algorithm_find(TT_ALLGATHER, "bruck");
	const struct tt_algorithm_entry *ring = tt_algorithm_find(TT_ALLGATHER, "ring");
	static const char *const wrong[][2] = {
		{"radix=1", "'1' is out of range: 2 to 8"},
		{"radix=9", "'9' is out of range: 2 to 8"},
		{"radix=-2", "'-2' is not an integer"},
		{"radix=", "parameter radix of bruck for 8 ranks"},
		{"radix", "'radix' is not a setting of bruck"},
		{"radx=3", "did you mean 'radix'"},
		{"radix=3,radix=3", "given twice"},
		{"radix=3,", "missing after the last comma"},
		{",radix=3", "'' is not a setting"},
		{"radix=3x", "'3x' is not an integer"},
		{"radix =3", "'radix =3' is not a setting"},
		{"radix=00000000000000000000000000000000000000000000000000000000000000000003",
		 "not a setting"},
	};
	int64_t values[TT_PARAMETERS];
	char text[TT_ALGORITHM_TEXT];

	(void)state;
	assert_int_equal(tt_algorithm_values(bruck, 8, "", values), TOTUM_OK);
	assert_int_equal(values[0], 2);
	assert_string_equal(tt_algorithm_format(bruck, values, text), "bruck");
	assert_int_equal(tt_algorithm_values(bruck, 8, "radix=8", values), TOTUM_OK);
	assert_int_equal(values[0], 8);
	assert_string_equal(tt_algorithm_format(bruck, values, text), "bruck,radix=8");
	assert_int_equal(tt_algorithm_values(bruck, 1, "radix=2", values), TOTUM_OK);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		expect(tt_algorithm_values(bruck, 8, wrong[i][0], values), TOTUM_EINVAL,
		       wrong[i][0], wrong[i][1]);
	expect(tt_algorithm_values(ring, 8, "radix=3", values), TOTUM_EINVAL, "ring,radix=3",
	       "ring takes no parameters");
}

static void test_build(void **state)
{
	struct tt_schedule *schedule = NULL;

	(void)state;
	expect(tt_algorithm_build(TT_ALLGATHER, "recursive_doubling", 6, 0, &schedule),
	       TOTUM_EUNSUPPORTED, "6 ranks",
	       "recursive_doubling does not run on 6 ranks: it needs a power of two of ranks");
	expect(tt_algorithm_build(TT_REDUCE_SCATTER, "gather_broadcast,resend=1", 6, 0, &schedule),
	       TOTUM_EUNSUPPORTED, "resend", "has no reverse");
	expect(tt_algorithm_build(TT_ALLGATHER, "ring", 0, 0, &schedule), TOTUM_EINVAL, "n=0",
	       "0 ranks");
	expect(tt_algorithm_build(TT_ALLGATHER, "ring", -5, 0, &schedule), TOTUM_EINVAL, "n=-5",
	       "-5 ranks");
	expect(tt_algorithm_build(TT_ALLGATHER, "ring", INT64_MAX, 0, &schedule), TOTUM_EINVAL,
	       "n=2^63-1", "ranks");
	expect(tt_algorithm_build(TT_BROADCAST, "ring", 4, 4, &schedule), TOTUM_EINVAL, "root=4",
	       "root");
	expect(tt_algorithm_build(TT_BROADCAST, "ring", 4, -1, &schedule), TOTUM_EINVAL, "root=-1",
	       "root");
	expect(tt_algorithm_build(TT_ALLGATHER, "bruck,", 4, 0, &schedule), TOTUM_EINVAL, "bruck,",
	       "a parameter is missing");
	expect(tt_algorithm_build(TT_ALLGATHER, "", 4, 0, &schedule), TOTUM_EINVAL, "",
	       "no algorithm ''");
	assert_null(schedule);
}

/* What is derived carries its own collective, root and name. */
static void test_derived(void **state)
{
	struct tt_schedule *schedule = NULL;

	(void)state;
	assert_int_equal(tt_algorithm_build(TT_BROADCAST, "bruck,radix=3", 7, 5, &schedule),
			 TOTUM_OK);
	assert_int_equal(schedule->collective, TT_BROADCAST);
	assert_int_equal(schedule->root, 5);
	assert_int_equal(schedule->rounds, 3);
	assert_string_equal(schedule->name, "bruck,radix=3");
	tt_schedule_free(schedule);
	assert_int_equal(tt_algorithm_build(TT_ALLREDUCE, "ring", 7, 3, &schedule), TOTUM_OK);
	assert_int_equal(schedule->collective, TT_ALLREDUCE);
	assert_int_equal(schedule->root, 0);
	assert_int_equal(schedule->rounds, 12);
	tt_schedule_free(schedule);
}

/* A schedule of shifts or exchanges is a handful of records, whatever nranks. */
static void test_million(void **state)
{
	static const char *const names[] = {"ring", "bidirectional_ring", "bruck",
					    "recursive_doubling"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct tt_schedule *schedule = NULL;

		if (tt_algorithm_build(TT_ALLGATHER, names[i], 1 << 20, 0, &schedule))
			fail_msg("%s: %s", names[i], totum_errmsg());
		assert_true(schedule->nrecords <= 20);
		tt_schedule_free(schedule);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),   cmocka_unit_test(test_not_found),
		cmocka_unit_test(test_values),  cmocka_unit_test(test_build),
		cmocka_unit_test(test_derived), cmocka_unit_test(test_million),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
