/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * route.h - which links a message takes from one rank to another.
 *
 * A route is a shortest path.  Among equally short ones the rule is fixed, as loads depend on it:
 *   1. the path whose narrowest link is widest;
 *   2. then, at each vertex, the link with the lowest preference: on a grid that is dimension
 *      order, and clockwise where both ways round a ring are equally long ("one way");
 *   3. then the neighbour with the lowest number.
 * TT_ROUTE_OTHER takes the last instead of the first in 2 and 3, within the same dimension: with
 * half of each message on either route, ties are split ("half each way").
 *
 * Routes to a rank are computed when first asked for, in O(vertices + links), and kept.
 */
#ifndef TT_ROUTE_H
#define TT_ROUTE_H

#include "topology/topology.h"

enum tt_route_side { TT_ROUTE_FIRST, TT_ROUTE_OTHER };

struct tt_routes;

/* The topology must outlive the routes; both: TT_ROUTE_OTHER will be asked for too. */
totum_status tt_routes_new(const struct tt_topology *topology, bool both, struct tt_routes **out);
void tt_routes_free(struct tt_routes *routes); /* NULL is legal */
/*
 * next[v] is the link that a message for `rank` takes from vertex v; -1 at its own vertex and where
 * there is no way.  TOTUM_EUNSUPPORTED when all routes together would take more than a GiB.
 */
totum_status tt_routes_to(struct tt_routes *routes, int64_t rank, enum tt_route_side side,
			  const int32_t **next);

#endif
