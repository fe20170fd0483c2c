/* SPDX-License-Identifier: BSD-3-Clause */
/* choose - an algorithm for ranks on hosts: the market where the candidates' prices are compared.
 */
#include "planner/choose.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/choose_prices.h"

static const double picoseconds = 1e12;

/* At least 1; no more than fits with room to spare. */
static int64_t whole(double value)
{
	return value >= 1e18 ? (int64_t)1e18 : value > 1 ? llround(value) : 1;
}

static struct tt_toll toll_of(const struct tt_link_cost *cost)
{
	return (struct tt_toll){.cost = cost,
				.alpha = whole(cost->alpha * picoseconds),
				.ports = cost->ports > 1 ? cost->ports : 1};
}

tt_wide tt_toll_price(const struct tt_toll *toll, int64_t ranks, int64_t messages, tt_wide bytes)
{
	tt_wide turns = (messages + toll->ports - 1) / toll->ports;

	if (!messages)
		return 0;
	return turns * toll->alpha +
	       bytes * (int64_t)picoseconds / whole(tt_link_rate(toll->cost, ranks));
}

tt_wide tt_intake_price(const struct tt_market *market, int64_t messages, tt_wide bytes)
{
	if (!messages)
		return 0;
	return tt_toll_price(&market->between, 1, 1, bytes) +
	       (tt_wide)(messages - 1) * market->inside.alpha;
}

tt_wide tt_add_price(const struct tt_market *market, tt_wide bytes)
{
	return market->adds ? bytes * (int64_t)picoseconds / market->adds : 0;
}

void tt_market_offer(struct tt_market *market, tt_wide price, const char *format, ...)
{
	va_list arguments;

	if (market->best >= 0 && price >= market->best)
		return;
	market->best = price;
	va_start(arguments, format);
	vsnprintf(market->name, sizeof market->name, format, arguments);
	va_end(arguments);
}

static void look_at_hosts(struct tt_market *market)
{
	const struct tt_placement *placement = market->placement;

	market->home = tt_placement_host(placement, market->root);
	market->least = placement->nranks;
	for (int64_t host = 0; host < placement->nhosts; host++) {
		int64_t size = tt_placement_size(placement, host);

		market->most = size > market->most ? size : market->most;
		market->least = size < market->least ? size : market->least;
	}
}

totum_status tt_choose(enum tt_collective collective, const struct tt_placement *placement,
		       int64_t root, uint64_t bytes, const struct tt_link_costs *costs,
		       struct tt_choice *out)
{
	size_t hosts = (size_t)placement->nhosts;
	struct tt_market market = {
		.collective = collective,
		.placement = placement,
		.root = tt_rooted(collective) ? root : 0,
		.total = (tt_wide)bytes,
		.block = ((tt_wide)bytes + placement->nranks - 1) / placement->nranks,
		.inside = toll_of(&costs->inside),
		.between = toll_of(&costs->between),
		.adds = costs->gamma > 0 ? whole(1 / costs->gamma) : 0,
		.crossing = calloc(2 * hosts, sizeof(int64_t)),
		.best = -1,
	};

	if (!market.crossing)
		return tt_fail_memory(2 * hosts * sizeof(int64_t), "a choice");
	market.staying = market.crossing + hosts;
	look_at_hosts(&market);
	tt_market_flat(&market);
	tt_market_hierarchical(&market);
	free(market.crossing);
	snprintf(out->algorithm, sizeof out->algorithm, "%s", market.name);
	out->seconds = (double)market.best / picoseconds;
	return TOTUM_OK;
}
