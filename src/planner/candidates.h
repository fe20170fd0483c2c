/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * candidates.h - every way to do a collective, priced, with the bound beside it and the choice marked.
 *
 * The table that the planner chooses from is the one that is printed: nothing is decided that cannot be seen.
 */
#ifndef TT_CANDIDATES_H
#define TT_CANDIDATES_H

#include "algorithms/algorithm.h"
#include "proof/price.h"

struct tt_question {
	enum tt_collective collective;
	int64_t nranks;
	uint64_t bytes; /* M */
	int root;
	struct tt_machine machine;
	bool all;  /* every parameter value that has a price of its own, not the best few */
	const char *algorithm; /* the choice is this one, "name,parameter=value"; NULL or "": the planner's */
};

enum { TT_REASON_TEXT = 160 };

struct tt_candidate {
	const struct tt_algorithm_entry *entry;
	int64_t values[TT_PARAMETERS];
	char name[TT_ALGORITHM_TEXT];   /* with its parameters */
	char excluded[TT_REASON_TEXT];  /* "": a candidate; else why not, as the end of a sentence; nothing below counts */
	struct tt_price price;          /* on the machine's links */
	struct tt_price least;          /* what no schedule with as many messages a round can go below */
	double seconds, bound;
	double own_seconds;             /* with as many links as it has ports; equal to seconds when those are there */
	double judged;                  /* what the choice compares: seconds, and alpha for each queued message
					   where the machine names no overhead */
	bool crowded;                   /* more messages in a round than links */
};

struct tt_candidates {
	struct tt_question question;
	struct tt_price least; /* of the machine: at most one message a link and round */
	double bound;
	int64_t count;
	struct tt_candidate *list; /* by predicted time; the excluded ones last, by name */
	int64_t chosen;            /* the one asked for, else the least judged one; -1: none */
};

/*
 * Equal questions give equal tables.  A price comes from the algorithm's claims where those suffice, else from
 * its schedule; explicit schedules of more than TT_CANDIDATE_RANKS ranks are excluded instead of built.
 */
enum { TT_CANDIDATE_RANKS = 1024 };
totum_status tt_candidates_new(const struct tt_question *question, struct tt_candidates **out);
void tt_candidates_free(struct tt_candidates *candidates); /* NULL is legal */

#endif
