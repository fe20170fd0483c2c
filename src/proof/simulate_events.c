/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate_events - from one start or end of a flow to the next, rates being constant in between.
 *
 * A message is one flow, or two halves on different routes.  Flows wait for their latency in a
 * heap; then they are active and share links max-min fairly until they have carried their bytes.
 * Times are floating point: what they decide is a prediction, never a proof.
 */
#include "proof/simulate_events.h"

#include <math.h>
#include <stdlib.h>

#include "proof/simulate_share.h"
#include "schedule/grow.h"
#include "topology/route.h"

/* What is left of a flow when only rounding is left of it. */
static const double dust = 1e-11;

struct flow {
	int64_t message;
	double bytes, rest; /* rest is what is still to be carried */
	double latency;     /* hops beyond the first link */
};

struct pending {
	double time;
	int32_t flow;
};

struct tt_events {
	const struct tt_topology *topology;
	const struct tt_simulate_options *options;
	struct tt_routes *routes;
	struct tt_share share;
	double bytes_per_volume, now;
	double *capacity; /* [nlinks] */
	double *free_at;  /* [nlinks]: when the next message may begin its alpha on this link */
	totum_status (*done)(void *context, int64_t message, double now);
	void *context;
	struct flow *flows;
	int64_t nflows, flows_room;
	int64_t *first; /* [nflows] into links */
	int32_t *hops;  /* [nflows] */
	double *rate;   /* [nflows] */
	int32_t *links;
	int64_t nlinks, links_room, first_room, hops_room, rate_room;
	int32_t *left; /* [nmessages]: flows not done */
	int64_t nmessages, left_room;
	int64_t *flow_of; /* [nmessages]: the first of its flows */
	int64_t flow_of_room;
	struct pending *heap;
	int64_t nheap, heap_room;
	int32_t *active;
	int64_t nactive, active_room;
};

static totum_status no_memory(void)
{
	return tt_fail_memory(sizeof(struct flow),
			      "flows; simulate a smaller schedule or use --model load");
}

totum_status tt_events_new(const struct tt_topology *topology,
			   const struct tt_simulate_options *options, int64_t scale,
			   totum_status (*done)(void *context, int64_t message, double now),
			   void *context, struct tt_events **out)
{
	struct tt_events *events = calloc(1, sizeof *events);
	size_t nlinks = (size_t)topology->nlinks + 1;

	if (!events)
		return no_memory();
	events->topology = topology;
	events->options = options;
	events->done = done;
	events->context = context;
	events->bytes_per_volume = options->block_bytes / (double)scale;
	events->capacity = malloc(nlinks * sizeof *events->capacity);
	events->free_at = calloc(nlinks, sizeof *events->free_at);
	totum_status status = events->capacity && events->free_at ? TOTUM_OK : no_memory();
	for (int64_t i = 0; !status && i < topology->nlinks; i++)
		events->capacity[i] = (double)topology->links[i].wire.capacity;
	if (!status)
		status = tt_routes_new(topology, options->split, &events->routes);
	if (!status)
		status = tt_share_new(&events->share, topology->nlinks, events->capacity);
	if (status) {
		tt_events_free(events);
		return status;
	}
	*out = events;
	return TOTUM_OK;
}

void tt_events_free(struct tt_events *events)
{
	if (!events)
		return;
	tt_routes_free(events->routes);
	tt_share_free(&events->share);
	free(events->capacity);
	free(events->free_at);
	free(events->flows);
	free(events->first);
	free(events->hops);
	free(events->rate);
	free(events->links);
	free(events->left);
	free(events->flow_of);
	free(events->heap);
	free(events->active);
	free(events);
}

void tt_events_clear(struct tt_events *events)
{
	events->nflows = events->nlinks = events->nmessages = 0;
}

/* Room for one more of everything a flow needs; heap and active list then never lack any. */
static bool reserve_flow(struct tt_events *events)
{
	struct flow *flows =
		tt_grow(events->flows, events->nflows, &events->flows_room, sizeof *flows);
	int64_t *first = tt_grow(events->first, events->nflows, &events->first_room, sizeof *first);
	int32_t *hops = tt_grow(events->hops, events->nflows, &events->hops_room, sizeof *hops);
	double *rate = tt_grow(events->rate, events->nflows, &events->rate_room, sizeof *rate);
	struct pending *heap =
		tt_grow(events->heap, events->nflows, &events->heap_room, sizeof *heap);
	int32_t *active =
		tt_grow(events->active, events->nflows, &events->active_room, sizeof *active);

	events->flows = flows ? flows : events->flows;
	events->first = first ? first : events->first;
	events->hops = hops ? hops : events->hops;
	events->rate = rate ? rate : events->rate;
	events->heap = heap ? heap : events->heap;
	events->active = active ? active : events->active;
	return flows && first && hops && rate && heap && active && events->nflows < INT32_MAX;
}

static totum_status add_flow(struct tt_events *events, const struct tt_message *message,
			     enum tt_route_side side, double bytes)
{
	const struct tt_topology *topology = events->topology;
	int32_t at = topology->rank_vertex[message->from], end = topology->rank_vertex[message->to];
	const int32_t *next;
	totum_status status = tt_routes_to(events->routes, message->to, side, &next);

	if (status)
		return status;
	if (!reserve_flow(events))
		return no_memory();
	struct flow flow = {.message = events->nmessages, .bytes = bytes};
	int64_t first = events->nlinks, later = 0;
	for (; at != end; at = topology->links[next[at]].to) {
		if (next[at] < 0)
			return tt_fail(
				TOTUM_EINVAL,
				"topology %s: no links lead from rank %d to rank %d; connect them",
				topology->name, message->from, message->to);
		int32_t *links =
			tt_grow(events->links, events->nlinks, &events->links_room, sizeof *links);
		if (!links)
			return no_memory();
		events->links = links;
		later += events->nlinks > first ? topology->links[next[at]].wire.hop : 0;
		links[events->nlinks++] = next[at];
	}
	flow.latency = (double)later / (double)TT_PICOSECONDS;
	events->first[events->nflows] = first;
	events->hops[events->nflows] = (int32_t)(events->nlinks - first);
	events->flows[events->nflows++] = flow;
	return TOTUM_OK;
}

totum_status tt_events_add(struct tt_events *events, const struct tt_message *message)
{
	int32_t *left = tt_grow(events->left, events->nmessages, &events->left_room, sizeof *left);
	int64_t *flow_of =
		tt_grow(events->flow_of, events->nmessages, &events->flow_of_room, sizeof *flow_of);
	double bytes = (double)message->volume * events->bytes_per_volume;
	bool split = events->options->split;

	events->left = left ? left : events->left;
	events->flow_of = flow_of ? flow_of : events->flow_of;
	if (!left || !flow_of)
		return no_memory();
	flow_of[events->nmessages] = events->nflows;
	totum_status status = add_flow(events, message, TT_ROUTE_FIRST, split ? bytes / 2 : bytes);
	if (!status && split)
		status = add_flow(events, message, TT_ROUTE_OTHER, bytes / 2);
	left[events->nmessages++] = split ? 2 : 1;
	return status;
}

static void push(struct tt_events *events, struct pending item)
{
	int64_t at = events->nheap++;

	for (; at && events->heap[(at - 1) / 2].time > item.time; at = (at - 1) / 2)
		events->heap[at] = events->heap[(at - 1) / 2];
	events->heap[at] = item;
}

static int32_t pop(struct tt_events *events)
{
	int32_t flow = events->heap[0].flow;
	struct pending last = events->heap[--events->nheap];
	int64_t at = 0;

	for (int64_t child; (child = 2 * at + 1) < events->nheap; at = child) {
		if (child + 1 < events->nheap &&
		    events->heap[child + 1].time < events->heap[child].time)
			child++;
		if (events->heap[child].time >= last.time)
			break;
		events->heap[at] = events->heap[child];
	}
	events->heap[at] = last;
	return flow;
}

void tt_events_launch(struct tt_events *events, int64_t message, double now)
{
	int64_t begin = events->flow_of[message], end = begin + (events->options->split ? 2 : 1);
	int32_t before = -1;
	double left_at = now;

	for (int64_t f = begin; f < end; f++) {
		int32_t link = events->links[events->first[f]];
		double alpha =
			(double)events->topology->links[link].wire.alpha / (double)TT_PICOSECONDS;

		/* Both halves over the same link are one message there. */
		if (link != before) {
			double turn = events->options->overlap || events->free_at[link] < now
					      ? now
					      : events->free_at[link];

			left_at = turn + alpha;
			events->free_at[link] = left_at;
		}
		before = link;
		events->flows[f].rest = events->flows[f].bytes;
		push(events, (struct pending){.time = left_at + events->flows[f].latency,
					      .flow = (int32_t)f});
	}
}

/* Moves what has waited long enough to the active flows. */
static void activate(struct tt_events *events)
{
	while (events->nheap && events->heap[0].time <= events->now)
		events->active[events->nactive++] = pop(events);
}

/* How long until the next flow ends or starts; *ending is the flow that ends, -1 for none. */
static double next_event(const struct tt_events *events, int32_t *ending)
{
	double wait = events->nheap ? events->heap[0].time - events->now : INFINITY;

	*ending = -1;
	for (int64_t i = 0; i < events->nactive; i++) {
		int32_t f = events->active[i];
		double needs = events->flows[f].rest / events->rate[f];

		if (needs <= wait) {
			wait = needs;
			*ending = f;
		}
	}
	return wait;
}

/* Carries bytes for `wait` seconds and takes out the flows that are done. */
static totum_status advance(struct tt_events *events, double wait, int32_t ending)
{
	int64_t kept = 0, nended = 0;
	totum_status status = TOTUM_OK;

	events->now += wait;
	for (int64_t i = 0; i < events->nactive; i++) {
		int32_t f = events->active[i];
		struct flow *flow = &events->flows[f];

		flow->rest -= events->rate[f] * wait;
		/* Kept ones to the front, ended ones behind them in the same array, by exchange. */
		if (f != ending && flow->rest > dust * flow->bytes) {
			events->active[i] = events->active[kept];
			events->active[kept++] = f;
		} else {
			nended++;
		}
	}
	events->nactive = kept;
	for (int64_t i = 0; i < nended && !status; i++) {
		int64_t message = events->flows[events->active[kept + i]].message;

		if (!--events->left[message])
			status = events->done(events->context, message, events->now);
	}
	return status;
}

totum_status tt_events_run(struct tt_events *events)
{
	for (;;) {
		int32_t ending;

		if (!events->nactive && events->nheap && events->heap[0].time > events->now)
			events->now = events->heap[0].time;
		activate(events);
		if (!events->nactive)
			return TOTUM_OK;
		events->share.links = events->links;
		events->share.first = events->first;
		events->share.hops = events->hops;
		totum_status status = tt_share_fairly(&events->share, events->active,
						      events->nactive, events->rate);
		if (status)
			return status;
		double wait = next_event(events, &ending);
		status = advance(events, wait, ending);
		if (status)
			return status;
	}
}
