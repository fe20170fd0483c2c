/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hierarchical - one rank of each host collects its host's blocks and sends them on in one message.
 *
 *   hosts {0 1 2} {3 4 5}:   1 --[1]--> 0   2 --[2]--> 0   4 --[4]--> 3   5 --[5]--> 3
 *                            3 --[3 4 5]--> 0
 *
 * H hosts of g ranks: T = 2 alpha + (1 + g) M/(N beta) with max(g, H) - 1 ports.  The root gets H-1
 * messages from other hosts instead of N-g, which is what small blocks cost; large ones go direct,
 * as collecting them is a detour.  Scatter is its reverse.  For any placement.
 */
#include "algorithms/claims.h"
#include "algorithms/moves.h"

enum { HOSTS };

/* The root and all ranks of a placement are numbered `turn` higher, modulo nranks. */
struct plan {
	struct tt_placement hosts;
	int64_t root, turn;
};

/* Hosts made up: packed from the root on, as many as ranks on each without a number. */
static struct plan unplaced(int64_t nranks, int64_t root, const int64_t *values)
{
	int64_t nhosts = values[HOSTS] ? values[HOSTS] : tt_root_floor(nranks);

	return (struct plan){tt_placement_packed(nranks, nhosts), 0, root};
}

static struct plan on(const struct tt_placement *placement, int64_t root, const int64_t *values)
{
	if (values[HOSTS])
		return unplaced(placement->nranks, root, values);
	return (struct plan){*placement, root, 0};
}

static int64_t rank_of(const struct plan *plan, int64_t host, int64_t local)
{
	return (tt_placement_rank(&plan->hosts, host, local) + plan->turn) % plan->hosts.nranks;
}

static void collect(struct tt_schedule *schedule, const struct plan *plan)
{
	int64_t home = tt_placement_host(&plan->hosts, plan->root);
	int64_t second = tt_placement_most(&plan->hosts) > 1;

	for (int64_t host = 0; host < plan->hosts.nhosts; host++) {
		int64_t size = tt_placement_size(&plan->hosts, host);
		int64_t first = host == home ? schedule->root : rank_of(plan, host, 0);
		struct tt_message onward = {
			.schedule = schedule, .round = second, .from = first, .to = schedule->root};

		for (int64_t local = 0; local < size; local++) {
			int64_t rank = rank_of(plan, host, local);

			if (rank != first)
				tt_move(schedule, 0, rank, first, rank, 1);
			if (host != home)
				tt_message_put(&onward, rank, 0, 1);
		}
		tt_message_flush(&onward);
	}
}

static struct tt_cost cost_of(const struct plan *plan)
{
	int64_t home = tt_placement_host(&plan->hosts, plan->root), largest = 0;
	int64_t hosts = plan->hosts.nhosts, most = tt_placement_most(&plan->hosts);

	for (int64_t host = 0; host < hosts; host++) {
		int64_t size = tt_placement_size(&plan->hosts, host);

		largest = host != home && size > largest ? size : largest;
	}
	return (struct tt_cost){.rounds = (most > 1) + (hosts > 1),
				.volume = tt_blocks_of((most > 1) + largest, 1),
				.ports = (most > hosts ? most : hosts) - 1};
}

static void placed_build(struct tt_schedule *schedule, const struct tt_placement *placement,
			 const int64_t *values)
{
	struct plan plan = on(placement, schedule->root, values);

	collect(schedule, &plan);
}

static struct tt_cost placed_cost(const struct tt_placement *placement, int64_t root,
				  const int64_t *values)
{
	struct plan plan = on(placement, root, values);

	return cost_of(&plan);
}

static void build(struct tt_schedule *schedule, const int64_t *values)
{
	struct plan plan = unplaced(schedule->nranks, schedule->root, values);

	collect(schedule, &plan);
}

static int64_t rounds(int64_t nranks, const int64_t *values)
{
	struct plan plan = unplaced(nranks, 0, values);

	return cost_of(&plan).rounds;
}

static struct tt_fraction volume(int64_t nranks, const int64_t *values)
{
	struct plan plan = unplaced(nranks, 0, values);

	return cost_of(&plan).volume;
}

static int64_t ports(int64_t nranks, const int64_t *values)
{
	struct plan plan = unplaced(nranks, 0, values);

	return cost_of(&plan).ports;
}

const struct tt_algorithm tt_gather_hierarchical = {
	.summary = "one rank of each host collects its blocks and sends them in one message",
	.parameters = {{"hosts", "hosts packed from the root on, 0: where the ranks are", 0, 0, 0}},
	.build = build,
	.rounds = rounds,
	.volume = volume,
	.ports = ports,
	.placed = {.build = placed_build, .cost = placed_cost},
};
