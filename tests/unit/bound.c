/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exact cut bounds of known topologies, as fractions, by each way that applies; the one-link
 * formula against max-flow on random trees; uneven shards; every collective; what must be refused.
 */
#include "proof/bound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define GIGA INT64_C(1000000000)

static struct tt_topology *make(const char *spec)
{
	struct tt_shape shape;
	struct tt_topology *topology = NULL;

	if (tt_shape_parse(spec, &shape) || tt_topology_generate(&shape, &topology))
		fail_msg("%s: %s", spec, totum_errmsg());
	return topology;
}

/* lambda in blocks per `unit`, by every way, against over/under; size of the witness's inside. */
static void expect(const char *spec, int64_t unit, int64_t over, int64_t under,
		   int64_t ranks_outside)
{
	struct tt_topology *topology = make(spec);
	struct tt_fraction want = tt_fraction_of(over, (__int128)under * unit);
	struct tt_bound *bound;
	totum_status (*const ways[])(const struct tt_topology *, const int64_t *,
				     struct tt_bound **) = {tt_bound_maxflow, tt_bound_allgather,
							    tt_bound_tree};

	for (int i = 0; i < 3; i++) {
		totum_status status = ways[i](topology, NULL, &bound);
		char got[TT_FRACTION_TEXT], wanted[TT_FRACTION_TEXT];

		if (i == 2 && status == TOTUM_EUNSUPPORTED)
			continue;
		if (status)
			fail_msg("%s: %s", spec, totum_errmsg());
		if (tt_fraction_compare(bound->lambda, want))
			fail_msg("%s by %s: lambda %s, expected %s", spec, bound->method,
				 tt_fraction_text(bound->lambda, got),
				 tt_fraction_text(want, wanted));
		int64_t outside = 0;
		for (int64_t r = 0; r < topology->nranks; r++)
			outside += !bound->witness[topology->rank_vertex[r]];
		if (ranks_outside && outside != ranks_outside)
			fail_msg("%s by %s: %lld ranks outside the witness: %s", spec,
				 bound->method, (long long)outside, bound->sentence);
		tt_bound_free(bound);
	}
	if (tt_shape_symmetric(&topology->shape)) {
		assert_int_equal(tt_bound_shape(&topology->shape, &bound), TOTUM_OK);
		assert_int_equal(tt_fraction_compare(bound->lambda, want), 0);
		tt_bound_free(bound);
	}
	tt_topology_free(topology);
}

static void known_topologies(void **state)
{
	(void)state;
	expect("line:8,rate=1", GIGA, 7, 1, 1);
	for (int n = 3; n <= 40; n++) {
		char spec[32];

		snprintf(spec, sizeof spec, "ring:%d,rate=1", n);
		expect(spec, GIGA, n - 1, 2, 1);
	}
	expect("ring:2,rate=1", GIGA, 1, 1, 1);
	expect("torus:3x3,rate=1", GIGA, 2, 1, 1);
	expect("torus:4x4,rate=1", GIGA, 15, 4, 1);
	expect("torus:3x3x3,rate=1", GIGA, 13, 3, 1);
	expect("torus:4x2,rate=1", GIGA, 7, 3, 1);
	expect("torus:2x4,rate=1", GIGA, 7, 3, 1);
	expect("torus:2x9,rate=1", GIGA, 17, 3, 1);
	expect("mesh:4x4,rate=1", GIGA, 15, 2, 1);
	expect("hypercube:3,rate=1", GIGA, 7, 3, 1);
	expect("hypercube:4,rate=1", GIGA, 15, 4, 1);
	expect("full:8,rate=1", GIGA, 1, 1, 1);
	expect("dgx1,rate=1", GIGA, 7, 6, 1);
	expect("dragonfly:4,h=1,rate=1", GIGA, 19, 4, 1);
	expect("dragonfly:3,h=1,rate=1", GIGA, 11, 3, 1);
	expect("star:3,rate=1", GIGA, 2, 1, 1);
}

static void machines(void **state)
{
	(void)state;
	expect("fattree:4x4,host=2,uplink=4", GIGA, 15, 2, 1);
	expect("fattree:4x4,host=2,taper=2", GIGA, 15, 2, 1);
	expect("fattree:4x4,host=2,uplink=1", GIGA, 12, 1, 4);
	expect("fattree:4x4,host=2,taper=8", GIGA, 12, 1, 4);
	expect("fattree:2x4,host=2,uplink=1", GIGA, 4, 1, 4);
	expect("a100:1", GIGA, 7, 300, 1);
	expect("a100:2", GIGA, 3, 65, 1);
	expect("h100", GIGA, 7, 450, 1);
	expect("h100:2", GIGA, 3, 100, 1);
	expect("h100:4", GIGA, 31, 500, 1);
	expect("mi250:1", GIGA, 7, 150, 2);
	expect("mi250:2", GIGA, 15, 166, 2);
	expect("boxes:2x8,inside=300,outside=25", GIGA, 15, 325, 1);
	expect("boxes:4x8,inside=300,outside=25", GIGA, 24, 200, 8);
	expect("boxes:2x2,inside=10,outside=1", GIGA, 1, 1, 2);
	expect("boxes:2x4,inside=10,outside=1", GIGA, 1, 1, 4);
	expect("hosts:2x4,inside=10,outside=1", GIGA, 4, 1, 4);
}

static void hierarchy_formula(void **state)
{
	(void)state;
	for (int64_t n = 2; n <= 5; n++)
		for (int64_t g = 2; g <= 6; g++)
			for (int64_t in = 1; in <= 40; in += 13) {
				int64_t all = n * g;
				struct tt_fraction rank = tt_fraction_of(all - 1, in + 3);
				struct tt_fraction box = tt_fraction_of(all - g, g * 3);
				struct tt_fraction worst =
					tt_fraction_compare(rank, box) > 0 ? rank : box;
				char spec[96];

				snprintf(spec, sizeof spec, "boxes:%lldx%lld,inside=%lld,outside=3",
					 (long long)n, (long long)g, (long long)in);
				expect(spec, GIGA, worst.over, worst.under, 0);
			}
}

static void uneven(const char *spec, const int64_t *weights, int64_t over, int64_t under)
{
	struct tt_topology *topology = make(spec);
	struct tt_bound *bound;

	assert_int_equal(tt_bound_allgather(topology, weights, &bound), TOTUM_OK);
	if (tt_fraction_compare(bound->lambda, tt_fraction_of(over, (__int128)under * GIGA)))
		fail_msg("%s, uneven: lambda %lld/%lld per GB/s", spec,
			 (long long)bound->lambda_unit.over, (long long)bound->lambda_unit.under);
	tt_bound_free(bound);
	tt_topology_free(topology);
}

static void uneven_shards(void **state)
{
	(void)state;
	uneven("ring:4,rate=1", (int64_t[]){1, 0, 0, 0}, 1, 2);
	uneven("ring:4,rate=1", (int64_t[]){3, 1, 1, 1}, 5, 2);
	uneven("line:4,rate=1", (int64_t[]){1, 0, 0, 0}, 1, 1);
	uneven("ring:4,rate=1", (int64_t[]){0, 0, 0, 0}, 0, 1);
	uneven("ring:4,rate=1", (int64_t[]){0, 0, 7, 0}, 7, 2);
	uneven("ring:1", NULL, 0, 1);
}

static struct tt_topology *one_way_ring(int n)
{
	struct tt_topology *topology;
	char name[16];

	assert_int_equal(tt_topology_new("one-way", &topology), TOTUM_OK);
	for (int r = 0; r < n; r++) {
		snprintf(name, sizeof name, "v%d", r);
		tt_topology_add_rank(topology, -1, name);
	}
	for (int r = 0; r < n; r++)
		tt_topology_add_link(topology, r, (r + 1) % n, (struct tt_wire){.capacity = 1});
	assert_int_equal(tt_topology_seal(topology), TOTUM_OK);
	return topology;
}

static void one_way_rings(void **state)
{
	(void)state;
	for (int n = 3; n < 20; n++) {
		struct tt_topology *topology = one_way_ring(n);
		struct tt_bound *bound;
		int64_t diameter;

		assert_int_equal(tt_bound_allgather(topology, NULL, &bound), TOTUM_OK);
		assert_int_equal(bound->lambda.over, n - 1);
		assert_int_equal(bound->lambda.under, 1);
		assert_int_equal(tt_bound_diameter(topology, &diameter), TOTUM_OK);
		assert_int_equal(diameter, n - 1);
		tt_bound_free(bound);
		tt_topology_free(topology);
	}
}

static int draw(unsigned *seed, int below)
{
	return rand_r(seed) % below;
}

/* A random tree of up to 24 vertices, some of them switches, capacities of 1 to 9, some uneven. */
static struct tt_topology *random_tree(unsigned *seed)
{
	struct tt_topology *topology;
	int n = 2 + draw(seed, 23);
	char name[16];

	assert_int_equal(tt_topology_new("tree", &topology), TOTUM_OK);
	for (int v = 0; v < n; v++) {
		snprintf(name, sizeof name, "v%d", v);
		if (v == 0 || draw(seed, 3))
			tt_topology_add_rank(topology, -1, name);
		else
			tt_topology_add_switch(topology, name);
		if (!v)
			continue;
		int up = draw(seed, v);

		tt_topology_add_link(topology, v, up,
				     (struct tt_wire){.capacity = 1 + draw(seed, 9)});
		tt_topology_add_link(topology, up, v,
				     (struct tt_wire){.capacity = 1 + draw(seed, 9)});
	}
	assert_int_equal(tt_topology_seal(topology), TOTUM_OK);
	return topology;
}

static void random_trees(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 120; i++) {
		unsigned seed = i;
		struct tt_topology *topology = random_tree(&seed);
		int64_t *weights = calloc((size_t)topology->nranks, sizeof *weights);
		struct tt_bound *flow, *tree;

		for (int64_t r = 0; r < topology->nranks; r++)
			weights[r] = draw(&seed, 5);
		for (int with = 0; with < 2; with++) {
			const int64_t *w = with ? weights : NULL;

			assert_int_equal(tt_bound_maxflow(topology, w, &flow), TOTUM_OK);
			assert_int_equal(tt_bound_tree(topology, w, &tree), TOTUM_OK);
			if (tt_fraction_compare(flow->lambda, tree->lambda))
				fail_msg("tree of seed %u, weights %d: max-flow %lld/%lld, one "
					 "link %lld/%lld",
					 i, with, (long long)flow->lambda.over,
					 (long long)flow->lambda.under,
					 (long long)tree->lambda.over,
					 (long long)tree->lambda.under);
			tt_bound_free(flow);
			tt_bound_free(tree);
		}
		free(weights);
		tt_topology_free(topology);
	}
}

/* The maximum over all sets, one by one. */
static struct tt_fraction brute_force(const struct tt_topology *topology, const int64_t *weights)
{
	struct tt_fraction best = {0, 1};

	for (unsigned set = 1; set < 1u << topology->nvertices; set++) {
		int64_t weight = 0, capacity = 0;
		bool all = true;

		for (int64_t r = 0; r < topology->nranks; r++) {
			bool inside = set >> topology->rank_vertex[r] & 1;

			weight += inside ? weights[r] : 0;
			all &= inside;
		}
		for (int64_t i = 0; i < topology->nlinks; i++)
			if ((set >> topology->links[i].from & 1) &&
			    !(set >> topology->links[i].to & 1))
				capacity += topology->links[i].wire.capacity;
		if (all || !weight)
			continue;
		struct tt_fraction ratio = tt_fraction_of(weight, capacity);
		if (tt_fraction_compare(ratio, best) > 0)
			best = ratio;
	}
	return best;
}

static void every_set_of_small_graphs(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 150; i++) {
		unsigned seed = 1000 + i;
		int n = 3 + draw(&seed, 7);
		struct tt_topology *topology;
		int64_t weights[10];
		char name[16];

		assert_int_equal(tt_topology_new("random", &topology), TOTUM_OK);
		for (int v = 0; v < n; v++) {
			snprintf(name, sizeof name, "v%d", v);
			if (v < 2 || draw(&seed, 4))
				tt_topology_add_rank(topology, -1, name);
			else
				tt_topology_add_switch(topology, name);
			weights[v] = draw(&seed, 4);
		}
		for (int v = 0; v < n; v++) /* a directed ring keeps it connected */
			tt_topology_add_link(topology, v, (v + 1) % n,
					     (struct tt_wire){.capacity = 1 + draw(&seed, 7)});
		for (int e = 0; e < 2 * n; e++) {
			int a = draw(&seed, n), b = draw(&seed, n);

			if (a != b)
				tt_topology_add_link(
					topology, a, b,
					(struct tt_wire){.capacity = 1 + draw(&seed, 30)});
		}
		assert_int_equal(tt_topology_seal(topology), TOTUM_OK);
		struct tt_fraction want = brute_force(topology, weights);
		struct tt_bound *bound;
		assert_int_equal(tt_bound_allgather(topology, weights, &bound), TOTUM_OK);
		if (tt_fraction_compare(bound->lambda, want))
			fail_msg("graph of seed %u: lambda %lld/%lld, all sets say %lld/%lld",
				 1000 + i, (long long)bound->lambda.over,
				 (long long)bound->lambda.under, (long long)want.over,
				 (long long)want.under);
		tt_bound_free(bound);
		tt_topology_free(topology);
	}
}

static void collective(const char *spec, enum tt_collective which, int64_t over, int64_t under)
{
	struct tt_topology *topology = make(spec);
	struct tt_bound *bound;

	if (tt_bound_collective(topology, which, 0, NULL, &bound))
		fail_msg("%s: %s", spec, totum_errmsg());
	if (tt_fraction_compare(bound->lambda, tt_fraction_of(over, (__int128)under * GIGA)))
		fail_msg("%s, %s: lambda %lld/%lld per unit; %s", spec, tt_collective_name(which),
			 (long long)bound->lambda_unit.over, (long long)bound->lambda_unit.under,
			 bound->sentence);
	tt_bound_free(bound);
	tt_topology_free(topology);
}

static void collectives(void **state)
{
	(void)state;
	collective("ring:8,rate=1", TT_ALLGATHER, 7, 2);
	collective("ring:8,rate=1", TT_REDUCE_SCATTER, 7, 2);
	collective("ring:8,rate=1", TT_ALLREDUCE, 7, 1);
	collective("ring:8,rate=1", TT_BROADCAST, 4, 1);
	collective("ring:8,rate=1", TT_REDUCE, 4, 1);
	collective("ring:8,rate=1", TT_GATHER, 7, 2);
	collective("ring:8,rate=1", TT_SCATTER, 7, 2);
	collective("ring:8,rate=1", TT_ALLTOALL, 8,
		   1); /* 16 pairs over the two links that halve it */
	collective("torus:4x4,rate=1", TT_ALLTOALL, 8, 1);
	collective("full:8,rate=1", TT_ALLTOALL, 1, 1);
	collective("star:4,rate=1", TT_ALLTOALL, 3, 1);
	collective("line:4,rate=1", TT_ALLTOALL, 4, 1);
	collective("hosts:2x4,inside=10,outside=1", TT_ALLTOALL, 16, 1);
	collective("hosts:2x4,inside=10,outside=1", TT_ALLREDUCE, 8,
		   1); /* the whole sum crosses each way */
	collective("fattree:4x4,host=2,uplink=1", TT_SCATTER, 12, 1);
}

static void rounds_and_diameters(void **state)
{
	static const int64_t n[] = {8, 9, 16, 27, 64, 100}, k[] = {1, 2, 3, 7};
	static const int64_t want[6][4] = {{3, 2, 2, 1}, {4, 2, 2, 2}, {4, 3, 2, 2},
					   {5, 3, 3, 2}, {6, 4, 3, 2}, {7, 5, 4, 3}};
	static const struct {
		const char *spec;
		int64_t diameter;
	} far[] = {
		{"ring:8", 4},      {"ring:9", 4},      {"line:8", 7},          {"torus:3x3x3", 3},
		{"mesh:4x4", 6},    {"hypercube:4", 4}, {"full:8", 1},          {"star:5", 1},
		{"fattree:4x4", 1}, {"a100:2", 1},      {"dragonfly:4,h=1", 3}, {"mi250:2", 1},
		{"mi250:1", 5},     {"dgx1", 2},        {"ring:1", 0},          {"full:1", 0}};
	(void)state;

	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 4; j++)
			assert_int_equal(tt_bound_rounds(n[i], k[j]), want[i][j]);
	assert_int_equal(tt_bound_rounds(1, 1), 0);
	assert_int_equal(tt_bound_rounds(INT64_MAX, 1), 63);
	for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
		struct tt_topology *topology = make(far[i].spec);
		int64_t diameter;

		assert_int_equal(tt_bound_diameter(topology, &diameter), TOTUM_OK);
		if (diameter != far[i].diameter)
			fail_msg("%s: diameter %lld", far[i].spec, (long long)diameter);
		if (tt_shape_symmetric(&topology->shape))
			assert_int_equal(tt_shape_diameter(&topology->shape), far[i].diameter);
		tt_topology_free(topology);
	}
}

static void refusals(void **state)
{
	struct tt_topology *topology;
	struct tt_bound *bound;
	int64_t diameter;
	(void)state;

	/* two ranks without a link; a third one reached but with no way out */
	assert_int_equal(tt_topology_new("split", &topology), TOTUM_OK);
	tt_topology_add_rank(topology, -1, "a");
	tt_topology_add_rank(topology, -1, "b");
	tt_topology_add_rank(topology, -1, "c");
	tt_topology_add_cable(topology, 0, 1, (struct tt_wire){.capacity = 1});
	tt_topology_add_link(topology, 0, 2, (struct tt_wire){.capacity = 1});
	assert_int_equal(tt_topology_seal(topology), TOTUM_OK);
	assert_int_equal(tt_bound_allgather(topology, NULL, &bound), TOTUM_EINVAL);
	assert_non_null(strstr(totum_errmsg(), "from rank c"));
	assert_int_equal(tt_bound_maxflow(topology, NULL, &bound), TOTUM_EINVAL);
	assert_int_equal(tt_bound_diameter(topology, &diameter), TOTUM_EINVAL);
	/* ... which does not matter when c has nothing to give */
	assert_int_equal(tt_bound_allgather(topology, (int64_t[]){1, 1, 0}, &bound), TOTUM_OK);
	tt_bound_free(bound);
	assert_int_equal(tt_bound_allgather(topology, (int64_t[]){1, -1, 0}, &bound), TOTUM_EINVAL);
	assert_int_equal(tt_bound_allgather(topology, (int64_t[]){INT64_MAX, 1, 0}, &bound),
			 TOTUM_EINVAL);
	assert_int_equal(tt_bound_collective(topology, TT_BROADCAST, 3, NULL, &bound),
			 TOTUM_EINVAL);
	tt_topology_free(topology);

	/* no common factor and enormous shards: a sentence, never a wrong number */
	struct tt_topology *ring = make("ring:4,rate=999999.999999989");
	assert_int_equal(tt_bound_maxflow(ring, (int64_t[]){INT64_MAX / 4, 1, 5, 7}, &bound),
			 TOTUM_EUNSUPPORTED);
	tt_topology_free(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_topologies),
		cmocka_unit_test(machines),
		cmocka_unit_test(hierarchy_formula),
		cmocka_unit_test(uneven_shards),
		cmocka_unit_test(one_way_rings),
		cmocka_unit_test(random_trees),
		cmocka_unit_test(every_set_of_small_graphs),
		cmocka_unit_test(collectives),
		cmocka_unit_test(rounds_and_diameters),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
