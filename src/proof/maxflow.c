/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maxflow - Dinic's algorithm: layers by breadth-first search, then a blocking flow,
 * until the sink is cut off.
 *
 * The blocking flow walks one path forward and retreats from dead ends, without recursion, so that
 * a path of a million hops costs no stack.  Arc 2i and its residual twin 2i+1 lie beside each
 * other.  Source: Dinitz 1970.
 */
#include "proof/maxflow.h"

#include <stdlib.h>
#include <string.h>

struct tt_maxflow {
	int32_t nnodes;
	int64_t narcs;     /* without twins */
	int32_t *head;     /* [2 narcs] */
	int64_t *capacity; /* [narcs] as set */
	int64_t *rest;     /* [2 narcs] what can still flow */
	int64_t *first;    /* [nnodes + 1] into out */
	int64_t *out;      /* [2 narcs] the arcs that leave each node */
	int32_t *layer;    /* distance from the source, -1: cut off */
	int32_t *queue;
	int64_t *next; /* the arc to try next at each node */
	int64_t *path; /* arcs of the walk */
};

static void lay_out(struct tt_maxflow *network, const int32_t *tails, const int32_t *heads)
{
	for (int64_t i = 0; i < network->narcs; i++) {
		network->head[2 * i] = heads[i];
		network->head[2 * i + 1] = tails[i];
		network->first[tails[i] + 2]++;
		network->first[heads[i] + 2]++;
	}
	for (int32_t v = 0; v < network->nnodes; v++)
		network->first[v + 2] += network->first[v + 1];
	/* first[v + 1] is where node v's arcs begin; filling moves it to where they end. */
	for (int64_t i = 0; i < network->narcs; i++) {
		network->out[network->first[tails[i] + 1]++] = 2 * i;
		network->out[network->first[heads[i] + 1]++] = 2 * i + 1;
	}
}

totum_status tt_maxflow_new(int32_t nnodes, int64_t narcs, const int32_t *tails,
			    const int32_t *heads, struct tt_maxflow **out)
{
	struct tt_maxflow *network = calloc(1, sizeof *network);
	size_t n = (size_t)nnodes + 1, m = 2 * (size_t)narcs + 1;

	if (!network)
		return tt_fail_memory(sizeof *network, "a flow network");
	network->nnodes = nnodes;
	network->narcs = narcs;
	network->head = malloc(m * sizeof *network->head);
	network->capacity = calloc(m, sizeof *network->capacity);
	network->rest = calloc(m, sizeof *network->rest);
	network->first = calloc(n + 1, sizeof *network->first);
	network->out = malloc(m * sizeof *network->out);
	network->layer = malloc(n * sizeof *network->layer);
	network->queue = malloc(n * sizeof *network->queue);
	network->next = malloc(n * sizeof *network->next);
	network->path = malloc(n * sizeof *network->path);
	if (!network->head || !network->capacity || !network->rest || !network->first ||
	    !network->out || !network->layer || !network->queue || !network->next ||
	    !network->path) {
		tt_maxflow_free(network);
		return tt_fail_memory(n * 24 + m * 28, "a flow network");
	}
	lay_out(network, tails, heads);
	*out = network;
	return TOTUM_OK;
}

void tt_maxflow_free(struct tt_maxflow *network)
{
	if (!network)
		return;
	free(network->head);
	free(network->capacity);
	free(network->rest);
	free(network->first);
	free(network->out);
	free(network->layer);
	free(network->queue);
	free(network->next);
	free(network->path);
	free(network);
}

void tt_maxflow_set(struct tt_maxflow *network, int64_t arc, int64_t capacity)
{
	network->capacity[arc] = capacity;
}

/* Numbers nodes by distance from the source in what can still flow; false: the sink is cut off. */
static int find_layers(struct tt_maxflow *network, int32_t source, int32_t sink)
{
	int32_t head = 0, tail = 0;

	memset(network->layer, -1, (size_t)network->nnodes * sizeof *network->layer);
	network->layer[source] = 0;
	network->queue[tail++] = source;
	while (head < tail) {
		int32_t node = network->queue[head++];

		for (int64_t i = network->first[node]; i < network->first[node + 1]; i++) {
			int64_t arc = network->out[i];
			int32_t to = network->head[arc];

			if (!network->rest[arc] || network->layer[to] >= 0)
				continue;
			network->layer[to] = network->layer[node] + 1;
			network->queue[tail++] = to;
		}
	}
	return network->layer[sink] >= 0;
}

/* Pushes what the path of `length` arcs takes, at most `most`; returns where the walk goes on. */
static int32_t push(struct tt_maxflow *network, int32_t length, int64_t most, int64_t *flow)
{
	int64_t amount = most;
	int32_t back = length;

	for (int32_t i = 0; i < length; i++)
		if (network->rest[network->path[i]] < amount)
			amount = network->rest[network->path[i]];
	for (int32_t i = length - 1; i >= 0; i--) {
		network->rest[network->path[i]] -= amount;
		network->rest[network->path[i] ^ 1] += amount;
		if (!network->rest[network->path[i]])
			back = i;
	}
	*flow += amount;
	return back < length ? back : 0;
}

/* One blocking flow through the layers, at most `most`. */
static int64_t block(struct tt_maxflow *network, int32_t source, int32_t sink, int64_t most)
{
	int64_t flow = 0;
	int32_t length = 0, node = source;

	memcpy(network->next, network->first, (size_t)network->nnodes * sizeof *network->next);
	while (flow < most) {
		if (node == sink) {
			length = push(network, length, most - flow, &flow);
			node = network->head[network->path[length] ^ 1];
			continue;
		}
		int64_t arc = -1;
		for (; network->next[node] < network->first[node + 1]; network->next[node]++) {
			int64_t candidate = network->out[network->next[node]];

			if (network->rest[candidate] &&
			    network->layer[network->head[candidate]] == network->layer[node] + 1) {
				arc = candidate;
				break;
			}
		}
		if (arc >= 0) {
			network->path[length++] = arc;
			node = network->head[arc];
		} else if (length) {
			node = network->head[network->path[--length] ^ 1];
			network->next[node]++;
		} else {
			break;
		}
	}
	return flow;
}

int64_t tt_maxflow_run(struct tt_maxflow *network, int32_t source, int32_t sink, int64_t enough)
{
	int64_t flow = 0;

	for (int64_t i = 0; i < network->narcs; i++) {
		network->rest[2 * i] = network->capacity[i];
		network->rest[2 * i + 1] = 0;
	}
	while (flow < enough && find_layers(network, source, sink))
		flow += block(network, source, sink, enough - flow);
	return flow;
}

int tt_maxflow_inside(const struct tt_maxflow *network, int32_t node)
{
	return network->layer[node] >= 0;
}
