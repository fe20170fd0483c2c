/* SPDX-License-Identifier: BSD-3-Clause */
/* generate.h - what the generators share: one function per family adds its vertices and links. */
#ifndef TT_GENERATE_H
#define TT_GENERATE_H

#include "topology/topology.h"

/* Each fills a new topology whose name and shape are set; failures stick to it. */
void tt_generate_grid(struct tt_topology *topology);      /* ring, line, torus, mesh, hypercube */
void tt_generate_full(struct tt_topology *topology);
void tt_generate_tree(struct tt_topology *topology);      /* star, fattree, hosts */
void tt_generate_dragonfly(struct tt_topology *topology);
void tt_generate_boxes(struct tt_topology *topology);     /* boxes, a100, h100, mi250, dgx1 */

/* The wire of the shape's own rate, alpha and hop. */
struct tt_wire tt_generate_wire(const struct tt_topology *topology);
/* Ranks r0 .. each on a host of its own name, for machines whose ranks are hosts. */
int32_t tt_generate_rank(struct tt_topology *topology, int64_t rank);

#endif
