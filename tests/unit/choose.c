/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The choice for ranks on hosts: always one that can be built, the same for equal arguments, few
 * messages for few bytes, and each byte into a host once for many; and never much slower than
 * others when it is simulated.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "planner/choose.h"
#include "planner/predict.h"
#include "proof/simulate.h"
#include "unit/random_placement.h"

static const uint64_t sizes[] = {0, 1, 64, 4096, 1 << 16, 1 << 20, 1 << 26, UINT64_C(1) << 40};

static struct tt_link_costs costs_of(double inside, double between)
{
	struct tt_link_costs costs;

	tt_tuning_costs(NULL, &costs);
	costs.inside.alpha = inside;
	costs.between.alpha = between;
	return costs;
}

static struct tt_choice chosen(enum tt_collective collective, const struct tt_placement *placement,
			       int64_t root, uint64_t bytes, const struct tt_link_costs *costs)
{
	struct tt_choice choice;

	assert_int_equal(tt_choose(collective, placement, root, bytes, costs, &choice), TOTUM_OK);
	return choice;
}

/* What is chosen can be built, under the very name; its price is finite, and grows with M. */
static void check_choices(const struct tt_placement *placement, int64_t root,
			  const struct tt_link_costs *costs)
{
	char text[1024];

	tt_placement_write(placement, text, sizeof text);
	for (int c = 0; c < TT_COLLECTIVES; c++) {
		enum tt_collective collective = (enum tt_collective)c;
		double before = 0;

		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			struct tt_choice choice =
				chosen(collective, placement, root, sizes[i], costs);
			struct tt_choice again =
				chosen(collective, placement, root, sizes[i], costs);
			struct tt_schedule *schedule;

			assert_string_equal(choice.algorithm, again.algorithm);
			assert_true(choice.seconds == again.seconds);
			if (!isfinite(choice.seconds) || choice.seconds < before)
				fail_msg("%s of %llu bytes on %s: %g s, after %g s for fewer",
					 tt_collective_name(collective),
					 (unsigned long long)sizes[i], text, choice.seconds,
					 before);
			before = choice.seconds;
			if (tt_algorithm_build_placed(collective, choice.algorithm,
						      placement->nranks, (int)root, placement,
						      &schedule))
				fail_msg("%s of %llu bytes on %s: %s",
					 tt_collective_name(collective),
					 (unsigned long long)sizes[i], text, totum_errmsg());
			if (strcmp(schedule->name, choice.algorithm))
				fail_msg("%s is written %s", schedule->name, choice.algorithm);
			tt_schedule_free(schedule);
		}
	}
}

static void any_placement(void **state)
{
	static const double alphas[][2] = {{1e-6, 20e-6}, {1e-6, 1e-6}, {5e-6, 1e-7}, {0, 0}};

	(void)state;
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct random_placement random = random_placement(seed, 6, 5);
		struct tt_link_costs costs = costs_of(alphas[seed % 4][0], alphas[seed % 4][1]);
		struct tt_placement placement;

		costs.inside.ports = 1 + (int64_t)(seed % 3);
		costs.between.ports = 1 + (int64_t)(seed % 5);
		costs.between.exchange = seed % 2 ? 1 : 2;
		costs.gamma = seed % 7 ? costs.gamma : 0;
		assert_int_equal(tt_placement_make(random.nranks, random.host_of, &placement),
				 TOTUM_OK);
		check_choices(&placement, (int64_t)(seed * 5) % random.nranks, &costs);
		tt_placement_free(&placement);
	}
}

static bool starts(const struct tt_choice *choice, const char *name)
{
	return !strncmp(choice->algorithm, name, strlen(name));
}

/* Hosts of several ranks, much data: over the hosts, for any way the ranks lie. */
static void many_bytes(void **state)
{
	static const char *const texts[] = {"2x4",   "4x4", "0,1,0,1,0,1,0,1",
					    "3+5+2", "8x2", "0,0,1,2,1,2,0,1,2"};
	static const enum tt_collective collectives[] = {TT_ALLGATHER, TT_REDUCE_SCATTER,
							 TT_ALLREDUCE, TT_BROADCAST, TT_REDUCE};
	struct tt_link_costs costs = costs_of(1e-6, 20e-6);

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (size_t c = 0; c < sizeof collectives / sizeof *collectives; c++) {
			struct tt_placement placement;

			assert_int_equal(tt_placement_parse(texts[i], &placement), TOTUM_OK);
			struct tt_choice choice =
				chosen(collectives[c], &placement, 0, 256 << 20, &costs);

			if (!starts(&choice, "hierarchical"))
				fail_msg("%s on %s goes by %s", tt_collective_name(collectives[c]),
					 texts[i], choice.algorithm);
			tt_placement_free(&placement);
		}
}

/*
 * 2 hosts of 4 ranks, 8 MiB, 1.25 GB/s out of a host at once: 4 MiB enter each host, in parts;
 * what remains is the first or last part inside.
 */
static void near_the_wire(void **state)
{
	struct tt_link_costs costs = costs_of(1e-6, 20e-6);
	struct tt_placement placement = tt_placement_packed(8, 2);
	struct tt_choice choice = chosen(TT_ALLGATHER, &placement, 0, 64 << 20, &costs);
	double wire = (32 << 20) / (costs.between.beta * costs.between.together);

	(void)state;
	assert_true(costs.between.together <= 4);
	if (choice.seconds < wire || choice.seconds > 1.15 * wire)
		fail_msg("%s takes %g s, and the wire %g s", choice.algorithm, choice.seconds,
			 wire);
}

/* Few bytes: as few rounds between hosts as there can be. */
static void few_bytes(void **state)
{
	struct tt_link_costs costs = costs_of(1e-6, 20e-6);
	struct tt_placement placement = tt_placement_packed(64, 8);
	struct tt_choice choice = chosen(TT_ALLGATHER, &placement, 0, 512, &costs);

	(void)state;
	assert_true(choice.seconds < 4 * 20e-6);
	choice = chosen(TT_BROADCAST, &placement, 5, 8, &costs);
	assert_true(choice.seconds < 4 * 20e-6);
	choice = chosen(TT_GATHER, &placement, 5, 512, &costs);
	assert_string_equal(choice.algorithm, "hierarchical");
	choice = chosen(TT_GATHER, &placement, 5, 1 << 30, &costs);
	assert_string_equal(choice.algorithm, "direct");
}

/*
 * Where every message is dear a gather goes up a tree: on 2 hosts of 8 ranks three rounds inside,
 * then 8 blocks from one rank to the root.
 */
static void up_a_tree(void **state)
{
	struct tt_link_costs costs = costs_of(20e-6, 20e-6);
	struct tt_placement placement = tt_placement_packed(16, 2);
	struct tt_choice choice = chosen(TT_GATHER, &placement, 0, 64 << 10, &costs);
	double least = 4 * 20e-6 + (32 << 10) / costs.between.beta;

	(void)state;
	assert_string_equal(choice.algorithm, "binomial");
	if (choice.seconds < least || choice.seconds > least + 10e-6)
		fail_msg("%g s instead of a little more than %g s", choice.seconds, least);
}

/* One rank a host or one host: what is flat stays flat where nothing is gained. */
static void nothing_to_nest(void **state)
{
	struct tt_link_costs costs = costs_of(1e-6, 20e-6);
	struct tt_placement spread = tt_placement_packed(8, 8), alone = tt_placement_packed(1, 1);
	struct tt_choice choice = chosen(TT_ALLGATHER, &spread, 0, 64 << 20, &costs);

	(void)state;
	assert_false(starts(&choice, "hierarchical"));
	for (int c = 0; c < TT_COLLECTIVES; c++) {
		choice = chosen((enum tt_collective)c, &alone, 0, 1 << 20, &costs);
		if (choice.seconds > 2e-3)
			fail_msg("%s of one rank takes %g s by %s",
				 tt_collective_name((enum tt_collective)c), choice.seconds,
				 choice.algorithm);
	}
}

/* An all-gather backwards takes as long, and both together twice as long, where adding is free. */
static void halves(void **state)
{
	struct tt_link_costs costs = costs_of(1e-6, 20e-6);

	(void)state;
	costs.gamma = 0;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct random_placement random = random_placement(seed, 6, 5);
		struct tt_placement placement;

		assert_int_equal(tt_placement_make(random.nranks, random.host_of, &placement),
				 TOTUM_OK);
		for (size_t i = 3; i < sizeof sizes / sizeof *sizes; i++) {
			struct tt_choice one =
				chosen(TT_ALLGATHER, &placement, 0, sizes[i], &costs);
			struct tt_choice back =
				chosen(TT_REDUCE_SCATTER, &placement, 0, sizes[i], &costs);
			struct tt_choice both =
				chosen(TT_ALLREDUCE, &placement, 0, sizes[i], &costs);

			assert_string_equal(one.algorithm, back.algorithm);
			assert_true(one.seconds == back.seconds);
			if (strcmp(both.algorithm, "binomial") &&
			    (strcmp(both.algorithm, one.algorithm) ||
			     both.seconds != 2 * one.seconds))
				fail_msg("seed %llu, %llu bytes: %s takes %g s, and both ways %s "
					 "%g",
					 (unsigned long long)seed, (unsigned long long)sizes[i],
					 one.algorithm, one.seconds, both.algorithm, both.seconds);
		}
		tt_placement_free(&placement);
	}
}

static double simulated(enum tt_collective collective, const char *algorithm,
			const struct tt_placement *placement, uint64_t bytes,
			const struct tt_topology *topology)
{
	struct tt_simulate_options options = {.block_bytes =
						      (double)bytes / (double)placement->nranks};
	struct tt_simulation simulation;
	struct tt_schedule *schedule;

	if (tt_algorithm_build_placed(collective, algorithm, placement->nranks, 0, placement,
				      &schedule))
		return INFINITY;
	assert_int_equal(tt_simulate_ready(schedule, topology, &options, &simulation), TOTUM_OK);
	tt_schedule_free(schedule);
	return simulation.seconds;
}

/* All algorithms with their defaults, and the hierarchical ones with some values. */
static double fastest(enum tt_collective collective, const struct tt_placement *placement,
		      uint64_t bytes, const struct tt_topology *topology, const char **name)
{
	static const char *const more[] = {"hierarchical,outer=1", "hierarchical,outer=2",
					   "hierarchical,parts=8", "hierarchical,one=1",
					   "hierarchical,tree=1,parts=16"};
	double best = INFINITY;

	for (int i = 0; i < tt_nalgorithms + 5; i++) {
		const char *tried =
			i < tt_nalgorithms ? tt_algorithms[i].name : more[i - tt_nalgorithms];
		double seconds = simulated(collective, tried, placement, bytes, topology);

		*name = seconds < best ? tried : *name;
		best = seconds < best ? seconds : best;
	}
	return best;
}

static void little_regret(void **state)
{
	static const char *const texts[] = {"2x4", "0,1,0,1,0,1,0,1", "3+5+2", "4x1", "5x3"};
	struct tt_link_costs costs = costs_of(1e-6, 20e-6);
	double sum = 0;
	int count = 0;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct tt_placement placement;
		struct tt_topology *topology;

		assert_int_equal(tt_placement_parse(texts[i], &placement), TOTUM_OK);
		assert_int_equal(tt_predict_topology(&placement, &costs, &topology), TOTUM_OK);
		for (int c = 0; c < TT_COLLECTIVES; c++)
			for (uint64_t bytes = 64; bytes <= 64 << 20; bytes *= 32) {
				enum tt_collective collective = (enum tt_collective)c;
				const char *name = "";
				struct tt_choice choice =
					chosen(collective, &placement, 0, bytes, &costs);
				double best =
					fastest(collective, &placement, bytes, topology, &name);
				double own = simulated(collective, choice.algorithm, &placement,
						       bytes, topology);

				if (own > 2 * best)
					fail_msg("%s of %llu bytes on %s: %s takes %g s, and %s %g",
						 tt_collective_name(collective),
						 (unsigned long long)bytes, texts[i],
						 choice.algorithm, own, name, best);
				sum += own / best;
				count++;
			}
		tt_topology_free(topology);
		tt_placement_free(&placement);
	}
	if (sum > 1.1 * count)
		fail_msg("choices take %g times as long as the best on average", sum / count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_placement), cmocka_unit_test(many_bytes),
		cmocka_unit_test(near_the_wire), cmocka_unit_test(few_bytes),
		cmocka_unit_test(up_a_tree),     cmocka_unit_test(nothing_to_nest),
		cmocka_unit_test(halves),        cmocka_unit_test(little_regret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
