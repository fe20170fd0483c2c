/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads by arithmetic equal loads link by link: for the library's shift algorithms and for random
 * shifts, on every symmetric shape; and a million ranks take no longer than they should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/algorithm.h"
#include "proof/bound.h"
#include "proof/simulate.h"

static struct tt_shape shape_of(const char *spec)
{
	struct tt_shape shape;

	if (tt_shape_parse(spec, &shape))
		fail_msg("%s", totum_errmsg());
	return shape;
}

/* Both ways agree in everything; returns false when the arithmetic does not apply. */
static bool agree(const struct tt_schedule *schedule, const char *spec, const char *what)
{
	struct tt_shape shape = shape_of(spec);
	struct tt_topology *topology;
	bool applied = false;

	assert_int_equal(tt_topology_generate(&shape, &topology), TOTUM_OK);
	for (int mode = 0; mode < 4; mode++) {
		struct tt_simulate_options options = {
			.split = mode & 1, .overlap = mode & 2, .block_bytes = 12345};
		struct tt_simulation fast, slow;
		totum_status status = tt_simulate_symmetric(schedule, &shape, &options, &fast);

		if (status == TOTUM_EUNSUPPORTED)
			break;
		applied = true;
		assert_int_equal(status, TOTUM_OK);
		assert_int_equal(tt_simulate_load(schedule, topology, &options, &slow), TOTUM_OK);
		if (tt_fraction_compare(fast.volume, slow.volume) || fast.latency != slow.latency ||
		    fast.messages != slow.messages || fast.rounds != slow.rounds ||
		    fast.unit != slow.unit)
			fail_msg("%s on %s, mode %d: by symmetry W=%lld/%lld, %lld ps, %lld "
				 "messages; link by link "
				 "W=%lld/%lld, %lld ps, %lld messages",
				 what, spec, mode, (long long)fast.volume.over,
				 (long long)fast.volume.under, (long long)fast.latency,
				 (long long)fast.messages, (long long)slow.volume.over,
				 (long long)slow.volume.under, (long long)slow.latency,
				 (long long)slow.messages);
		assert_true(fast.seconds == slow.seconds);
	}
	tt_topology_free(topology);
	return applied;
}

static int64_t algorithms_on(const char *spec)
{
	int64_t n = shape_of(spec).nranks, applied = 0;
	static const enum tt_collective collectives[] = {TT_ALLGATHER, TT_REDUCE_SCATTER,
							 TT_ALLREDUCE};

	for (int a = 0; a < tt_nalgorithms; a++)
		for (int c = 0; c < 3; c++) {
			struct tt_schedule *schedule;
			const struct tt_algorithm_entry *entry = &tt_algorithms[a];

			if (entry->collective != TT_ALLGATHER ||
			    tt_algorithm_build(collectives[c], entry->name, n, 0, &schedule))
				continue;
			applied += agree(schedule, spec, entry->name);
			tt_schedule_free(schedule);
		}
	return applied;
}

static void algorithms_up_to_64_ranks(void **state)
{
	char spec[64];
	(void)state;

	for (int n = 1; n <= 64; n++) {
		snprintf(spec, sizeof spec, "ring:%d,hop=0.3us", n);
		assert_true(algorithms_on(spec) >= 3);
		snprintf(spec, sizeof spec, "full:%d,hop=0.3us", n);
		assert_true(algorithms_on(spec) >= 3);
	}
	for (int a = 2; a <= 6; a++)
		for (int b = 2; a * b <= 36; b++) {
			snprintf(spec, sizeof spec, "torus:%dx%d,hop=0.3us", a, b);
			assert_true(algorithms_on(spec) >= 3);
		}
	static const char *const others[] = {
		"torus:3x3x3", "torus:2x3x4",         "torus:4x2x4",
		"torus:5x1x3", "torus:4x4x4,hop=1us", "hypercube:1",
		"hypercube:4", "hypercube:6,hop=1us", "torus:2x2x2x2x3"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_true(algorithms_on(others[i]) >= 3);
}

static void larger_ones(void **state)
{
	static const char *const specs[] = {"ring:257",      "torus:16x16", "torus:7x8x9",
					    "hypercube:9",   "ring:1000",   "torus:32x32,hop=100ns",
					    "torus:10x10x10"};
	static const char *const names[] = {
		"ring", "bidirectional_ring", "bruck", "bruck,radix=4", "sparbit", "prefix"};
	(void)state;

	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
		for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
			struct tt_schedule *schedule;

			assert_int_equal(tt_algorithm_build(TT_ALLGATHER, names[j],
							    shape_of(specs[i]).nranks, 0,
							    &schedule),
					 TOTUM_OK);
			assert_true(agree(schedule, specs[i], names[j]));
			tt_schedule_free(schedule);
		}
}

static int draw(unsigned *seed, int below)
{
	return rand_r(seed) % below;
}

/* Any shifts at all, overlapping in time, of any pieces: more than algorithms do. */
static void random_shifts(void **state)
{
	static const char *const specs[] = {
		"ring:7",      "ring:12",       "full:9",      "torus:4x5",         "torus:6x6",
		"torus:3x4x5", "torus:2x4x2x3", "hypercube:5", "torus:8x4,hop=1us", "torus:1x6"};
	(void)state;

	for (unsigned i = 0; i < 1500; i++) {
		unsigned seed = i;
		const char *spec = specs[draw(&seed, sizeof specs / sizeof *specs)];
		int64_t n = shape_of(spec).nranks;
		struct tt_schedule *schedule;
		char what[32];

		assert_int_equal(tt_schedule_new(TT_ALLGATHER, n, 0, 1 + draw(&seed, 3), &schedule),
				 TOTUM_OK);
		tt_shift_repeat(schedule, 0, 6, 1, 0, 1, 1, 1); /* so that no round is empty */
		for (int r = draw(&seed, 8); r--;) {
			int64_t count = 1 + draw(&seed, (int)n);
			struct tt_record *record = tt_shift_repeat(
				schedule, draw(&seed, 4), 1 + draw(&seed, 3),
				1 + draw(&seed, (int)n - 1), draw(&seed, (int)n), 1, count, 1);

			record->piece = draw(&seed, schedule->pieces);
			record->npieces = 1 + draw(&seed, schedule->pieces - record->piece);
		}
		snprintf(what, sizeof what, "shifts of seed %u", i);
		if (tt_schedule_seal(schedule))
			fail_msg("%s: %s", what, totum_errmsg());
		assert_true(agree(schedule, spec, what));
		tt_schedule_free(schedule);
	}
}

/* What is too large for any graph; work rank by rank would not end in the test's time. */
static void a_million_ranks(void **state)
{
	static const struct {
		const char *algorithm, *spec;
		int64_t over, under;
	} cases[] = {
		{"ring", "ring:1000000", 999999, 1},
		{"bidirectional_ring", "ring:1000000", 999999, 2},
		{"ring", "torus:1000x1000", 999999, 1},
		{"ring", "torus:100x100x100", 999999, 1},
		{"bruck", "full:1000000", 999999, 1},
		{"ring", "full:1000000", 999999, 1},
		{"bruck", "ring:1048576", (INT64_C(1) << 40) / 3, 1},
		{"sparbit", "ring:1048576", 524288 * 20, 1},
		{"ring", "ring:2000000000", 1999999999, 1},
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tt_shape shape = shape_of(cases[i].spec);
		struct tt_schedule *schedule;
		struct tt_simulation got;
		struct tt_bound *bound;

		if (tt_algorithm_build(TT_ALLGATHER, cases[i].algorithm, shape.nranks, 0,
				       &schedule)) {
			if (shape.nranks >
			    2000000) /* algorithms may stop where simulation does not */
				continue;
			fail_msg("%s: %s", cases[i].algorithm, totum_errmsg());
		}
		if (tt_simulate_symmetric(schedule, &shape, NULL, &got))
			fail_msg("%s on %s: %s", cases[i].algorithm, cases[i].spec, totum_errmsg());
		if (tt_fraction_compare(got.volume, tt_fraction_of(cases[i].over, cases[i].under)))
			fail_msg("%s on %s: W = %lld/%lld", cases[i].algorithm, cases[i].spec,
				 (long long)got.volume.over, (long long)got.volume.under);
		assert_int_equal(tt_bound_shape(&shape, &bound), TOTUM_OK);
		assert_true(tt_fraction_compare(got.volume, bound->lambda_unit) >= 0);
		tt_bound_free(bound);
		tt_schedule_free(schedule);
	}
}

/* Range by range on a grid equals link by link, for every algorithm, with shards of any size. */
static void grids(const char *spec)
{
	struct tt_shape shape = shape_of(spec);
	struct tt_topology *topology;
	int64_t *weights = malloc((size_t)shape.nranks * sizeof *weights);

	assert_int_equal(tt_topology_generate(&shape, &topology), TOTUM_OK);
	for (int64_t b = 0; b < shape.nranks; b++)
		weights[b] = b * b % 5;
	for (int a = 0; a < tt_nalgorithms; a++)
		for (int mode = 0; mode < 8; mode++) {
			struct tt_simulate_options options = {.split = mode & 1,
							      .overlap = mode & 2,
							      .weights = mode & 4 ? weights : NULL};
			struct tt_schedule *schedule;
			struct tt_simulation fast, slow;

			if (tt_algorithms[a].collective != TT_ALLGATHER ||
			    tt_algorithm_build(TT_ALLGATHER, tt_algorithms[a].name, shape.nranks, 0,
					       &schedule))
				continue;
			assert_int_equal(tt_simulate_grid(schedule, &shape, &options, &fast),
					 TOTUM_OK);
			assert_int_equal(tt_simulate_load(schedule, topology, &options, &slow),
					 TOTUM_OK);
			if (tt_fraction_compare(fast.volume, slow.volume) ||
			    fast.latency != slow.latency || fast.messages != slow.messages ||
			    fast.unit != slow.unit)
				fail_msg("%s on %s, mode %d: by ranges W=%lld/%lld, %lld ps, %lld "
					 "messages; link by "
					 "link W=%lld/%lld, %lld ps, %lld messages",
					 tt_algorithms[a].name, spec, mode,
					 (long long)fast.volume.over, (long long)fast.volume.under,
					 (long long)fast.latency, (long long)fast.messages,
					 (long long)slow.volume.over, (long long)slow.volume.under,
					 (long long)slow.latency, (long long)slow.messages);
			tt_schedule_free(schedule);
		}
	free(weights);
	tt_topology_free(topology);
}

static void any_schedule_on_grids(void **state)
{
	static const char *const specs[] = {"ring:1",         "ring:2",
					    "ring:3",         "ring:8",
					    "ring:13",        "ring:32,hop=1us",
					    "line:8,hop=1us", "line:9",
					    "mesh:4x4",       "mesh:3x5,hop=0.1us",
					    "mesh:2x3x4",     "torus:4x4,hop=1us",
					    "torus:2x8",      "torus:3x4x2",
					    "hypercube:4",    "torus:6x6",
					    "torus:8x8",      "mesh:8x8"};
	(void)state;

	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
		grids(specs[i]);
}

/* Exchanges among many ranks: the closed forms of theory. */
static void exchanges_of_many_ranks(void **state)
{
	struct tt_shape ring = shape_of("ring:16384"), torus = shape_of("torus:128x128");
	struct tt_schedule *schedule;
	struct tt_simulation got;
	int64_t n = 16384, k = 128;
	(void)state;

	assert_int_equal(tt_algorithm_build(TT_ALLGATHER, "recursive_doubling", n, 0, &schedule),
			 TOTUM_OK);
	assert_int_equal(tt_simulate_grid(schedule, &ring, NULL, &got), TOTUM_OK);
	assert_int_equal(got.volume.over, (n * n - 1) / 3);
	assert_int_equal(tt_simulate_grid(schedule, &ring,
					  &(struct tt_simulate_options){.split = true}, &got),
			 0);
	assert_int_equal(got.volume.over, (n * n - 1) / 3 - n * n / 8);
	assert_int_equal(tt_simulate_grid(schedule, &torus, NULL, &got), TOTUM_OK);
	assert_int_equal(got.volume.over, (k + 1) * (k * k - 1) / 3);
	tt_schedule_free(schedule);
	assert_int_equal(tt_algorithm_build(TT_ALLGATHER, "distance_halving", n, 0, &schedule),
			 TOTUM_OK);
	assert_int_equal(tt_simulate_grid(schedule, &ring, NULL, &got), TOTUM_OK);
	assert_int_equal(got.volume.over, n / 2 * 14);
	tt_schedule_free(schedule);
}

static void refusals(void **state)
{
	struct tt_schedule *schedule;
	struct tt_shape ring = shape_of("ring:8"), line = shape_of("line:8"),
			nine = shape_of("ring:9");
	struct tt_simulation got;
	(void)state;

	assert_int_equal(tt_algorithm_build(TT_ALLGATHER, "ring", 8, 0, &schedule), TOTUM_OK);
	assert_int_equal(tt_simulate_symmetric(schedule, &line, NULL, &got), TOTUM_EUNSUPPORTED);
	assert_int_equal(tt_simulate_symmetric(schedule, &nine, NULL, &got), TOTUM_EINVAL);
	struct tt_simulate_options weighted = {.weights = (int64_t[]){1, 2, 3, 4, 5, 6, 7, 8}};
	assert_int_equal(tt_simulate_symmetric(schedule, &ring, &weighted, &got),
			 TOTUM_EUNSUPPORTED);
	tt_schedule_free(schedule);
	assert_int_equal(tt_algorithm_build(TT_ALLGATHER, "recursive_doubling", 8, 0, &schedule),
			 TOTUM_OK);
	assert_int_equal(tt_simulate_symmetric(schedule, &ring, NULL, &got), TOTUM_EUNSUPPORTED);
	struct tt_shape star = shape_of("star:8");
	assert_int_equal(tt_simulate_grid(schedule, &star, NULL, &got), TOTUM_EUNSUPPORTED);
	assert_int_equal(tt_simulate_grid(schedule, &nine, NULL, &got), TOTUM_EINVAL);
	tt_schedule_free(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(algorithms_up_to_64_ranks),
		cmocka_unit_test(larger_ones),
		cmocka_unit_test(random_shifts),
		cmocka_unit_test(a_million_ranks),
		cmocka_unit_test(any_schedule_on_grids),
		cmocka_unit_test(exchanges_of_many_ranks),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
