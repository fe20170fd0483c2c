/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * candidates.h - every way to do a collective, priced, with the bound beside it and the choice
 * marked.
 *
 * The table that the planner chooses from is the one that is printed: nothing is decided that
 * cannot be seen.
 */
#ifndef TT_CANDIDATES_H
#define TT_CANDIDATES_H

#include "algorithms/algorithm.h"
#include "proof/bound.h"
#include "proof/price.h"
#include "topology/topology.h"

struct tt_question {
	enum tt_collective collective;
	int64_t nranks;
	uint64_t bytes; /* M */
	int root;
	struct tt_machine machine; /* of a topology only gamma counts */
	const char *measured; /* where the machine comes from, for the table; NULL: not measured */
	/*
	 * Both NULL: ranks with links of their own, as the machine says.  Else what the messages
	 * travel over; a symmetric shape of any size may come without its graph.
	 */
	const struct tt_topology *topology;
	const struct tt_shape *shape;
	const struct tt_placement *placement; /* which ranks share a host; NULL: not known */
	bool all; /* every parameter value that has a price of its own, not the best few */
	const char *algorithm; /* the choice is this one, "name,parameter=value"; NULL or "": the
				  planner's */
};

enum { TT_REASON_TEXT = 160 };

struct tt_candidate {
	const struct tt_algorithm_entry *entry;
	int64_t values[TT_PARAMETERS];
	char name[TT_ALGORITHM_TEXT];  /* with its parameters */
	char excluded[TT_REASON_TEXT]; /* "": a candidate; else why not, as the end of a sentence;
					  nothing below counts */
	struct tt_price
		price; /* on the machine's links; on a topology, with a link for each message */
	struct tt_fraction
		volume; /* on links: the price's; on a topology: blocks per unit of capacity on the
			   busiest link, summed over rounds, 0/0 where that leaves 64 bits */
	double latency,
		per_byte; /* seconds = latency + per_byte * bytes, for any number of bytes */
	/*
	 * The bound for as many messages a round as it sends, where those are more than the links;
	 * else the table's.
	 */
	double bound_latency, bound_per_byte;
	double seconds, bound;
	double own_seconds; /* with as many links as it has ports; equal to seconds when those are
			       there */
	double surcharge;   /* alpha for each queued message where the machine names no overhead */
	double judged;      /* what the choice compares: seconds + surcharge */
	bool crowded;       /* more messages in a round than links */
};

struct tt_candidates {
	struct tt_question question;
	struct tt_price least; /* of the machine: at most one message a link and round */
	double bound, bound_latency, bound_per_byte;
	struct tt_bound *cut; /* of a topology: its bandwidth bound; NULL without */
	double alpha;         /* what a round takes at least apart from bytes */
	int64_t count;
	struct tt_candidate *list; /* by predicted time; the excluded ones last, by name */
	int64_t chosen;            /* the one asked for, else the least judged one; -1: none */
};

/*
 * Equal questions give equal tables.  A price comes from the algorithm's claims where those
 * suffice, else from its schedule, on a topology from the load simulation of it.  What has more
 * moves than TT_CANDIDATE_MOVES, and is not made of shifts and exchanges, is excluded instead of
 * built.
 */
enum { TT_CANDIDATE_MOVES = 1 << 19 };
totum_status tt_candidates_new(const struct tt_question *question, struct tt_candidates **out);
void tt_candidates_free(struct tt_candidates *candidates); /* NULL is legal */

#endif
