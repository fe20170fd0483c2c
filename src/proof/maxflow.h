/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maxflow.h - the greatest flow from one node of a network to another, in whole
 * numbers, and its least cut.
 *
 * The arcs are laid out once; their capacities can be changed between runs, because a bound asks
 * for the flow to every rank at several scales of the same graph.
 */
#ifndef TT_MAXFLOW_H
#define TT_MAXFLOW_H

#include <stdint.h>

#include "base/status.h"

struct tt_maxflow;

/* An arc is from tails[i] to heads[i]; capacities start at 0. O(nnodes + narcs) memory. */
totum_status tt_maxflow_new(int32_t nnodes, int64_t narcs, const int32_t *tails,
			    const int32_t *heads, struct tt_maxflow **out);
void tt_maxflow_free(struct tt_maxflow *network); /* NULL is legal */
/* The capacity of arc i from the next run on: 0 <= capacity <= INT64_MAX / 4. */
void tt_maxflow_set(struct tt_maxflow *network, int64_t arc, int64_t capacity);
/*
 * The flow from source to sink, or `enough` as soon as it is reached.  Dinic's algorithm: O(V^2 E)
 * at worst, a few passes over the arcs on networks whose paths are short.
 */
int64_t tt_maxflow_run(struct tt_maxflow *network, int32_t source, int32_t sink, int64_t enough);
/* After a run that stayed below `enough`: is the node on the source's side of the least cut? */
int tt_maxflow_inside(const struct tt_maxflow *network, int32_t node);

#endif
