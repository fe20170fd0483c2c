/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fair shares of known cases; flows against loads where theory says they are equal; and messages
 * without barriers, which keep causality and are never later than with them where all are alike.
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
#include "proof/simulate_share.h"

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

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) / 2;
}

static void fair_shares(void **state)
{
	/* A over links 0 and 1, B over 0, C over 1; D and E over 2; F over nothing */
	static const int32_t links[] = {0, 1, 0, 1, 2, 2}, hops[] = {2, 1, 1, 1, 1, 0},
			     active[] = {0, 1, 2, 3, 4, 5};
	static const int64_t first[] = {0, 2, 3, 4, 5, 6};
	static const double capacity[] = {1, 2, 7, 100};
	double rate[6];
	struct tt_share share;
	(void)state;

	assert_int_equal(tt_share_new(&share, 4, capacity), TOTUM_OK);
	share.links = links;
	share.first = first;
	share.hops = hops;
	assert_int_equal(tt_share_fairly(&share, active, 6, rate), TOTUM_OK);
	assert_true(near(rate[0], 0.5) && near(rate[1], 0.5) && near(rate[2], 1.5));
	assert_true(near(rate[3], 3.5) && near(rate[4], 3.5) && isinf(rate[5]));
	/* without B, link 0 gives A all of 1, and link 1 is shared evenly */
	assert_int_equal(tt_share_fairly(&share, (int32_t[]){0, 2}, 2, rate), TOTUM_OK);
	assert_true(near(rate[0], 1) && near(rate[2], 1));
	assert_int_equal(tt_share_fairly(&share, active, 0, rate), TOTUM_OK);
	tt_share_free(&share);
}

static int draw(unsigned *seed, int below)
{
	return rand_r(seed) % below;
}

/* No link is given beyond its capacity, and a full link holds a flow back where none has more. */
static void random_shares_are_max_min_fair(void **state)
{
	enum { LINKS = 12, FLOWS = 20, HOPS = 4 };
	(void)state;

	for (unsigned i = 0; i < 2000; i++) {
		unsigned seed = i;
		int32_t links[FLOWS * HOPS], hops[FLOWS], active[FLOWS];
		int64_t first[FLOWS];
		double capacity[LINKS], rate[FLOWS], load[LINKS] = {0};
		int nflows = 1 + draw(&seed, FLOWS);
		struct tt_share share;

		for (int l = 0; l < LINKS; l++)
			capacity[l] = 1 + draw(&seed, 5);
		for (int f = 0; f < nflows; f++) {
			active[f] = f;
			first[f] = f * HOPS;
			hops[f] = 1 + draw(&seed, HOPS);
			int start = draw(&seed, LINKS);

			for (int h = 0; h < hops[f]; h++)
				links[f * HOPS + h] = (start + 5 * h) % LINKS;
		}
		assert_int_equal(tt_share_new(&share, LINKS, capacity), TOTUM_OK);
		share.links = links;
		share.first = first;
		share.hops = hops;
		assert_int_equal(tt_share_fairly(&share, active, nflows, rate), TOTUM_OK);
		tt_share_free(&share);
		for (int f = 0; f < nflows; f++)
			for (int h = 0; h < hops[f]; h++)
				load[links[f * HOPS + h]] += rate[f];
		for (int f = 0; f < nflows; f++) {
			bool held = false;

			for (int h = 0; h < hops[f]; h++) {
				int32_t link = links[f * HOPS + h];
				double most = 0;

				for (int g = 0; g < nflows; g++)
					for (int k = 0; k < hops[g]; k++)
						if (links[g * HOPS + k] == link && rate[g] > most)
							most = rate[g];
				if (load[link] > capacity[link] * (1 + 1e-9))
					fail_msg("seed %u: link %d carries %g of %g", i, link,
						 load[link], capacity[link]);
				held |= near(load[link], capacity[link]) &&
					rate[f] >= most * (1 - 1e-9);
			}
			if (!held)
				fail_msg("seed %u: flow %d could have more than %g", i, f, rate[f]);
		}
	}
}

/* W in blocks, from the seconds of a run without latencies. */
static double
blocks(totum_status (*simulate)(const struct tt_schedule *, const struct tt_topology *,
				const struct tt_simulate_options *, struct tt_simulation *),
       const struct tt_schedule *schedule, const char *spec, bool split)
{
	struct tt_topology *topology = open_or_fail(spec);
	struct tt_simulation got;
	struct tt_simulate_options options = {.split = split,
					      .block_bytes = (double)topology->unit};

	if (simulate(schedule, topology, &options, &got))
		fail_msg("%s on %s: %s", schedule->name, spec, totum_errmsg());
	tt_topology_free(topology);
	return got.seconds;
}

static void flows_equal_loads_on_a_ring(void **state)
{
	static const char *const names[] = {
		"ring",  "recursive_doubling", "distance_halving",  "bruck", "sparbit",
		"swing", "neighbor_exchange",  "bidirectional_ring"};
	(void)state;

	for (int64_t n = 8; n <= 32; n *= 2)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
			struct tt_schedule *schedule = build(TT_ALLGATHER, names[i], n);
			char spec[32];

			snprintf(spec, sizeof spec, "ring:%lld,alpha=0", (long long)n);
			double load = blocks(tt_simulate_load, schedule, spec, false);
			double flow = blocks(tt_simulate_flow, schedule, spec, false);
			if (!near(load, flow))
				fail_msg("%s n=%lld: W = %.9g by loads, %.9g by flows", names[i],
					 (long long)n, load, flow);
			tt_schedule_free(schedule);
		}
	struct tt_schedule *doubling = build(TT_ALLGATHER, "recursive_doubling", 16);
	assert_true(near(blocks(tt_simulate_flow, doubling, "ring:16,alpha=0", false), 85));
	tt_schedule_free(doubling);
}

static void times_with_latencies(void **state)
{
	static const struct {
		const char *algorithm, *spec;
		double us;
	} cases[] = {{"ring", "ring:8", 741.0032},
		     {"recursive_doubling", "ring:8", 2205.0096},
		     {"distance_halving", "ring:8", 1261.2912},
		     {"direct", "full:8", 105.8576},
		     /* the link never idles after the first alpha */
		     {"direct", "star:8", 735.0032}};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tt_schedule *schedule = build(TT_ALLGATHER, cases[i].algorithm, 8);
		struct tt_topology *topology = open_or_fail(cases[i].spec);
		struct tt_simulate_options options = {.block_bytes = 1 << 20};
		struct tt_simulation got;

		assert_int_equal(tt_simulate_flow(schedule, topology, &options, &got), TOTUM_OK);
		if (!near(got.seconds * 1e6, cases[i].us))
			fail_msg("%s on %s: %.7f us, expected %.7f", cases[i].algorithm,
				 cases[i].spec, got.seconds * 1e6, cases[i].us);
		tt_topology_free(topology);
		tt_schedule_free(schedule);
	}
}

/* Two equal flows on a link take twice as long each, a short one leaves the rest to a long one. */
static void two_flows_on_one_link(void **state)
{
	static const char text[] =
		"topology y\nrank a b c\nswitch s\nlink a s 1GB/s 0\nlink b s 1GB/s 0\nlink s c "
		"1GB/s 0\n";
	struct tt_topology *topology;
	struct tt_schedule *schedule;
	struct tt_simulation got;
	(void)state;

	assert_int_equal(tt_topology_read(text, strlen(text), "y", &topology), TOTUM_OK);
	assert_int_equal(tt_schedule_new(TT_GATHER, 3, 2, 1, &schedule), TOTUM_OK);
	tt_move(schedule, 0, 0, 2, 0, 1);
	tt_move(schedule, 0, 1, 2, 1, 1);
	assert_int_equal(tt_schedule_seal(schedule), TOTUM_OK);
	struct tt_simulate_options options = {.block_bytes = 1e9};
	assert_int_equal(tt_simulate_flow(schedule, topology, &options, &got), TOTUM_OK);
	assert_true(near(got.seconds, 2));
	options.weights = (int64_t[]){1, 3, 0};
	assert_int_equal(tt_simulate_flow(schedule, topology, &options, &got), TOTUM_OK);
	assert_true(near(got.seconds, 4));
	options.weights = (int64_t[]){0, 0, 5};
	assert_int_equal(tt_simulate_flow(schedule, topology, &options, &got), TOTUM_OK);
	assert_true(got.seconds == 0);
	assert_int_equal(got.messages, 0);
	tt_schedule_free(schedule);
	tt_topology_free(topology);
}

/* The spans of all messages, to check that nothing is sent before it has come. */
struct spans {
	struct tt_message_span *items;
	int64_t count, room;
};

static void keep(void *context, const struct tt_message_span *span)
{
	struct spans *spans = context;

	if (spans->count == spans->room) {
		spans->room = spans->room ? 2 * spans->room : 64;
		spans->items = realloc(spans->items, (size_t)spans->room * sizeof *spans->items);
		assert_non_null(spans->items);
	}
	spans->items[spans->count++] = *span;
}

/* Every block of a message came to the sender in messages that had ended when it started. */
static void check_causality(const struct tt_schedule *schedule, const struct spans *spans,
			    const char *what)
{
	int64_t n = schedule->nranks;
	double *here = malloc((size_t)(n * schedule->nblocks) * sizeof *here);

	for (int64_t r = 0; r < n; r++)
		for (int64_t b = 0; b < schedule->nblocks; b++)
			here[r * schedule->nblocks + b] =
				tt_holds_first(schedule, r, b) ? 0 : INFINITY;
	for (int64_t t = 0; t < schedule->rounds; t++)
		for (int64_t i = 0; i < spans->count; i++) {
			const struct tt_message_span *span = &spans->items[i];
			struct tt_round_walk walk = {0};
			const struct tt_record *record;
			struct tt_transfer transfer;

			if (span->round != t)
				continue;
			while (tt_round_next(schedule, t, &walk, &record)) {
				if (!tt_record_send(schedule, record, t, span->from, &transfer) ||
				    transfer.to != span->to)
					continue;
				for (int64_t j = 0; j < transfer.blocks.count; j++) {
					int64_t block = tt_blocks_at(&transfer.blocks, j);
					double *there = &here[span->to * schedule->nblocks + block];

					if (here[span->from * schedule->nblocks + block] >
					    span->start + 1e-12)
						fail_msg("%s: rank %lld sends block %lld before it "
							 "has come",
							 what, (long long)span->from,
							 (long long)block);
					*there = isinf(*there) || span->end > *there ? span->end
										     : *there;
				}
			}
		}
	free(here);
}

static void without_barriers(void **state)
{
	static const char *const specs[] = {"ring:12", "star:12", "3x4", "torus:3x4", "full:12"};
	(void)state;

	for (int a = 0; a < tt_nalgorithms; a++)
		for (size_t s = 0; s < sizeof specs / sizeof *specs; s++)
			for (int split = 0; split < 2; split++) {
				struct spans spans = {0};
				struct tt_simulate_options options = {.split = split,
								      .block_bytes = 1e5,
								      .message = keep,
								      .context = &spans};
				struct tt_simulation ready, load;
				struct tt_schedule *schedule;
				char what[160];

				if (tt_algorithms[a].collective != TT_ALLGATHER ||
				    tt_algorithm_build(TT_ALLGATHER, tt_algorithms[a].name, 12, 0,
						       &schedule))
					continue;
				struct tt_topology *topology = open_or_fail(specs[s]);
				snprintf(what, sizeof what, "%s on %s", tt_algorithms[a].name,
					 specs[s]);
				if (tt_simulate_ready(schedule, topology, &options, &ready))
					fail_msg("%s: %s", what, totum_errmsg());
				options.message = NULL;
				assert_int_equal(
					tt_simulate_load(schedule, topology, &options, &load),
					TOTUM_OK);
				assert_int_equal(ready.messages, load.messages);
				assert_int_equal(spans.count, ready.messages);
				check_causality(schedule, &spans, what);
				struct tt_bound *bound;
				assert_int_equal(tt_bound_allgather(topology, NULL, &bound),
						 TOTUM_OK);
				if (ready.seconds < tt_bound_seconds(bound, 1e5))
					fail_msg("%s: %g s is below the bound", what,
						 ready.seconds);
				tt_bound_free(bound);
				free(spans.items);
				tt_topology_free(topology);
				tt_schedule_free(schedule);
			}
}

/* Alike ranks in step: no barrier is missed.  Reductions and composed schedules end as well. */
static void with_and_without_barriers_agree_where_all_are_alike(void **state)
{
	static const char *const names[] = {"ring", "recursive_doubling", "bruck",
					    "bidirectional_ring"};
	static const enum tt_collective collectives[] = {TT_ALLGATHER, TT_REDUCE_SCATTER,
							 TT_ALLREDUCE};
	(void)state;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (size_t c = 0; c < 3; c++) {
			struct tt_schedule *schedule = build(collectives[c], names[i], 8);
			double flow = blocks(tt_simulate_flow, schedule, "full:8,alpha=1us", false);
			double ready =
				blocks(tt_simulate_ready, schedule, "full:8,alpha=1us", false);

			if (!near(flow, ready))
				fail_msg("%s %s: %.9g with barriers, %.9g without",
					 tt_collective_name(collectives[c]), names[i], flow, ready);
			tt_schedule_free(schedule);
		}
}

/* A ring with one large shard: with barriers every round waits for it, without it only travels. */
static void uneven_shards(void **state)
{
	struct tt_schedule *schedule = build(TT_ALLGATHER, "ring", 5);
	struct tt_topology *topology = open_or_fail("ring:5,alpha=0");
	struct tt_simulate_options options = {.block_bytes = 1e10,
					      .weights = (int64_t[]){1, 9, 0, 1, 1}};
	struct tt_simulation flow, ready;
	(void)state;

	assert_int_equal(tt_simulate_flow(schedule, topology, &options, &flow), TOTUM_OK);
	assert_int_equal(tt_simulate_ready(schedule, topology, &options, &ready), TOTUM_OK);
	assert_true(near(flow.seconds, 36));
	assert_true(ready.seconds >= 36 * (1 - 1e-9) && ready.seconds <= 38);
	assert_int_equal(flow.messages, ready.messages);
	options.weights = (int64_t[]){1, -9, 0, 1, 1};
	assert_int_equal(tt_simulate_ready(schedule, topology, &options, &ready), TOTUM_EINVAL);
	assert_int_equal(tt_simulate_flow(schedule, topology, &options, &ready), TOTUM_EINVAL);
	tt_topology_free(topology);
	tt_schedule_free(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fair_shares),
		cmocka_unit_test(random_shares_are_max_min_fair),
		cmocka_unit_test(flows_equal_loads_on_a_ring),
		cmocka_unit_test(times_with_latencies),
		cmocka_unit_test(two_flows_on_one_link),
		cmocka_unit_test(without_barriers),
		cmocka_unit_test(with_and_without_barriers_agree_where_all_are_alike),
		cmocka_unit_test(uneven_shards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
