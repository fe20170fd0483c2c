/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes are shortest, the tie rules hold on grids and elsewhere, the wider of two equally short
 * ways is taken, and generated machines have the vertices and links that they should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "topology/route.h"

static struct tt_topology *open_or_fail(const char *spec)
{
	struct tt_topology *topology;

	if (tt_topology_open(spec, &topology))
		fail_msg("%s: %s", spec, totum_errmsg());
	return topology;
}

/* The route as "r0 r1 r2"; the caller's text has room. */
static const char *route(struct tt_routes *routes, const struct tt_topology *topology, int64_t from,
			 int64_t to, enum tt_route_side side, char *text)
{
	const int32_t *next;
	int32_t at = topology->rank_vertex[from];

	assert_int_equal(tt_routes_to(routes, to, side, &next), TOTUM_OK);
	strcpy(text, topology->vertices[at].name);
	for (int hops = 0; next[at] >= 0; hops++) {
		assert_true(hops < topology->nvertices);
		assert_int_equal(topology->links[next[at]].from, at);
		at = topology->links[next[at]].to;
		strcat(strcat(text, " "), topology->vertices[at].name);
	}
	return text;
}

static void goes(const char *spec, int64_t from, int64_t to, const char *first, const char *other)
{
	struct tt_topology *topology = open_or_fail(spec);
	struct tt_routes *routes;
	char text[4096];

	assert_int_equal(tt_routes_new(topology, true, &routes), TOTUM_OK);
	assert_string_equal(route(routes, topology, from, to, TT_ROUTE_FIRST, text), first);
	assert_string_equal(route(routes, topology, from, to, TT_ROUTE_OTHER, text), other);
	tt_routes_free(routes);
	tt_topology_free(topology);
}

static void ties(void **state)
{
	(void)state;
	goes("ring:8", 0, 3, "r0 r1 r2 r3", "r0 r1 r2 r3");
	goes("ring:8", 0, 5, "r0 r7 r6 r5", "r0 r7 r6 r5");
	goes("ring:8", 6, 2, "r6 r7 r0 r1 r2", "r6 r5 r4 r3 r2");
	/* the slower dimension first, whichever way ties go */
	goes("torus:4x4", 0, 10, "r0 r4 r8 r9 r10", "r0 r12 r8 r11 r10");
	goes("torus:4x4", 5, 15, "r5 r9 r13 r14 r15", "r5 r1 r13 r12 r15");
	goes("mesh:3x3", 8, 0, "r8 r5 r2 r1 r0", "r8 r5 r2 r1 r0");
	goes("hypercube:3", 0, 7, "r0 r4 r6 r7", "r0 r4 r6 r7");
	goes("ring:2", 0, 1, "r0 r1", "r0 r1");
	goes("full:5", 4, 1, "r4 r1", "r4 r1");
	/* inside a box the wide way, though the core is as near; between boxes the core */
	goes("boxes:2x4", 0, 3, "r0 box0 r3", "r0 box0 r3");
	goes("boxes:2x4", 0, 5, "r0 core r5", "r0 core r5");
	goes("2x4", 1, 6, "r1 host0 core host1 r6", "r1 host0 core host1 r6");
	goes("ring:4", 2, 2, "r2", "r2");
}

static void lowest_neighbour(void **state)
{
	static const char text[] =
		"topology t\nrank a b\nswitch s1 s2 s3\nlink a s[1-3] 1GB/s 1us\n"
		"link b s3 1GB/s 1us\nlink b s2 1GB/s 1us\nlink s1 b 1GB/s 1us\n";
	struct tt_topology *topology;
	struct tt_routes *routes;
	char found[100];
	(void)state;

	assert_int_equal(tt_topology_read(text, strlen(text), "t", &topology), TOTUM_OK);
	assert_int_equal(tt_routes_new(topology, true, &routes), TOTUM_OK);
	assert_string_equal(route(routes, topology, 0, 1, TT_ROUTE_FIRST, found), "a s1 b");
	assert_string_equal(route(routes, topology, 0, 1, TT_ROUTE_OTHER, found), "a s3 b");
	tt_routes_free(routes);
	tt_topology_free(topology);
}

/* Distances by relaxation over all pairs, a few vertices at most. */
static void shortest_and_widest(void **state)
{
	enum { MOST = 12 };
	(void)state;

	for (unsigned i = 0; i < 400; i++) {
		unsigned seed = i;
		int n = 2 + rand_r(&seed) % (MOST - 2);
		struct tt_topology *topology;
		struct tt_routes *routes;
		int far[MOST][MOST];
		int64_t wide[MOST][MOST];
		char name[8];

		assert_int_equal(tt_topology_new("random", &topology), TOTUM_OK);
		for (int v = 0; v < n; v++) {
			snprintf(name, sizeof name, "v%d", v);
			tt_topology_add_rank(topology, -1, name);
		}
		for (int e = 0; e < 3 * n; e++) {
			int a = rand_r(&seed) % n, b = rand_r(&seed) % n;

			if (a != b)
				tt_topology_add_link(
					topology, a, b,
					(struct tt_wire){.capacity = 1 + rand_r(&seed) % 4});
		}
		assert_int_equal(tt_topology_seal(topology), TOTUM_OK);
		for (int a = 0; a < n; a++)
			for (int b = 0; b < n; b++) {
				far[a][b] = a == b ? 0 : 1000;
				wide[a][b] = a == b ? INT64_MAX : 0;
			}
		for (int again = 0; again < n; again++)
			for (int64_t l = 0; l < topology->nlinks; l++)
				for (int b = 0; b < n; b++) {
					const struct tt_link *link = &topology->links[l];
					int hops = far[link->to][b] + 1;
					int64_t width = link->wire.capacity < wide[link->to][b]
								? link->wire.capacity
								: wide[link->to][b];

					if (hops < far[link->from][b] ||
					    (hops == far[link->from][b] &&
					     width > wide[link->from][b])) {
						far[link->from][b] = hops;
						wide[link->from][b] = width;
					}
				}
		assert_int_equal(tt_routes_new(topology, true, &routes), TOTUM_OK);
		for (int a = 0; a < n; a++)
			for (int b = 0; b < n; b++)
				for (int side = 0; side < 2; side++) {
					const int32_t *next;
					int64_t width = INT64_MAX;
					int hops = 0;

					assert_int_equal(tt_routes_to(routes, b,
								      (enum tt_route_side)side,
								      &next),
							 0);
					if (far[a][b] == 1000) {
						assert_int_equal(next[a], -1);
						continue;
					}
					for (int at = a; at != b;
					     at = topology->links[next[at]].to) {
						assert_true(next[at] >= 0);
						if (topology->links[next[at]].wire.capacity < width)
							width = topology->links[next[at]]
									.wire.capacity;
						hops++;
					}
					if (hops != far[a][b] || width != wide[a][b])
						fail_msg("seed %u, %d to %d: %d hops of width "
							 "%lld, best %d of %lld",
							 i, a, b, hops, (long long)width, far[a][b],
							 (long long)wide[a][b]);
				}
		tt_routes_free(routes);
		tt_topology_free(topology);
	}
}

static void sizes_of_machines(void **state)
{
	static const struct {
		const char *spec;
		int64_t ranks, hosts, switches, links;
	} machines[] = {
		{"ring:1", 1, 1, 0, 0},
		{"ring:2", 2, 2, 0, 2},
		{"ring:9", 9, 9, 0, 18},
		{"line:9", 9, 9, 0, 16},
		{"torus:2x2x5", 20, 20, 0, 80},
		{"torus:4x1x3", 12, 12, 0, 48},
		{"mesh:3x4", 12, 12, 0, 34},
		{"hypercube:5", 32, 32, 0, 160},
		{"full:6", 6, 6, 0, 30},
		{"star:6", 6, 6, 1, 12},
		{"fattree:2x3x4", 24, 24, 9, 64},
		{"dragonfly:4,h=1", 20, 20, 0, 80},
		{"dragonfly:3,h=2,p=2", 42, 42, 21, 84 + 42 + 42},
		{"boxes:3x4", 12, 3, 4, 48},
		{"boxes:1x4", 4, 1, 1, 8},
		{"3x4", 12, 3, 4, 30},
		{"dgx1", 8, 1, 0, 32},
		{"a100:2", 16, 2, 3, 64},
		{"h100", 8, 1, 1, 16},
		{"mi250:2", 32, 2, 1, 2 * 56 + 64},
	};
	(void)state;

	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		struct tt_topology *topology = open_or_fail(machines[i].spec);

		if (topology->nranks != machines[i].ranks ||
		    topology->nhosts != machines[i].hosts ||
		    topology->nvertices - topology->nranks != machines[i].switches ||
		    topology->nlinks != machines[i].links)
			fail_msg("%s: %lld ranks, %lld hosts, %lld switches, %lld links",
				 machines[i].spec, (long long)topology->nranks,
				 (long long)topology->nhosts,
				 (long long)(topology->nvertices - topology->nranks),
				 (long long)topology->nlinks);
		for (int64_t l = 0; l < topology->nlinks; l++)
			assert_non_null(tt_topology_back(topology, &topology->links[l]));
		tt_topology_free(topology);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ties),
		cmocka_unit_test(lowest_neighbour),
		cmocka_unit_test(shortest_and_widest),
		cmocka_unit_test(sizes_of_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
