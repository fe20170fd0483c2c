/* SPDX-License-Identifier: BSD-3-Clause */
/* What is made of a tuning file's facts: one line a class, rates of a host, a machine. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "planner/tuning_costs.h"

static struct tt_tuning *parsed(const char *text)
{
	struct tt_tuning *tuning = NULL;

	if (tt_tuning_read(text, strlen(text), "f", &tuning))
		fail_msg("%s", totum_errmsg());
	return tuning;
}

static void assert_near(double got, double wanted, double part)
{
	if (!(fabs(got - wanted) <= part * fabs(wanted)))
		fail_msg("%g is not within %g%% of %g", got, 100 * part, wanted);
}

static const char inside[] = "totum tuning 1\n"
			     "link inside exchange=1.50 ports=3 together=1.20\n"
			     "piece inside from=0 alpha=500ns beta=4GB/s\n"
			     "add cached=20GB/s memory=5GB/s\n"
			     "copy cached=18GB/s memory=4GB/s stream=8GB/s\nend\n";

static void test_built_in(void **state)
{
	struct tt_tuning *nothing = parsed("totum tuning 1\nend\n");
	struct tt_link_costs costs, same;

	(void)state;
	tt_tuning_costs(NULL, &costs);
	tt_tuning_costs(nothing, &same);
	assert_memory_equal(&costs, &same, sizeof costs);
	assert_true(costs.inside.alpha == 1e-6 && costs.inside.beta == 10e9);
	assert_true(costs.between.alpha > costs.inside.alpha);
	assert_true(costs.between.beta < costs.inside.beta);
	assert_true(costs.gamma > 0 && costs.copy > 0);
	assert_true(tt_tuning_message(NULL, TT_INSIDE, 0) == 1e-6);
	assert_true(tt_tuning_message(nothing, TT_BETWEEN, 1.25e9) > 1);
	tt_tuning_free(nothing);
}

static void test_one_piece(void **state)
{
	struct tt_tuning *tuning = parsed(inside);
	struct tt_link_costs costs;

	(void)state;
	tt_tuning_costs(tuning, &costs);
	assert_near(costs.inside.alpha, 500e-9, 1e-12);
	assert_near(costs.inside.beta, 4e9, 1e-12);
	assert_near(costs.inside.exchange, 1.5, 1e-12);
	assert_near(costs.inside.together, 1.2, 1e-12);
	assert_int_equal(costs.inside.ports, 3);
	assert_near(costs.gamma, 1 / 5e9, 1e-12);
	assert_near(costs.copy, 1 / 8e9, 1e-12);
	assert_true(costs.between.alpha == 20e-6); /* not known: built in */
	tt_tuning_costs_at(tuning, 64 << 10, 1024, &costs);
	assert_near(costs.gamma, 1 / 20e9, 1e-12);
	tt_tuning_costs_at(tuning, 64 << 20, 1024, &costs);
	assert_near(costs.gamma, 1 / 5e9, 1e-12);
	tt_tuning_free(tuning);
}

/* One line of two pieces lies between them, and is off by no more than they differ. */
static void test_pieces(void **state)
{
	struct tt_tuning *tuning = parsed("totum tuning 1\n"
					  "link between exchange=2.00 ports=1 together=1.00\n"
					  "piece between from=0 alpha=20us beta=800MB/s\n"
					  "piece between from=64K alpha=60us beta=1100MB/s\nend\n");
	struct tt_link_costs costs;

	(void)state;
	tt_tuning_costs(tuning, &costs);
	assert_true(costs.between.alpha > 19e-6 && costs.between.alpha < 30e-6);
	assert_true(costs.between.beta > 900e6 && costs.between.beta < 1200e6);
	assert_near(tt_tuning_message(tuning, TT_BETWEEN, 65535), 20e-6 + 65535 / 800e6, 1e-9);
	assert_near(tt_tuning_message(tuning, TT_BETWEEN, 65536), 60e-6 + 65536 / 1100e6, 1e-9);
	for (double bytes = 1; bytes <= 1 << 26; bytes *= 2)
		assert_near(costs.between.alpha + bytes / costs.between.beta,
			    tt_tuning_message(tuning, TT_BETWEEN, bytes), 0.30);
	tt_tuning_costs_at(tuning, 1 << 20, 65536, &costs);
	assert_near(costs.between.alpha, 60e-6, 1e-9);
	assert_near(costs.between.beta, 1100e6, 1e-9);
	tt_tuning_costs_at(tuning, 1 << 20, 65535, &costs);
	assert_near(costs.between.alpha, 20e-6, 1e-9);
	assert_true(costs.inside.alpha == 1e-6);
	assert_int_equal(tt_tuning_class(tuning), TT_BETWEEN);
	tt_tuning_free(tuning);
}

/* A link that is slow for large messages is not taken for a fast one. */
static void test_steep_knee(void **state)
{
	struct tt_tuning *tuning = parsed("totum tuning 1\n"
					  "link between exchange=2.00 ports=1 together=1.00\n"
					  "piece between from=0 alpha=13us beta=1370MB/s\n"
					  "piece between from=64K alpha=0 beta=24MB/s\nend\n");
	struct tt_link_costs costs;
	double sum = 0, worse = 0;

	(void)state;
	tt_tuning_costs(tuning, &costs);
	assert_true(costs.between.beta > 15e6 && costs.between.beta < 100e6);
	for (double bytes = 1; bytes <= 1 << 26; bytes *= 2) {
		double ratio = (costs.between.alpha + bytes / costs.between.beta) /
			       tt_tuning_message(tuning, TT_BETWEEN, bytes);
		double other = (1.02 * costs.between.alpha + bytes / (0.98 * costs.between.beta)) /
			       tt_tuning_message(tuning, TT_BETWEEN, bytes);

		sum += ratio + 1 / ratio;
		worse += other + 1 / other;
	}
	assert_true(sum < worse); /* it is the least, or near */
	tt_tuning_free(tuning);
}

static void test_falling_times(void **state)
{
	struct tt_tuning *tuning = parsed("totum tuning 1\n"
					  "link inside exchange=2.00 ports=1 together=1.00\n"
					  "piece inside from=0 alpha=1s beta=1000TB/s\n"
					  "piece inside from=1K alpha=0 beta=1000TB/s\nend\n");
	struct tt_link_costs costs;

	(void)state;
	tt_tuning_costs(tuning, &costs);
	assert_true(costs.inside.alpha >= 0);
	assert_true(isfinite(costs.inside.beta) && costs.inside.beta > 0);
	tt_tuning_free(tuning);
}

static void test_rates(void **state)
{
	const struct tt_link_cost link = {
		.alpha = 0, .beta = 8e9, .exchange = 1.5, .together = 2, .ports = 1};

	(void)state;
	assert_near(tt_link_rate(&link, 1), 6e9, 1e-12); /* both directions at once */
	assert_near(tt_link_rate(&link, 2), 6e9, 1e-12);
	assert_near(tt_link_rate(&link, 4), 4e9, 1e-12); /* what the host carries */
	assert_near(tt_link_rate(&link, 16), 1e9, 1e-12);
}

static void test_machine(void **state)
{
	struct tt_tuning *tuning = parsed(inside);
	struct tt_machine machine;

	(void)state;
	assert_int_equal(tt_tuning_class(NULL), TT_INSIDE);
	assert_int_equal(tt_tuning_class(tuning), TT_INSIDE);
	tt_tuning_machine(tuning, TT_INSIDE, &machine);
	assert_near(machine.alpha, 500e-9, 1e-12);
	assert_near(machine.beta, 3e9, 1e-12);
	assert_near(machine.gamma, 1 / 5e9, 1e-12);
	assert_int_equal(machine.links, 3);
	tt_tuning_machine(tuning, TT_BETWEEN, &machine);
	assert_near(machine.beta, 1.25e9, 1e-12);
	tt_tuning_free(tuning);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_built_in),   cmocka_unit_test(test_one_piece),
		cmocka_unit_test(test_pieces),     cmocka_unit_test(test_falling_times),
		cmocka_unit_test(test_steep_knee), cmocka_unit_test(test_rates),
		cmocka_unit_test(test_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
