/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions against sums by hand, on one host and on several, packed and scattered. */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "totum_tuning.h"

/* Inside: 8 GB/s a rank while it also receives, 20 GB/s a host.  Between: 1 GB/s, also a host's. */
static const char facts[] = "totum tuning 1\n"
			    "link inside exchange=1.60 ports=1 together=2.00\n"
			    "piece inside from=0 alpha=1us beta=10GB/s\n"
			    "link between exchange=2.00 ports=1 together=1.00\n"
			    "piece between from=0 alpha=20us beta=1GB/s\n"
			    "add cached=8GB/s memory=4GB/s\nend\n";

static totum_tuning *tuning;

static int open_facts(void **state)
{
	char name[] = "/tmp/totum-predict-XXXXXX";
	int fd = mkstemp(name);

	(void)state;
	if (fd < 0)
		return -1;
	bool written = write(fd, facts, sizeof facts - 1) == (ssize_t)(sizeof facts - 1);

	close(fd);
	totum_status status = written ? totum_tuning_open(name, &tuning) : TOTUM_ESYSTEM;

	unlink(name);
	return status;
}

static int close_facts(void **state)
{
	(void)state;
	totum_tuning_free(tuning);
	return 0;
}

static void assert_takes(const char *problem, const int *hosts, double seconds)
{
	totum_prediction prediction;

	if (totum_predict(problem, hosts, tuning, &prediction))
		fail_msg("%s: %s", problem, totum_errmsg());
	if (!(fabs(prediction.seconds - seconds) <= 1e-6 * seconds))
		fail_msg("%s: %g seconds, by hand %g", problem, prediction.seconds, seconds);
	if (!(prediction.bound > 0 && prediction.bound <= prediction.seconds * (1 + 1e-9)))
		fail_msg("%s: %g seconds, bound %g", problem, prediction.seconds, prediction.bound);
}

static void test_one_host(void **state)
{
	static const int zeros[8];

	(void)state;
	assert_takes("allgather:n=2:bytes=8M:algo=ring", NULL, 1e-6 + 4194304 / 8e9);
	assert_takes("allgather:n=4:bytes=8M:algo=ring", NULL, 3 * (1e-6 + 2097152 / 5e9));
	assert_takes("allgather:n=4:bytes=8M:algo=ring", zeros, 3 * (1e-6 + 2097152 / 5e9));
	assert_takes("allgather:n=8:bytes=8M:algo=recursive_doubling", NULL,
		     3e-6 + 7 * 1048576 / 2.5e9);
	assert_takes("reduce_scatter:n=4:bytes=8M:algo=ring", NULL,
		     3 * (1e-6 + 2097152 * (1 / 5e9 + 1 / 4e9)));
}

static void test_two_hosts(void **state)
{
	static const int apart[] = {0, 1}, packed[] = {0, 0, 1, 1}, scattered[] = {0, 1, 0, 1};
	static const int uneven[] = {7, 7, 7, -3};

	(void)state;
	assert_takes("allgather:n=2:bytes=8M:algo=ring", apart, 20e-6 + 4194304 / 1e9);
	/* in each round one rank of a host sends to the other host */
	assert_takes("allgather:n=4:bytes=8M:algo=ring", packed, 3 * (20e-6 + 2097152 / 1e9));
	assert_takes("allgather:n=4:bytes=8M:algo=ring", uneven, 3 * (20e-6 + 2097152 / 1e9));
	/* every block crosses once, while others are handed on inside */
	assert_takes("allgather:n=4:bytes=8M:algo=hierarchical", scattered,
		     20e-6 + 2097152 / 5e8 + 1e-6 + 2097152 / 8e9);
	/* both do, and share the card */
	assert_takes("allgather:n=4:bytes=8M:algo=ring", scattered, 3 * (20e-6 + 2097152 / 5e8));
	/* the first round stays inside, in the second both send two blocks */
	assert_takes("allgather:n=4:bytes=8M:algo=recursive_doubling", packed,
		     1e-6 + 2097152 / 8e9 + 20e-6 + 2 * 2097152 / 5e8);
}

static void test_choice(void **state)
{
	totum_prediction small, large, ring;

	(void)state;
	assert_int_equal(totum_predict("allgather:n=8:bytes=64", NULL, tuning, &small), TOTUM_OK);
	assert_int_equal(totum_predict("allgather:n=8:bytes=64M", NULL, tuning, &large), TOTUM_OK);
	assert_int_equal(totum_predict("allgather:n=8:bytes=64:algo=ring", NULL, tuning, &ring),
			 TOTUM_OK);
	assert_true(small.algorithm[0] && large.algorithm[0]);
	assert_string_equal(ring.algorithm, "ring");
	assert_true(small.seconds < ring.seconds);
	assert_true(small.bound == ring.bound || small.bound <= small.seconds);
}

static void test_built_in_and_alone(void **state)
{
	totum_prediction prediction = {.seconds = -1};

	(void)state;
	assert_int_equal(
		totum_predict("allgather:n=2:bytes=2000:algo=ring", NULL, NULL, &prediction),
		TOTUM_OK);
	assert_true(fabs(prediction.seconds - (1e-6 + 1000 / 10e9)) < 1e-12);
	assert_int_equal(totum_predict("allgather:n=1:bytes=2000", NULL, NULL, &prediction),
			 TOTUM_OK);
	assert_true(prediction.seconds == 0 && prediction.bound == 0);
}

/* Times of messages that go both ways at once are what a round takes. */
static void test_both_ways(void **state)
{
	static const int apart[] = {0, 1};
	totum_tuning *measured;
	totum_prediction prediction;
	double bytes[100], seconds[100];

	(void)state;
	/* small ones are disturbed now and then: that counts for little where others agree */
	for (int i = 0; i < 100; i++) {
		bytes[i] = (double)(2 << i / 5);
		seconds[i] = 10e-6 + bytes[i] / 0.75e9;
		if (i < 50 && i / 5 % 2)
			seconds[i] *= i % 5 ? 3 + i % 5 : 1;
	}
	const totum_link_samples samples = {.between = 1,
					    .both_ways = 1,
					    .n = 100,
					    .bytes = bytes,
					    .seconds = seconds,
					    .exchange = 1.5,
					    .together = 1,
					    .ports = 1};

	assert_int_equal(totum_tuning_open(NULL, &measured), TOTUM_OK);
	assert_int_equal(totum_tuning_link(measured, &samples), TOTUM_OK);
	assert_int_equal(
		totum_predict("allgather:n=2:bytes=2M:algo=ring", apart, measured, &prediction),
		TOTUM_OK);
	assert_true(fabs(prediction.seconds / (10e-6 + 1048576 / 0.75e9) - 1) < 0.01);
	totum_tuning_free(measured);
}

/* The tuning as a file, in memory that the caller frees. */
static char *written(const totum_tuning *decided)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	assert_int_equal(totum_tuning_write(decided, out), TOTUM_OK);
	fclose(out);
	return text;
}

/* A decision goes before prices, on so many ranks of so many hosts, up to its last byte. */
static void test_decisions(void **state)
{
	static const int apart[] = {0, 0, 1, 1};
	totum_use use = {.collective = "allgather",
			 .algorithm = "bruck,radix=3",
			 .nranks = 4,
			 .nhosts = 2,
			 .low = 1,
			 .high = 65536,
			 .note = "seen\nend"};
	totum_tuning *decided;
	totum_prediction small, large, one;

	(void)state;
	assert_int_equal(totum_tuning_open(NULL, &decided), TOTUM_OK);
	assert_int_equal(totum_tuning_merge(decided, tuning), TOTUM_OK);
	assert_int_equal(totum_tuning_use(decided, &use), TOTUM_OK);
	assert_int_equal(totum_predict("allgather:n=4:bytes=64K", apart, decided, &small),
			 TOTUM_OK);
	assert_string_equal(small.algorithm, "bruck,radix=3");
	assert_int_equal(totum_predict("allgather:n=4:bytes=65540", apart, decided, &large),
			 TOTUM_OK);
	assert_string_not_equal(large.algorithm, "bruck,radix=3");
	assert_int_equal(totum_predict("allgather:n=4:bytes=64K", NULL, decided, &one), TOTUM_OK);
	assert_string_not_equal(one.algorithm, "bruck,radix=3");
	assert_int_equal(totum_tuning_use(decided, &use), TOTUM_EINVAL); /* it is there */
	use.low = use.high + 1;
	assert_int_equal(totum_tuning_use(decided, &use), TOTUM_EINVAL); /* an empty range */
	use.high = use.low;
	use.algorithm = "brick";
	assert_int_equal(totum_tuning_use(decided, &use), TOTUM_EINVAL);
	char *text = written(decided);

	assert_non_null(strstr(text, "\n# seen end\nuse allgather n=4 hosts=2 bytes=1:64K "
				     "algo=bruck,radix=3\nend\n"));
	free(text);
	totum_tuning_free(decided);
}

static void refused(const char *problem, totum_status status, const char *part)
{
	totum_prediction prediction;

	assert_int_equal(totum_predict(problem, NULL, tuning, &prediction), status);
	if (!strstr(totum_errmsg(), part))
		fail_msg("'%s' does not say '%s'", totum_errmsg(), part);
}

static void test_refused(void **state)
{
	(void)state;
	refused("allgather:n=6:algo=recursive_doubling", TOTUM_EUNSUPPORTED, "power of two");
	refused("allgather:n=6:algo=rign", TOTUM_EINVAL, "ring");
	refused("allgather:topo=ring:8", TOTUM_EINVAL, "leave them out");
	refused("allgather:n=2:alpha=1us", TOTUM_EINVAL, "leave them out");
	refused("allgather", TOTUM_EPARSE, "n");
	refused(NULL, TOTUM_EINVAL, "NULL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_host),  cmocka_unit_test(test_two_hosts),
		cmocka_unit_test(test_choice),    cmocka_unit_test(test_built_in_and_alone),
		cmocka_unit_test(test_decisions), cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, open_facts, close_facts);
}
