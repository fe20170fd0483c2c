/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loads of known algorithms on physical rings and tori as exact fractions, reference times to
 * nine digits, and the load model on switches, shared links, hops, ports and uneven shards.
 */
#include <math.h>
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

static struct tt_topology *open_or_fail(const char *spec)
{
	struct tt_topology *topology;

	if (tt_topology_open(spec, &topology))
		fail_msg("%s: %s", spec, totum_errmsg());
	return topology;
}

static struct tt_schedule *build(enum tt_collective collective, const char *algorithm,
				 int64_t nranks)
{
	struct tt_schedule *schedule;

	if (tt_algorithm_build(collective, algorithm, nranks, 0, &schedule))
		fail_msg("%s n=%lld: %s", algorithm, (long long)nranks, totum_errmsg());
	return schedule;
}

/* Swing's part `part` of `parts` on a k^dims torus, by following what every rank holds. */
static void add_swing(struct tt_schedule *schedule, int64_t k, int dims, int start, bool mirrored,
		      int32_t part, int32_t parts)
{
	int64_t n = schedule->nranks;
	int q = 0;
	char *have = calloc((size_t)(n * n), 1), *after = malloc((size_t)(n * n));

	for (int64_t r = 0; r < n; r++)
		have[r * n + r] = 1;
	while ((INT64_C(1) << q) < n)
		q++;
	for (int s = q - 1; s >= 0; s--) {
		int dim = (s + start) % dims, step = s / dims;
		int64_t rho = (1 - (step % 2 ? 1 : -1) * (INT64_C(2) << step)) / 3;
		int64_t below = dim == dims - 1 ? 1 : k;

		memcpy(after, have, (size_t)(n * n));
		for (int64_t r = 0; r < n; r++) {
			int64_t x = r / below % k, sign = (x % 2 ? -1 : 1) * (mirrored ? -1 : 1);
			int64_t to = r + ((x + sign * rho + 4 * k) % k - x) * below;

			for (int64_t b = 0; b < n; b++)
				if (have[r * n + b]) {
					struct tt_record *record =
						tt_move(schedule, q - 1 - s, r, to, b, 1);

					record->piece = part;
					record->npieces = schedule->pieces / parts;
					after[to * n + b] = 1;
				}
		}
		memcpy(have, after, (size_t)(n * n));
	}
	free(have);
	free(after);
}

/* With `parts` = 2 dims: every rotation of the dimensions, plain and mirrored; with 1: plain. */
static struct tt_schedule *swing(int64_t k, int dims, int parts)
{
	struct tt_schedule *schedule;
	int64_t n = dims == 1 ? k : k * k;

	assert_int_equal(tt_schedule_new(TT_ALLGATHER, n, 0, parts, &schedule), TOTUM_OK);
	for (int part = 0; part < parts; part++)
		add_swing(schedule, k, dims, part / 2, part % 2, part, parts);
	assert_int_equal(tt_schedule_seal(schedule), TOTUM_OK);
	return schedule;
}

/* W in blocks of the schedule on the topology; frees the schedule. */
static void expect(struct tt_schedule *schedule, const char *spec, bool split, int64_t over,
		   int64_t under)
{
	struct tt_topology *topology = open_or_fail(spec);
	struct tt_simulation got;

	if (tt_simulate_load(schedule, topology, &(struct tt_simulate_options){.split = split},
			     &got))
		fail_msg("%s on %s: %s", schedule->name, spec, totum_errmsg());
	if (tt_fraction_compare(got.volume, tt_fraction_of(over, under)))
		fail_msg("%s n=%lld on %s, %s: W = %lld/%lld, expected %lld/%lld", schedule->name,
			 (long long)schedule->nranks, spec, split ? "split" : "one way",
			 (long long)got.volume.over, (long long)got.volume.under, (long long)over,
			 (long long)under);
	assert_int_equal(got.rounds, schedule->rounds);
	tt_topology_free(topology);
	tt_schedule_free(schedule);
}

static void on_ring(const char *algorithm, int64_t n, bool split, int64_t over, int64_t under)
{
	char spec[32];

	snprintf(spec, sizeof spec, "ring:%lld", (long long)n);
	expect(build(TT_ALLGATHER, algorithm, n), spec, split, over, under);
}

static void loads_on_a_ring(void **state)
{
	static const struct {
		int64_t n, doubling, doubling_split, halving, halving_split, swing, both;
	} rows[] = {{4, 5, 3, 4, 3, 3, 0},
		    {8, 21, 13, 12, 10, 8, 9},
		    {16, 85, 53, 32, 28, 19, 23},
		    {32, 341, 213, 80, 72, 44, 57},
		    {64, 1365, 853, 192, 176, 99, 135}};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t n = rows[i].n;
		char spec[32];

		snprintf(spec, sizeof spec, "ring:%lld", (long long)n);
		on_ring("ring", n, false, n - 1, 1);
		on_ring("neighbor_exchange", n, false, n - 1, 1);
		on_ring("recursive_doubling", n, false, rows[i].doubling, 1);
		on_ring("recursive_doubling", n, true, rows[i].doubling_split, 1);
		on_ring("bruck", n, false, rows[i].doubling, 1);
		on_ring("bruck", n, true, rows[i].doubling_split, 1);
		on_ring("distance_halving", n, false, rows[i].halving, 1);
		on_ring("distance_halving", n, true, rows[i].halving_split, 1);
		on_ring("sparbit", n, false, rows[i].halving, 1);
		on_ring("sparbit", n, true, rows[i].halving_split, 1);
		on_ring("swing", n, false, rows[i].swing, 1);
		on_ring("bidirectional_ring", n, false, n - 1, 2);
		on_ring("bidirectional_ring", n, true, n - 1, 2);
		expect(swing(n, 1, 1), spec, false, rows[i].swing, 1);
		if (rows[i].both)
			expect(swing(n, 1, 2), spec, false, rows[i].both, 2);
		/* the closed forms */
		assert_int_equal(rows[i].doubling, (n * n - 1) / 3);
		assert_int_equal(rows[i].doubling_split, (n * n - 1) / 3 - n * n / 8);
	}
}

static void loads_on_a_torus(void **state)
{
	static const struct {
		int64_t k, doubling, doubling_split, halving, halving_split, swing;
	} rows[] = {{4, 25, 15, 20, 15, 15},
		    {8, 189, 117, 108, 90, 69},
		    {16, 1445, 901, 544, 476, 291}};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t k = rows[i].k, n = k * k;
		char spec[32];

		snprintf(spec, sizeof spec, "torus:%lldx%lld", (long long)k, (long long)k);
		expect(build(TT_ALLGATHER, "recursive_doubling", n), spec, false, rows[i].doubling,
		       1);
		expect(build(TT_ALLGATHER, "recursive_doubling", n), spec, true,
		       rows[i].doubling_split, 1);
		expect(build(TT_ALLGATHER, "distance_halving", n), spec, false, rows[i].halving, 1);
		expect(build(TT_ALLGATHER, "distance_halving", n), spec, true,
		       rows[i].halving_split, 1);
		expect(build(TT_ALLGATHER, "ring", n), spec, false, n - 1, 1);
		if (k < 16)
			expect(swing(k, 2, 4), spec, false, rows[i].swing, 4);
	}
	expect(build(TT_ALLGATHER, "recursive_doubling", 64), "hypercube:6", false, 63, 1);
}

static void time_is(struct tt_schedule *schedule, const char *spec, bool split, bool overlap,
		    double us)
{
	struct tt_topology *topology = open_or_fail(spec);
	struct tt_simulate_options options = {.split = split,
					      .overlap = overlap,
					      .block_bytes =
						      (double)(8 << 20) / (double)schedule->nranks};
	struct tt_simulation got;

	assert_int_equal(tt_simulate_load(schedule, topology, &options, &got), TOTUM_OK);
	if (fabs(got.seconds * 1e6 / us - 1) > 1e-12)
		fail_msg("%s on %s: %.7f us, expected %.7f", schedule->name, spec,
			 got.seconds * 1e6, us);
	tt_topology_free(topology);
	tt_schedule_free(schedule);
}

/* N=8, M=8 MiB, alpha=1us, beta=10GB/s: the defaults of a SPEC. */
static void reference_times(void **state)
{
	(void)state;
	time_is(build(TT_ALLGATHER, "ring", 8), "ring:8", false, false, 741.0032);
	time_is(build(TT_ALLGATHER, "bidirectional_ring", 8), "ring:8", false, false, 371.0016);
	time_is(build(TT_ALLGATHER, "bidirectional_ring,whole=1", 8), "ring:8", false, false,
		423.4304);
	time_is(build(TT_ALLGATHER, "recursive_doubling", 8), "full:8", false, false, 737.0032);
	time_is(build(TT_ALLGATHER, "bruck", 8), "star:8", false, false, 737.0032);
	time_is(build(TT_ALLGATHER, "recursive_doubling", 8), "ring:8", false, false, 2205.0096);
	time_is(build(TT_ALLGATHER, "recursive_doubling", 8), "ring:8", true, false, 1366.1488);
	time_is(build(TT_ALLGATHER, "distance_halving", 8), "ring:8", false, false, 1261.2912);
	time_is(build(TT_ALLGATHER, "distance_halving", 8), "ring:8", true, false, 1051.5760);
	time_is(build(TT_ALLGATHER, "swing", 8), "ring:8", false, false, 841.8608);
	time_is(swing(8, 1, 2), "ring:8", false, false, 474.8592);
	time_is(build(TT_ALLGATHER, "neighbor_exchange", 8), "ring:8", false, false, 738.0032);
	time_is(build(TT_ALLGATHER, "direct", 8), "full:8", false, false, 105.8576);
	time_is(build(TT_ALLGATHER, "direct", 8), "star:8", false, true, 735.0032);
	time_is(build(TT_ALLGATHER, "direct", 8), "star:8", false, false, 741.0032);
}

/* Hop times count once for the longest route, alphas for what leaves a rank over one link. */
static void latencies(void **state)
{
	static const struct {
		const char *algorithm, *spec;
		bool overlap;
		int64_t latency;
	} cases[] = {
		{"ring", "ring:8,hop=1us", false, 7 * 1000000},
		{"recursive_doubling", "ring:8,hop=1us", false, (1 + 2 + 4) * 1000000},
		{"direct", "ring:8,hop=1us", false, (4 + 3) * 1000000},
		{"direct", "ring:8,hop=1us", true, (1 + 3) * 1000000},
		{"direct", "star:8,hop=250ns", false, 7250000},
		{"ring", "2x4,alpha=1us,outside_alpha=10us", false, 7 * 10000000},
		{"recursive_doubling", "2x4,alpha=1us,outside_alpha=10us", false, 12000000},
		{"ring", "boxes:2x4,outside_alpha=5us", false, 7 * 5000000},
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tt_schedule *schedule = build(TT_ALLGATHER, cases[i].algorithm, 8);
		struct tt_topology *topology = open_or_fail(cases[i].spec);
		struct tt_simulate_options options = {.overlap = cases[i].overlap};
		struct tt_simulation got;

		assert_int_equal(tt_simulate_load(schedule, topology, &options, &got), TOTUM_OK);
		if (got.latency != cases[i].latency)
			fail_msg("%s on %s: latency %lld ps, expected %lld", cases[i].algorithm,
				 cases[i].spec, (long long)got.latency,
				 (long long)cases[i].latency);
		tt_topology_free(topology);
		tt_schedule_free(schedule);
	}
}

/* A 5/4 GB/s uplink of hosts of 4 carries four blocks each way; alike ranks inside never notice. */
static void shared_links(void **state)
{
	(void)state;
	expect(build(TT_ALLGATHER, "recursive_doubling", 8), "2x4,inside=10,outside=1.25", false,
	       1 + 2 + 4 * 4 * 8, 8);
	expect(build(TT_ALLGATHER, "distance_halving", 8), "2x4,inside=10,outside=1.25", false,
	       4 * 8 + 2 + 4, 8);
	expect(build(TT_ALLGATHER, "ring", 8), "2x4,inside=10,outside=1.25", false, 7 * 8, 8);
	/* inside a box messages take the wide way, though the core is as near */
	expect(build(TT_ALLGATHER, "recursive_doubling", 16), "boxes:2x8,inside=300,outside=25",
	       false, 7 + 8 * 12, 12);
	expect(build(TT_ALLGATHER, "recursive_doubling", 16), "boxes:2x8,inside=300,outside=25",
	       true, 7 + 8 * 12, 12);
}

struct seen {
	int64_t rounds, messages, latency;
	struct tt_fraction sum;
	double end;
};

static void see_round(void *context, const struct tt_round_load *load)
{
	struct seen *seen = context;

	assert_int_equal(load->round, seen->rounds);
	seen->rounds++;
	seen->latency += load->latency;
	seen->sum = tt_fraction_add(seen->sum, load->load);
	assert_true(load->busiest >= 0);
	assert_int_equal(
		tt_fraction_compare(tt_fraction_of(load->loads[load->busiest], load->scale),
				    load->load),
		0);
	assert_true(fabs(load->start - seen->end) <= 1e-12);
	seen->end = load->start + load->seconds;
}

static void see_message(void *context, const struct tt_message_span *span)
{
	struct seen *seen = context;

	seen->messages++;
	assert_true(span->start >= 0 && span->end > span->start &&
		    span->end <= seen->end * (1 + 1e-12));
}

static void observers_see_every_round_and_message(void **state)
{
	struct tt_schedule *schedule = build(TT_ALLGATHER, "recursive_doubling", 16);
	struct tt_topology *topology = open_or_fail("ring:16");
	(void)state;

	for (int split = 0; split < 2; split++) {
		struct seen seen = {.sum = {0, 1}};
		struct tt_simulate_options options = {.split = split,
						      .block_bytes = 1e6,
						      .round = see_round,
						      .message = see_message,
						      .context = &seen};
		struct tt_simulation got;

		assert_int_equal(tt_simulate_load(schedule, topology, &options, &got), TOTUM_OK);
		assert_int_equal(seen.rounds, 4);
		assert_int_equal(seen.messages, 64);
		assert_int_equal(got.messages, 64);
		assert_int_equal(seen.latency, got.latency);
		assert_int_equal(tt_fraction_compare(seen.sum, got.volume), 0);
		assert_true(fabs(seen.end / got.seconds - 1) < 1e-12);
	}
	tt_topology_free(topology);
	tt_schedule_free(schedule);
}

/* Uneven shards: a ring waits for the largest block in every round; weights of 1 change nothing. */
static void uneven_shards(void **state)
{
	struct tt_schedule *schedule = build(TT_ALLGATHER, "ring", 6);
	struct tt_topology *topology = open_or_fail("ring:6");
	struct tt_simulate_options options = {.weights = (int64_t[]){1, 1, 1, 1, 1, 1}};
	struct tt_simulation got;
	(void)state;

	assert_int_equal(tt_simulate_load(schedule, topology, &options, &got), TOTUM_OK);
	assert_int_equal(got.volume.over, 5);
	options.weights = (int64_t[]){0, 7, 2, 0, 0, 0};
	assert_int_equal(tt_simulate_load(schedule, topology, &options, &got), TOTUM_OK);
	assert_int_equal(got.volume.over, 35);
	assert_int_equal(got.messages, 10); /* what is empty is not sent */
	options.weights = (int64_t[]){0, 0, 0, 0, 0, 0};
	assert_int_equal(tt_simulate_load(schedule, topology, &options, &got), TOTUM_OK);
	assert_int_equal(got.volume.over, 0);
	assert_int_equal(got.messages, 0);
	assert_int_equal(got.latency, 0);
	options.weights = (int64_t[]){INT64_MAX, INT64_MAX, 1, 1, 1, 1};
	options.split = true;
	assert_int_equal(tt_simulate_load(schedule, topology, &options, &got), TOTUM_EUNSUPPORTED);
	tt_topology_free(topology);
	tt_schedule_free(schedule);
}

/* No simulated volume is below the bound, whatever the algorithm, collective and topology. */
static void nothing_beats_the_bound(void **state)
{
	static const char *const specs[] = {
		"ring:8", "line:8", "torus:2x4", "mesh:2x4",  "hypercube:3",
		"full:8", "star:8", "2x4",       "boxes:2x4", "fattree:2x4,taper=2",
		"dgx1"};
	static const enum tt_collective collectives[] = {TT_ALLGATHER, TT_REDUCE_SCATTER,
							 TT_ALLREDUCE};
	(void)state;

	for (int a = 0; a < tt_nalgorithms; a++)
		for (size_t c = 0; c < 3; c++)
			for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
				struct tt_schedule *schedule;
				struct tt_simulation got;
				struct tt_bound *bound;

				if (tt_algorithms[a].collective != TT_ALLGATHER ||
				    tt_algorithm_build(collectives[c], tt_algorithms[a].name, 8, 0,
						       &schedule))
					continue;
				struct tt_topology *topology = open_or_fail(specs[s]);
				if (tt_bound_collective(topology, collectives[c], 0, NULL, &bound))
					fail_msg("%s: %s", specs[s], totum_errmsg());
				assert_int_equal(tt_simulate_load(schedule, topology, NULL, &got),
						 TOTUM_OK);
				if (tt_fraction_valid(got.volume) &&
				    tt_fraction_compare(got.volume, bound->lambda_unit) < 0)
					fail_msg("%s %s on %s takes %lld/%lld blocks, bound "
						 "%lld/%lld",
						 tt_collective_name(collectives[c]), schedule->name,
						 specs[s], (long long)got.volume.over,
						 (long long)got.volume.under,
						 (long long)bound->lambda_unit.over,
						 (long long)bound->lambda_unit.under);
				tt_bound_free(bound);
				tt_topology_free(topology);
				tt_schedule_free(schedule);
			}
}

/* Capacities that share no factor: the time is still there when the exact sum is not. */
static void odd_capacities(void **state)
{
	struct tt_schedule *schedule = build(TT_ALLGATHER, "recursive_doubling", 8);
	struct tt_topology *topology = open_or_fail("fattree:2x4,taper=3");
	struct tt_simulate_options options = {.block_bytes = 1e9};
	struct tt_simulation got;
	(void)state;

	assert_int_equal(tt_simulate_load(schedule, topology, &options, &got), TOTUM_OK);
	assert_true(fabs(got.seconds - (3e-6 + 0.3 + 16 / 13.333333333)) < 1e-9);
	tt_topology_free(topology);
	tt_schedule_free(schedule);
}

static void refusals(void **state)
{
	struct tt_schedule *schedule = build(TT_ALLGATHER, "ring", 3);
	struct tt_topology *topology = open_or_fail("ring:4"), *cut;
	struct tt_simulation got;
	(void)state;

	assert_int_equal(tt_simulate_load(schedule, topology, NULL, &got), TOTUM_EINVAL);
	assert_non_null(strstr(totum_errmsg(), "3 ranks and topology ring-4 has 4"));
	static const char text[] = "topology cut\nrank a b c\nlink a b 1GB/s 1us\n";
	assert_int_equal(tt_topology_read(text, strlen(text), "cut", &cut), TOTUM_OK);
	assert_int_equal(tt_simulate_load(schedule, cut, NULL, &got), TOTUM_EINVAL);
	assert_non_null(strstr(totum_errmsg(), "no links lead from"));
	tt_topology_free(cut);
	tt_topology_free(topology);
	tt_schedule_free(schedule);
	schedule = build(TT_ALLGATHER, "ring", 1);
	topology = open_or_fail("ring:1");
	assert_int_equal(tt_simulate_load(schedule, topology, NULL, &got), TOTUM_OK);
	assert_int_equal(got.volume.over, 0);
	tt_topology_free(topology);
	tt_schedule_free(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_on_a_ring),
		cmocka_unit_test(loads_on_a_torus),
		cmocka_unit_test(reference_times),
		cmocka_unit_test(latencies),
		cmocka_unit_test(shared_links),
		cmocka_unit_test(observers_see_every_round_and_message),
		cmocka_unit_test(uneven_shards),
		cmocka_unit_test(nothing_beats_the_bound),
		cmocka_unit_test(odd_capacities),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
