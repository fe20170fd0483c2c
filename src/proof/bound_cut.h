/* SPDX-License-Identifier: BSD-3-Clause */
/* bound_cut.h - what the ways to a cut bound share: the question, the answer from a witness. */
#ifndef TT_BOUND_CUT_H
#define TT_BOUND_CUT_H

#include "proof/bound.h"

/* How much starts at each rank, and which ranks want all of it. */
struct tt_cut_question {
	const struct tt_topology *topology;
	const int64_t *weights; /* [nranks], each >= 0; NULL: one each */
	const uint8_t *sinks;   /* [nranks]; NULL: all */
	bool pairs;             /* all-to-all: a cut's weight is ranks inside times ranks outside */
};

static inline int64_t tt_cut_weight(const struct tt_cut_question *question, int64_t rank)
{
	return question->weights ? question->weights[rank] : 1;
}

static inline bool tt_cut_sink(const struct tt_cut_question *question, int64_t rank)
{
	return !question->sinks || question->sinks[rank];
}

/* The sum of all weights; TOTUM_EINVAL for a negative one or a sum too large to compute with. */
totum_status tt_cut_total(const struct tt_cut_question *question, int64_t *out);

/*
 * The bound that a set S proves; witness is [nvertices], 1 inside, and becomes the bound's in
 * success and in failure.  A cut without capacity that must carry something is TOTUM_EINVAL:
 * somebody cannot be reached.
 */
totum_status tt_cut_bound(const struct tt_cut_question *question, uint8_t *witness,
			  const char *method, struct tt_bound **out);
/* S = everything but one vertex. */
totum_status tt_cut_around(const struct tt_cut_question *question, int32_t vertex,
			   const char *method, struct tt_bound **out);

/* The exact answers; the tree's is TOTUM_EUNSUPPORTED when the topology has a cycle. */
totum_status tt_cut_by_maxflow(const struct tt_cut_question *question, struct tt_bound **out);
totum_status tt_cut_by_tree(const struct tt_cut_question *question, struct tt_bound **out);
/* Whichever of the two applies and is faster. */
totum_status tt_cut_best(const struct tt_cut_question *question, struct tt_bound **out);
/* All-to-all: a good cut, exact on trees (bound_alltoall.c). */
totum_status tt_cut_alltoall(const struct tt_topology *topology, struct tt_bound **out);
/* The greater of two bounds, either of which may be NULL; frees the other. */
struct tt_bound *tt_bound_greater(struct tt_bound *a, struct tt_bound *b);

#endif
