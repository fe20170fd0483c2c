/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * generate_dragonfly - groups of routers, complete inside, one cable between any two groups.
 *
 * With a routers a group and h global links a router there are a*h+1 groups.  Port k of group i
 * (0 <= k < a*h, on router k/h) leads to group i+k+1, where it is port a*h-1-k: every two groups
 * meet once.  Routers are the ranks themselves, or, with p > 0, switches with p ranks each.
 */
#include <stdio.h>

#include "topology/generate.h"

static void add_router(struct tt_topology *topology, int64_t group, int64_t router)
{
	int64_t p = topology->shape.router_ranks;
	char name[TT_TOPOLOGY_NAME];

	if (!p) {
		tt_generate_rank(topology, topology->nranks);
		return;
	}
	snprintf(name, sizeof name, "group%lld.%lld", (long long)group, (long long)router);
	tt_topology_add_switch(topology, name);
}

static void add_links(struct tt_topology *topology, int64_t group, int64_t router)
{
	int64_t a = topology->shape.dims[0], h = topology->shape.global_links, groups = a * h + 1;
	int32_t self = (int32_t)(group * a + router);
	struct tt_wire wire = tt_generate_wire(topology);

	for (int64_t other = 0; other < a; other++)
		if (other != router)
			tt_topology_add_link(topology, self, (int32_t)(group * a + other), wire);
	for (int64_t k = router * h; k < (router + 1) * h; k++) {
		int64_t there = (group + k + 1) % groups;

		tt_topology_add_link(topology, self, (int32_t)(there * a + (a * h - 1 - k) / h),
				     wire);
	}
}

void tt_generate_dragonfly(struct tt_topology *topology)
{
	int64_t a = topology->shape.dims[0], groups = a * topology->shape.global_links + 1;

	for (int64_t group = 0; group < groups && !topology->failed; group++)
		for (int64_t router = 0; router < a && !topology->failed; router++)
			add_router(topology, group, router);
	for (int64_t router = 0; router < groups * a && !topology->failed; router++)
		for (int64_t i = 0; i < topology->shape.router_ranks && !topology->failed; i++)
			tt_topology_add_cable(topology,
					      tt_generate_rank(topology, topology->nranks),
					      (int32_t)router, tt_generate_wire(topology));
	for (int64_t group = 0; group < groups && !topology->failed; group++)
		for (int64_t router = 0; router < a; router++)
			add_links(topology, group, router);
}
