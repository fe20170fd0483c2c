/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bound_tree - the cut bound of a tree-shaped network: the worst single link.
 *
 * Where cables form no cycle every cut is a union of single-link cuts, and a ratio of sums is at
 * most the greatest of the ratios.  So lambda is the maximum, over the directed links u->v, of
 * the weight on u's side divided by the link's capacity.  One breadth-first walk, any depth and
 * taper: O(vertices + links).
 */
#include <stdlib.h>
#include <string.h>

#include "proof/bound_cut.h"

struct tree {
	const struct tt_cut_question *question;
	int32_t *parent;    /* -1: not seen; the root is its own */
	int32_t *order;     /* vertices, parents first */
	int64_t *up, *down; /* capacity to and from the parent, 0: no such link */
	int64_t *weight;    /* below and at the vertex */
	int64_t *sinks;
	int64_t total, nsinks;
};

static totum_status allocate(struct tree *tree)
{
	size_t n = (size_t)tree->question->topology->nvertices;

	tree->parent = malloc(n * sizeof *tree->parent);
	tree->order = malloc(n * sizeof *tree->order);
	tree->up = calloc(n, sizeof *tree->up);
	tree->down = calloc(n, sizeof *tree->down);
	tree->weight = calloc(n, sizeof *tree->weight);
	tree->sinks = calloc(n, sizeof *tree->sinks);
	if (!tree->parent || !tree->order || !tree->up || !tree->down || !tree->weight ||
	    !tree->sinks)
		return tt_fail_memory(n * 40, "a tree");
	memset(tree->parent, -1, n * sizeof *tree->parent);
	return TOTUM_OK;
}

static void release(struct tree *tree)
{
	free(tree->parent);
	free(tree->order);
	free(tree->up);
	free(tree->down);
	free(tree->weight);
	free(tree->sinks);
}

/*
 * Looks at the link between `at` and `other` in the direction given; false when it closes a cycle.
 * `tail` counts the vertices found.
 */
static bool meet(struct tree *tree, int32_t at, int32_t other, bool outgoing, int64_t capacity,
		 int64_t *tail)
{
	if (other == tree->parent[at] && other != at) {
		if (outgoing)
			tree->up[at] = capacity;
		else
			tree->down[at] = capacity;
		return true;
	}
	if (tree->parent[other] < 0) {
		tree->parent[other] = at;
		tree->order[(*tail)++] = other;
	} else if (tree->parent[other] != at) {
		return false;
	}
	if (outgoing)
		tree->down[other] = capacity;
	else
		tree->up[other] = capacity;
	return true;
}

/* Walks from vertex 0 along links in either direction; false: a cycle, or a part is left over. */
static bool walk(struct tree *tree)
{
	const struct tt_topology *topology = tree->question->topology;
	int64_t head = 0, tail = 1;

	tree->order[0] = 0;
	tree->parent[0] = 0;
	while (head < tail) {
		int32_t at = tree->order[head++];

		for (int32_t i = topology->first_out[at]; i < topology->first_out[at + 1]; i++)
			if (!meet(tree, at, topology->links[i].to, true,
				  topology->links[i].wire.capacity, &tail))
				return false;
		for (int32_t i = topology->first_in[at]; i < topology->first_in[at + 1]; i++) {
			const struct tt_link *link = &topology->links[topology->in_links[i]];

			if (!meet(tree, at, link->from, false, link->wire.capacity, &tail))
				return false;
		}
	}
	return tail == topology->nvertices;
}

static void add_up(struct tree *tree)
{
	const struct tt_topology *topology = tree->question->topology;

	for (int64_t r = 0; r < topology->nranks; r++) {
		tree->weight[topology->rank_vertex[r]] = tt_cut_weight(tree->question, r);
		tree->sinks[topology->rank_vertex[r]] = tt_cut_sink(tree->question, r);
	}
	for (int64_t i = topology->nvertices - 1; i > 0; i--) {
		int32_t v = tree->order[i];

		tree->weight[tree->parent[v]] += tree->weight[v];
		tree->sinks[tree->parent[v]] += tree->sinks[v];
	}
	tree->total = tree->weight[0];
	tree->nsinks = tree->sinks[0];
}

/* Is the cut of this weight and capacity worse than the worst?  Capacity 0 is infinitely bad. */
static bool worse(int64_t weight, int64_t capacity, int64_t worst_weight, int64_t worst_capacity)
{
	return (__int128)weight * worst_capacity > (__int128)worst_weight * capacity;
}

/* The witness of the worst link: what lies below a vertex, or everything else. */
static uint8_t *worst_cut(const struct tree *tree)
{
	int64_t n = tree->question->topology->nvertices;
	int64_t weight = -1, capacity = 1;
	int32_t cut = 0;
	bool below = false;

	for (int64_t i = 1; i < n; i++) {
		int32_t v = tree->order[i];
		int64_t own = tree->weight[v], rest = tree->total - own;

		if (tree->question->pairs)
			own = rest = own * rest;
		if (tree->sinks[v] < tree->nsinks && worse(own, tree->up[v], weight, capacity)) {
			weight = own;
			capacity = tree->up[v];
			cut = v;
			below = true;
		}
		if (tree->sinks[v] && worse(rest, tree->down[v], weight, capacity)) {
			weight = rest;
			capacity = tree->down[v];
			cut = v;
			below = false;
		}
	}
	uint8_t *witness = malloc((size_t)n);
	if (!witness)
		return NULL;
	for (int64_t i = 0; i < n; i++) {
		int32_t v = tree->order[i];

		witness[v] = v == cut || (i && witness[tree->parent[v]]);
	}
	for (int64_t v = 0; v < n && !below; v++)
		witness[v] = !witness[v];
	return witness;
}

totum_status tt_cut_by_tree(const struct tt_cut_question *question, struct tt_bound **out)
{
	struct tree tree = {.question = question};
	int64_t total;
	totum_status status = tt_cut_total(question, &total);

	if (!status)
		status = allocate(&tree);
	if (!status && !walk(&tree))
		status = tt_fail(TOTUM_EUNSUPPORTED,
				 "topology %s has a cycle or falls into parts; the one-link "
				 "formula is for trees",
				 question->topology->name);
	if (!status) {
		add_up(&tree);
		uint8_t *witness = worst_cut(&tree);

		status = witness ? tt_cut_bound(question, witness, "one link of a tree", out)
				 : tt_fail_memory((size_t)question->topology->nvertices, "a cut");
	}
	release(&tree);
	return status;
}
