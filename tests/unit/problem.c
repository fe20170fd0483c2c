/* SPDX-License-Identifier: BSD-3-Clause */
/* Problem strings: what they mean, the way back, and the sentence for each way to get one wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "planner/problem.h"

static struct tt_problem parsed(const char *text)
{
	struct tt_problem problem;

	if (tt_problem_parse(text, &problem))
		fail_msg("%s", totum_errmsg());
	return problem;
}

static void test_whole(void **state)
{
	struct tt_problem problem = parsed("allgather:n=8:bytes=64K:topo=2x4:algo=bruck,radix=3");

	(void)state;
	assert_int_equal(problem.collective, TT_ALLGATHER);
	assert_int_equal(problem.nranks, 8);
	assert_int_equal(problem.bytes, 65536);
	assert_string_equal(problem.topology, "2x4");
	assert_string_equal(problem.algorithm, "bruck,radix=3");
	assert_int_equal(problem.dtype, TOTUM_U8);
	assert_true(problem.alpha < 0 && problem.beta == 0 && problem.links == 0);
	problem = parsed(
		"reduce:links=2:beta=12.5GB/s:alpha=1.5us:root=4:op=max:dtype=f64:bytes=800:n=5");
	assert_int_equal(problem.collective, TT_REDUCE);
	assert_int_equal(problem.nranks, 5);
	assert_int_equal(problem.root, 4);
	assert_int_equal(problem.op, TOTUM_MAX);
	assert_int_equal(problem.dtype, TOTUM_F64);
	assert_true(problem.alpha == 1.5e-6 && problem.beta == 12.5e9 && problem.links == 2);
	assert_string_equal(problem.topology, "");
	assert_string_equal(problem.algorithm, "");
}

static void test_defaults(void **state)
{
	(void)state;
	assert_int_equal(parsed("allgather:n=1").bytes, 1 << 20);
	assert_int_equal(parsed("allreduce:n=3").dtype, TOTUM_F32);
	assert_int_equal(parsed("allreduce:n=3").op, TOTUM_SUM);
	assert_int_equal(parsed("alltoall:n=3:bytes=0").bytes, 0);
	assert_string_equal(parsed("allgather:n=3:algo=auto").algorithm, "");
	assert_int_equal(parsed("allgather:topo=ring:8").nranks, 0);
}

/* A topology's own text has colons, commas and equals signs. */
static void test_topologies(void **state)
{
	static const char *const topologies[] = {"2x4",
						 "ring:8",
						 "torus:2x2x2",
						 "fattree:4x4,host=2,uplink=4",
						 "boxes:2x8,inside=300,outside=25,alpha=1us",
						 "/tmp/a:b.topo"};
	char text[TT_PROBLEM_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
		snprintf(text, sizeof text, "allgather:topo=%s", topologies[i]);
		assert_string_equal(parsed(text).topology, topologies[i]);
		snprintf(text, sizeof text, "allgather:topo=%s:n=8:algo=ring", topologies[i]);
		assert_string_equal(parsed(text).topology, topologies[i]);
		assert_int_equal(parsed(text).nranks, 8);
	}
}

static void test_round_trip(void **state)
{
	/* The left text reads as the right one, which reads as itself. */
	static const char *const pairs[][2] = {
		{"allgather:n=8", "allgather:n=8:bytes=1M"},
		{"allgather:algo=auto:bytes=1048576:n=8", "allgather:n=8:bytes=1M"},
		{"allgather:bytes=1000003B:n=16777216", "allgather:n=16777216:bytes=1000003"},
		{"allreduce:op=sum:dtype=f32:n=2", "allreduce:n=2:bytes=1M"},
		{"reduce:op=lxor:dtype=bool:n=2:root=1",
		 "reduce:n=2:bytes=1M:dtype=bool:op=lxor:root=1"},
		{"scatter:root=0:n=2:topo=full:2", "scatter:n=2:bytes=1M:topo=full:2"},
		{"allgather:topo=ring:8:algo=bruck,radix=3",
		 "allgather:bytes=1M:topo=ring:8:algo=bruck,radix=3"},
		{"allgather:n=4:alpha=0:beta=80Gbit/s:links=4",
		 "allgather:n=4:bytes=1M:alpha=0s:beta=10.0GB/s:links=4"},
		{"allgather:n=4:alpha=1500ns", "allgather:n=4:bytes=1M:alpha=1.50us"},
	};
	static const char *const exact[] = {
		"allgather:n=4:alpha=0.1us:beta=0.3GB/s",
		"allgather:n=4:alpha=0.12345678901234567us:beta=1234567.8901234567KB/s",
		"allgather:n=4:alpha=1e-30s:beta=1e-3B/s",
		"allgather:n=4:alpha=7.7h:beta=1e300B/s",
		"allgather:n=4:alpha=3.3333333333333335ns:beta=33.333333333333336Tbit/s",
	};
	char text[TT_PROBLEM_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct tt_problem problem = parsed(pairs[i][0]);

		assert_string_equal(tt_problem_format(&problem, text), pairs[i][1]);
		problem = parsed(pairs[i][1]);
		assert_string_equal(tt_problem_format(&problem, text), pairs[i][1]);
	}
	for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
		struct tt_problem problem = parsed(exact[i]);
		struct tt_problem back = parsed(tt_problem_format(&problem, text));

		if (back.alpha != problem.alpha || back.beta != problem.beta)
			fail_msg("%s became %s", exact[i], text);
	}
}

static void test_longest(void **state)
{
	struct tt_problem problem =
		parsed("reduce:n=16777216:root=16777215:op=prod:dtype=i64:bytes=1T:links=1048576:"
		       "alpha=0.12345678901234567us:beta=1234567.8901234567KB/s");
	char text[TT_PROBLEM_TEXT];

	(void)state;
	memset(problem.topology, 't', sizeof problem.topology - 1);
	memset(problem.algorithm, 'a', sizeof problem.algorithm - 1);
	struct tt_problem back = parsed(tt_problem_format(&problem, text));

	assert_string_equal(back.topology, problem.topology);
	assert_int_equal(back.links, problem.links);
}

static void test_refused(void **state)
{
	/* The text, and what its sentence must say. */
	static const char *const wrong[][2] = {
		{"", "'' is no collective"},
		{":", "'' is no collective"},
		{"allgahter:n=8", "did you mean 'allgather'"},
		{"reduce-scatter:n=8", "did you mean 'reduce_scatter'"},
		{"allgather", "number of ranks is missing"},
		{"allgather:", "'' is no field"},
		{"allgather:n=8:", "'' is no field"},
		{"allgather::n=8", "is no field"},
		{"allgather:n", "'n' is no field"},
		{"allgather:n=", "field n has no value"},
		{"allgather:=8", "is no field"},
		{"allgather:n=0", "field n: '0' is out of range: 1 to"},
		{"allgather:n=-1", "field n: '-1'"},
		{"allgather:n=8x", "field n: '8x'"},
		{"allgather:n= 8", "field n: ' 8'"},
		{"allgather:n=8 ", "field n: '8 '"},
		{"allgather:n=16777217", "field n: "},
		{"allgather:n=8:n=8", "field n is given twice"},
		{"allgather:N=8", "did you mean"},
		{"allgather:n=8:byte=4", "did you mean 'bytes'"},
		{"allgather:n=8:byes=4", "did you mean 'bytes'"},
		{"allgather:n=8:algorithm=ring", "'algorithm=ring' is no field"},
		{"allgather:n=8:bytes=4Kx", "field bytes: '4Kx'"},
		{"allgather:n=8:bytes=18446744073709551616", "field bytes: "},
		{"allgather:n=8:dtype=f33", "field dtype: "},
		{"allgather:n=8:bytes=10:dtype=f32", "no whole number of f32"},
		{"allreduce:n=8:bytes=10", "no whole number of f32"},
		{"allgather:n=8:op=sum", "allgather does not reduce"},
		{"reduce:n=8:op=plus", "field op: "},
		{"allgather:n=8:root=0", "allgather has no root"},
		{"reduce:n=8:root=8", "root=8 is no rank of n=8: 0 to 7"},
		{"reduce:root=8:n=8", "root=8 is no rank of n=8: 0 to 7"},
		{"reduce:n=8:root=-1", "field root: "},
		{"allgather:n=8:alpha=1", "field alpha: '1'"},
		{"allgather:n=8:alpha=-1us", "field alpha: "},
		{"allgather:n=8:alpha=nan", "field alpha: "},
		{"allgather:n=8:beta=0B/s", "field beta: '0B/s' moves no bytes"},
		{"allgather:n=8:beta=1e400B/s", "field beta: "},
		{"allgather:n=8:links=0", "field links: "},
		{"allgather:n=8:topo=", "field topo has no value"},
		{"allgather:topo=2a:2::n=6", "has an empty part"},
		{"allgather:topo=:ring:8:n=8", "has an empty part"},
		{"allgather:topo=ring:8:bogus=1", "'bogus=1' is no field"},
		{"allgather:n=8:algo=ring:8", "'8' is no field"},
		{"allgather n=8", "is no collective"},
	};
	struct tt_problem problem = {.nranks = 77};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		if (tt_problem_parse(wrong[i][0], &problem) != TOTUM_EPARSE)
			fail_msg("'%s' was accepted", wrong[i][0]);
		if (!strstr(totum_errmsg(), wrong[i][1]))
			fail_msg("'%s' gave: %s", wrong[i][0], totum_errmsg());
		if (strncmp(totum_errmsg(), "problem '", 9))
			fail_msg("'%s' is not named: %s", wrong[i][0], totum_errmsg());
	}
	assert_int_equal(problem.nranks, 77);
}

static void test_endless(void **state)
{
	static const char *const heads[] = {
		"", "allgather:", "allgather:n=", "allgather:n=8:topo=", "allgather:n=8:algo="};
	struct tt_problem problem;
	char text[3000];

	(void)state;
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		memset(text, '9', sizeof text - 1);
		memcpy(text, heads[i], strlen(heads[i]));
		text[sizeof text - 1] = '\0';
		assert_int_equal(tt_problem_parse(text, &problem), TOTUM_EPARSE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),      cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_topologies), cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_longest),    cmocka_unit_test(test_refused),
		cmocka_unit_test(test_endless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
