/* SPDX-License-Identifier: BSD-3-Clause */
/* Max-flow equals the least cut over all sets of small random networks; its cut has the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "proof/maxflow.h"

enum { NODES = 8, ARCS = 24 };

static int draw(unsigned *seed, int below)
{
	return rand_r(seed) % below;
}

static int64_t cut_of(unsigned set, int narcs, const int32_t *tails, const int32_t *heads,
		      const int64_t *capacities)
{
	int64_t sum = 0;

	for (int i = 0; i < narcs; i++)
		if ((set >> tails[i] & 1) && !(set >> heads[i] & 1))
			sum += capacities[i];
	return sum;
}

static void random_networks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		unsigned seed = i;
		int narcs = draw(&seed, ARCS);
		int32_t tails[ARCS], heads[ARCS];
		int64_t capacities[ARCS], least = INT64_MAX;
		struct tt_maxflow *network;

		for (int a = 0; a < narcs; a++) {
			tails[a] = draw(&seed, NODES);
			heads[a] = (tails[a] + 1 + draw(&seed, NODES - 1)) % NODES;
			capacities[a] = draw(&seed, 4) * (draw(&seed, 5) ? 1 : INT64_MAX / 64);
		}
		for (unsigned set = 1; set < 1u << NODES; set += 2) /* node 0 inside .. */
			if (!(set >> (NODES - 1) & 1)) { /* .. and the last one outside */
				int64_t cut = cut_of(set, narcs, tails, heads, capacities);

				least = cut < least ? cut : least;
			}
		assert_int_equal(tt_maxflow_new(NODES, narcs, tails, heads, &network), TOTUM_OK);
		for (int a = 0; a < narcs; a++)
			tt_maxflow_set(network, a, capacities[a]);
		for (int again = 0; again < 2; again++) { /* a run leaves nothing behind */
			int64_t flow = tt_maxflow_run(network, 0, NODES - 1, INT64_MAX / 4);
			unsigned inside = 0;

			if (flow != least)
				fail_msg("network of seed %u: flow %lld, least cut %lld", i,
					 (long long)flow, (long long)least);
			for (int v = 0; v < NODES; v++)
				inside |= (unsigned)tt_maxflow_inside(network, v) << v;
			assert_true((inside & 1) && !(inside >> (NODES - 1) & 1));
			assert_int_equal(cut_of(inside, narcs, tails, heads, capacities), least);
			if (least)
				assert_int_equal(tt_maxflow_run(network, 0, NODES - 1, least / 2),
						 least / 2);
		}
		tt_maxflow_free(network);
	}
}

/* A path of a million nodes: no recursion. */
static void long_path(void **state)
{
	enum { LENGTH = 1000000 };
	int32_t *ends = malloc(2 * LENGTH * sizeof *ends);
	struct tt_maxflow *network;
	(void)state;

	for (int32_t i = 0; i < LENGTH; i++) {
		ends[i] = i;
		ends[LENGTH + i] = i + 1;
	}
	assert_int_equal(tt_maxflow_new(LENGTH + 1, LENGTH, ends, ends + LENGTH, &network),
			 TOTUM_OK);
	for (int64_t i = 0; i < LENGTH; i++)
		tt_maxflow_set(network, i, 5 + i % 7);
	assert_int_equal(tt_maxflow_run(network, 0, LENGTH, INT64_MAX / 4), 5);
	tt_maxflow_free(network);
	free(ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_networks),
					   cmocka_unit_test(long_path)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
