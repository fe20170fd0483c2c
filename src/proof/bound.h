/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bound.h - the time that no schedule can beat on a topology, with the cut that proves it.
 *
 * Bandwidth.  Take any set S of vertices that leaves out at least one rank which wants everything:
 * all the data of the ranks in S must leave S over its links, so
 *
 *     T >= lambda * (bytes of a block),
 *     lambda = max over S of  weight(S) / capacity of the links out of S,
 *
 * weight(S) being the number of blocks that start in S.  lambda is computed exactly, in whole
 * numbers, by max-flow; it is reachable in the limit of small pieces.  The maximising S is the
 * witness: its outgoing links are the bottleneck.
 *
 * Latency.  With k ports at most (k+1)^t ranks know a block after t rounds; and where messages are
 * relayed by ranks only, rounds are at least the diameter.
 */
#ifndef TT_BOUND_H
#define TT_BOUND_H

#include "proof/fraction.h"
#include "schedule/ir.h"
#include "topology/topology.h"

enum { TT_BOUND_SENTENCE = 320 };

struct tt_bound {
	struct tt_fraction lambda;      /* blocks per B/s: seconds = lambda * bytes of a block */
	struct tt_fraction lambda_unit; /* the same in blocks per `unit`: small numbers */
	int64_t unit;                   /* B/s: the greatest common divisor of the capacities */
	int64_t weight, capacity;       /* of the witness: blocks inside, B/s of its links out */
	uint8_t *witness;               /* [nvertices]: 1 for those of S; NULL: from a shape */
	const char *method;             /* "max-flow", "one link of a tree", "symmetry", .. */
	char sentence[TT_BOUND_SENTENCE]; /* names the bottleneck */
};

/*
 * The all-gather bound.  weights[r] is the number of blocks that rank r contributes (uneven
 * shards); NULL: one each.  A rank that cannot be reached is TOTUM_EINVAL.  Cost: at most a few
 * max-flows per rank; trees and symmetric shapes O(vertices).
 */
totum_status tt_bound_allgather(const struct tt_topology *topology, const int64_t *weights,
				struct tt_bound **out);
/*
 * The bound of any collective in blocks of 1/nranks of its buffer (all-to-all: of one block
 * from rank to rank): the same cut with the sources and the sinks that the collective has,
 * reversed links where it gathers sums.  Of all-reduce the better of M / (smallest cut between
 * ranks) and the two halves; of all-to-all the cuts around single vertices only, which is a
 * bound but not always the best one.
 */
totum_status tt_bound_collective(const struct tt_topology *topology, enum tt_collective collective,
				 int root, const int64_t *weights, struct tt_bound **out);
/* Two special ways to the same all-gather lambda, TOTUM_EUNSUPPORTED where they do not apply. */
totum_status tt_bound_tree(const struct tt_topology *topology, const int64_t *weights,
			   struct tt_bound **out);
totum_status tt_bound_shape(const struct tt_shape *shape, struct tt_bound **out);
/* Always by max-flow: what the special ways are tested against. */
totum_status tt_bound_maxflow(const struct tt_topology *topology, const int64_t *weights,
			      struct tt_bound **out);
void tt_bound_free(struct tt_bound *bound); /* NULL is legal */
/* lambda * block_bytes, in seconds. */
double tt_bound_seconds(const struct tt_bound *bound, double block_bytes);

/*
 * All that limits a collective of blocks of block_bytes bytes, on a topology or, when that
 * is NULL, on a symmetric shape without its graph, where only all-gather, reduce-scatter
 * and all-reduce are known.
 *
 * With barriers between rounds a run takes at least latency + bytes.  Without them alphas hide
 * behind bytes, and what holds is the greater of latency and alpha + bytes.
 */
struct tt_limits {
	struct tt_bound *bound;
	int64_t rounds;  /* with one message a round */
	double alpha;    /* seconds: the least start-up time of a message */
	double latency;  /* seconds: alpha times the rounds that all links of a rank allow */
	double bytes;    /* seconds: the bound */
};
totum_status tt_limits_make(const struct tt_topology *topology, const struct tt_shape *shape,
			    enum tt_collective collective, int root, double block_bytes,
			    struct tt_limits *out);
void tt_limits_free(struct tt_limits *limits);

/* ceil(log of nranks to the base ports+1): the fewest rounds; 0 for one rank. */
int64_t tt_bound_rounds(int64_t nranks, int64_t ports);
/*
 * The most rank-to-rank sections on any shortest path, switches being passed freely: the fewest
 * rounds when data are relayed by ranks only.  TOTUM_EINVAL when a rank cannot be reached.
 */
totum_status tt_bound_diameter(const struct tt_topology *topology, int64_t *out);

#endif
