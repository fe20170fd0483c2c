/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shape.h - a topology named by a few numbers: the SPEC strings of the command line.
 *
 * A shape is a constant-size description.  It becomes a graph with tt_topology_generate;
 * what is known by arithmetic alone (bounds and loads of rings, tori and full meshes of a
 * million ranks) needs no graph.
 *
 *   ring:8  line:8  full:8  star:3      one number: how many ranks (star: around one switch)
 *   torus:3x3x3  mesh:4x4  hypercube:3  dimensions, ranks in row-major order, the last one fastest
 *   fattree:4x4,host=2,uplink=4         a tree of switches, 4 leaves of 4 ranks; any depth;
 *                                       or taper=2
 *   dragonfly:4,h=1,p=0                 groups of 4 routers, h global links each; p ranks a router,
 *                                       0: routers are ranks
 *   boxes:2x8,inside=300,outside=25     each rank has a link to its box's switch, one to the core
 *   hosts:2x4  or just  2x4             each host is a switch, with one link to the core
 *   dgx1  a100:2  h100:4  mi250:2       known machines, with how many boxes
 *
 * Options, for all: rate= alpha= hop=.  Rates are "25GB/s" or a plain number of GB/s; times need
 * a unit.
 */
#ifndef TT_SHAPE_H
#define TT_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum tt_shape_kind {
	TT_SHAPE_NONE,
	TT_SHAPE_RING,
	TT_SHAPE_LINE,
	TT_SHAPE_TORUS,
	TT_SHAPE_MESH,
	TT_SHAPE_HYPERCUBE,
	TT_SHAPE_FULL,
	TT_SHAPE_STAR,
	TT_SHAPE_FATTREE,
	TT_SHAPE_DRAGONFLY,
	TT_SHAPE_BOXES,
	TT_SHAPE_HOSTS,
	TT_SHAPE_DGX1,
	TT_SHAPE_A100,
	TT_SHAPE_H100,
	TT_SHAPE_MI250,
	TT_SHAPES
};

enum { TT_SHAPE_DIMENSIONS = 32 };

struct tt_shape {
	enum tt_shape_kind kind;
	int ndims;
	int64_t dims[TT_SHAPE_DIMENSIONS]; /* ring, line, full, star: one; hypercube: ndims twos */
	int64_t nranks;
	int64_t rate;    /* B/s of a link; boxes, hosts: the inside one; fat tree: the ranks' */
	int64_t outside; /* B/s; boxes, hosts: to the core; fat tree: leaf's uplink, 0: by taper */
	int64_t taper;   /* fat tree: each level has 1/taper of what enters it from below */
	int64_t global_links, router_ranks; /* dragonfly: h and p */
	int64_t alpha, hop, outside_alpha;  /* ps */
};

/* The whole of text must be a SPEC; TOTUM_EPARSE with a sentence that quotes it. */
totum_status tt_shape_parse(const char *text, struct tt_shape *out);
/* "ring", NULL for none. */
const char *tt_shape_name(enum tt_shape_kind kind);
/* Are the ranks the points of a grid with shape.dims (ring, line, torus, mesh, hypercube)? */
bool tt_shape_grid(const struct tt_shape *shape);
/*
 * Does every rank look like every other, over links of one capacity, and is the shape a product
 * of rings (ring, torus, hypercube; a dimension of 2 is one cable) or a full mesh?  Then
 * arithmetic replaces the graph.
 */
bool tt_shape_symmetric(const struct tt_shape *shape);
/*
 * Of a symmetric shape: links that leave a rank; the greatest distance between two ranks; the
 * greatest common divisor of its capacities, which is its rate, or 1 without links.
 */
int64_t tt_shape_degree(const struct tt_shape *shape);
int64_t tt_shape_diameter(const struct tt_shape *shape);
int64_t tt_shape_unit(const struct tt_shape *shape);

#endif
