/* SPDX-License-Identifier: BSD-3-Clause */
/* info - the variables: their table, defaults, wrong values; and who is taken for the launcher. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "totum_info.h"

static int number_of(const char *name)
{
	for (int i = 0; i < totum_variable_count(); i++)
		if (!strcmp(totum_variable_name(i), name))
			return i;
	fail_msg("there is no variable %s", name);
	return -1;
}

static int clear(void **state)
{
	(void)state;
	for (int i = 0; i < totum_variable_count(); i++)
		unsetenv(totum_variable_name(i));
	for (int i = 0; i < totum_launcher_count(); i++)
		unsetenv(totum_launcher_variable(i));
	return 0;
}

static void test_table(void **state)
{
	(void)state;
	assert_true(totum_variable_count() > 10);
	for (int i = 0; i < totum_variable_count(); i++) {
		assert_memory_equal(totum_variable_name(i), "TOTUM_", 6);
		assert_true(i == 0 ||
			    strcmp(totum_variable_name(i - 1), totum_variable_name(i)) < 0);
		assert_true(strlen(totum_variable_meaning(i)) > 10);
		assert_null(totum_variable_value(i));
		assert_int_equal(totum_variable_check(i), TOTUM_OK);
	}
	for (int i = -1; i <= totum_variable_count(); i += totum_variable_count() + 1) {
		assert_null(totum_variable_name(i));
		assert_null(totum_variable_meaning(i));
		assert_null(totum_variable_default(i));
		assert_null(totum_variable_value(i));
		assert_int_equal(totum_variable_is_launchers(i), 0);
		assert_int_equal(totum_variable_check(i), TOTUM_EINVAL);
	}
}

/* A default is a value that the variable takes. */
static void test_defaults(void **state)
{
	(void)state;
	for (int i = 0; i < totum_variable_count(); i++) {
		if (!totum_variable_default(i)[0])
			continue;
		setenv(totum_variable_name(i), totum_variable_default(i), 1);
		assert_string_equal(totum_variable_value(i), totum_variable_default(i));
		assert_int_equal(totum_variable_check(i), TOTUM_OK);
		assert_int_equal(totum_variable_is_launchers(i), 0);
	}
	assert_int_equal(totum_launcher_find(NULL, NULL, NULL), TOTUM_OK);
}

static void test_wrong_values(void **state)
{
	static const char *const wrong[][2] = {
		{"TOTUM_DEBUG", "yes"},           {"TOTUM_LAUNCHER", "mpirun"},
		{"TOTUM_MEMORY_LIMIT", "8 gigs"}, {"TOTUM_MEMORY_LIMIT", ""},
		{"TOTUM_SINGLE_COPY", "yes"},     {"TOTUM_TIMEOUT", "30"},
		{"TOTUM_TIMEOUT", "0"},           {"TOTUM_TIMEOUT", "31000h"},
		{"TOTUM_WAIT", "Spin"},           {"TOTUM_CHECKSUM", "yes"},
		{"TOTUM_ENCRYPT", ""},            {"TOTUM_STREAMS", ""},
		{"TOTUM_STREAMS", "0"},           {"TOTUM_STREAMS", "17"},
		{"TOTUM_STREAMS", " 4"},          {"TOTUM_STREAMS", "4k"},
		{"TOTUM_STREAMS", "-1"},          {"TOTUM_STREAMS", "18446744073709551617"},
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		int variable = number_of(wrong[i][0]);
		setenv(wrong[i][0], wrong[i][1], 1);
		if (totum_variable_check(variable) != TOTUM_EINVAL ||
		    !strstr(totum_errmsg(), wrong[i][0]))
			fail_msg("%s=\"%s\" is accepted, or not named: %s", wrong[i][0],
				 wrong[i][1], totum_errmsg());
		assert_int_equal(totum_launcher_find(NULL, NULL, NULL), TOTUM_EINVAL);
		unsetenv(wrong[i][0]);
		assert_int_equal(totum_variable_check(variable), TOTUM_OK);
	}
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = 0;
	setenv("TOTUM_TRACE", text, 1);
	assert_int_equal(totum_variable_check(number_of("TOTUM_TRACE")), TOTUM_EINVAL);
}

static void test_launchers(void **state)
{
	const char *name;
	int rank, nranks;

	(void)state;
	assert_int_equal(totum_launcher_count(), 5);
	assert_null(totum_launcher_name(-1));
	assert_null(totum_launcher_name(5));
	assert_null(totum_launcher_variable(5));
	assert_int_equal(totum_launcher_find(&name, &rank, &nranks), TOTUM_OK);
	assert_string_equal(name, "none");
	assert_int_equal(rank, 0);
	assert_int_equal(nranks, 1);

	setenv("SLURM_PROCID", "3", 1);
	assert_int_equal(totum_launcher_find(&name, &rank, &nranks), TOTUM_EINVAL);
	setenv("SLURM_NTASKS", "8", 1);
	setenv("SLURM_JOB_ID", "77", 1);
	setenv("SLURM_STEP_ID", "0", 1);
	assert_int_equal(totum_launcher_find(&name, &rank, &nranks), TOTUM_OK);
	assert_string_equal(name, "slurm");
	assert_int_equal(rank, 3);
	assert_int_equal(nranks, 8);
	assert_int_equal(totum_launcher_find(NULL, NULL, NULL), TOTUM_OK);
}

static void test_unknown(void **state)
{
	(void)state;
	setenv("TOTUM_TIMEOTU", "30s", 1);
	assert_int_equal(totum_launcher_find(NULL, NULL, NULL), TOTUM_EINVAL);
	assert_non_null(strstr(totum_errmsg(), "TOTUM_TIMEOUT"));
	unsetenv("TOTUM_TIMEOTU");
	assert_int_equal(totum_launcher_find(NULL, NULL, NULL), TOTUM_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_table, clear),
		cmocka_unit_test_setup(test_defaults, clear),
		cmocka_unit_test_setup(test_wrong_values, clear),
		cmocka_unit_test_setup(test_launchers, clear),
		cmocka_unit_test_setup(test_unknown, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
