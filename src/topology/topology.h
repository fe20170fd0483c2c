/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topology.h - the wires: ranks and switches, and the directed links between them.
 *
 *   rank 0 ---.            .--- rank 2    Every link has a capacity [B/s], a whole number, so that
 *              switch -- switch           bounds and loads are exact fractions; an alpha, paid by a
 *   rank 1 ---'            '--- rank 3    message that starts on it; and a hop time, paid by one
 *                                         that comes over another link first.
 *
 * A shared resource (a PCIe switch, a NIC of several ranks, a memory bus) is a switch
 * vertex with links of its own.  A topology is built by the add calls and then sealed;
 * afterwards it never changes.
 */
#ifndef TT_TOPOLOGY_H
#define TT_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "topology/names.h"
#include "topology/shape.h"

enum {
	TT_TOPOLOGY_NAME = 48,            /* bytes of a name with its end */
	TT_TOPOLOGY_VERTICES = 1 << 21,   /* the most that one topology holds */
	TT_TOPOLOGY_LINKS = 1 << 22,
	TT_TOPOLOGY_PREFERENCES = 2 * TT_SHAPE_DIMENSIONS,
};
/* Capacities above this are refused; a hop or alpha is at most 1000 s. */
#define TT_TOPOLOGY_CAPACITY INT64_C(1000000000000000)
#define TT_PICOSECONDS INT64_C(1000000000000)

struct tt_vertex {
	char name[TT_TOPOLOGY_NAME]; /* letters, digits and _ . - ; unique */
	int32_t rank;                /* its number, or -1: a switch */
	int32_t host;                /* of a rank: which host it is on; a switch: -1 */
};

/* What a link is made of. */
struct tt_wire {
	int64_t capacity;  /* B/s, >= 1 */
	int64_t alpha;     /* ps: start-up of a message whose route begins here */
	int64_t hop;       /* ps: what this link adds to a message that is under way (tau) */
	/* Which of equally short routes is taken, lower first: 2d forward along dimension d of a
	 * grid, 2d+1 backward; elsewhere 0.  Among equals the neighbour with the lower number
	 * comes first. */
	int32_t preference;
};

struct tt_link {
	int32_t from, to; /* vertices */
	struct tt_wire wire;
};

struct tt_topology {
	char name[TT_TOPOLOGY_NAME];
	struct tt_shape shape;   /* what generated it; shape.kind is TT_SHAPE_NONE for a file */
	int64_t nranks, nhosts, nvertices, nlinks;
	struct tt_vertex *vertices;
	struct tt_link *links;   /* sealed: ordered by from, then preference, then to */
	int32_t *rank_vertex;    /* sealed: [nranks] */
	int32_t *first_out;      /* sealed: [nvertices + 1], into links */
	int32_t *first_in;       /* sealed: [nvertices + 1], into in_links */
	int32_t *in_links;       /* sealed: [nlinks] indices of links, grouped by `to` */
	int64_t unit;            /* sealed: the greatest common divisor of the capacities, or 1 */
	char (*hosts)[TT_TOPOLOGY_NAME]; /* [nhosts] */
	/* below: for topology.c */
	int64_t vertex_room, link_room, host_room;
	struct tt_names vertex_names, host_names;
	totum_status failed;     /* the first failure of an add call; seal reports it */
};

/* --- building: add calls never fail by themselves, tt_topology_seal tells the first failure -- */

totum_status tt_topology_new(const char *name, struct tt_topology **out);
void tt_topology_free(struct tt_topology *topology); /* NULL is legal */
/* The host of this name, added if it is new; -1 after a failure. */
int32_t tt_topology_add_host(struct tt_topology *topology, const char *name);
/* Ranks are numbered in the order of adding; host -1: on a host of its own, with its name. Each
 * returns the vertex, or -1 after a failure. */
int32_t tt_topology_add_rank(struct tt_topology *topology, int32_t host, const char *name);
int32_t tt_topology_add_switch(struct tt_topology *topology, const char *name);
/* One direction; cable: both.  A second link of the same two adds its capacity to the first. */
void tt_topology_add_link(struct tt_topology *topology, int32_t from, int32_t to,
			  struct tt_wire wire);
void tt_topology_add_cable(struct tt_topology *topology, int32_t a, int32_t b, struct tt_wire wire);
/* Checks, groups and numbers.  At least one rank is needed; connection is not. */
totum_status tt_topology_seal(struct tt_topology *topology);
/* The vertex with this name, or -1. */
int32_t tt_topology_find(const struct tt_topology *topology, const char *name);
/* Of a link, the one in the other direction, or NULL. */
const struct tt_link *tt_topology_back(const struct tt_topology *topology,
				       const struct tt_link *link);
/* All links turned round, sealed: what bounds the reverse of a collective. */
totum_status tt_topology_reverse(const struct tt_topology *topology, struct tt_topology **out);

/* --- from and to text ------------------------------------------------------------------------ */

/*
 * A file (the text format of text.c; hwloc's XML when it ends in .xml or is written
 * "hwloc:FILE,option=value") or a SPEC of shape.h ("ring:8").  What names an existing file, has a
 * slash or ends in .topo is a file.
 */
totum_status tt_topology_open(const char *file_or_spec, struct tt_topology **out);
/* Builds the graph of a shape; TOTUM_EUNSUPPORTED when it would be larger than one may be. */
totum_status tt_topology_generate(const struct tt_shape *shape, struct tt_topology **out);
/*
 * The text format, documented in text.c.  `file` names the source in errors: "FILE:LINE: sentence".
 * Writing gives back a text that reads as the same topology, link for link.
 */
totum_status tt_topology_read(const char *text, size_t length, const char *file,
			      struct tt_topology **out);
totum_status tt_topology_write(const struct tt_topology *topology, FILE *out);
/*
 * The inside of a host from hwloc's XML, "FILE,option=value,..", see hwloc.c; TOTUM_EUNSUPPORTED
 * in a build without hwloc.
 */
totum_status tt_topology_hwloc(const char *file_and_options, struct tt_topology **out);

#endif
