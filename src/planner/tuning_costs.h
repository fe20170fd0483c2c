/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tuning_costs.h - the few numbers that choices and predictions are made with, from a tuning file
 * or built in.
 */
#ifndef TT_TUNING_COSTS_H
#define TT_TUNING_COSTS_H

#include "planner/tuning.h"
#include "proof/machine.h"

/* A message takes alpha + bytes/beta: one line for all pieces, off by the least factors. */
struct tt_link_cost {
	double alpha;    /* seconds */
	double beta;     /* B/s in one direction, while nothing comes back */
	double exchange; /* both directions of a link at once against one of them: 1 to 2 */
	double together; /* what all ranks of a host send at once, against one that only sends */
	int64_t ports;   /* peers that a rank sends to at once and still gains */
};

struct tt_link_costs {
	struct tt_link_cost inside, between; /* of a host, hosts */
	double gamma;                        /* seconds to add one byte to another */
	double copy;                         /* seconds to copy a byte */
};

/*
 * What is built in where tuning is NULL or does not know: inside 1us and 10GB/s, four times that
 * for all ranks together; between 20us and 1.25GB/s, which the ranks of a host share; both
 * directions at once; adding 10GB/s, copying 10GB/s.  A function of the facts alone, so that ranks
 * with equal tt_tuning_hash have equal costs.
 */
void tt_tuning_costs(const struct tt_tuning *tuning, struct tt_link_costs *out);

/*
 * The same for a call of so many total bytes whose messages are of about that size: the line of
 * the piece that such a message lies in, and the rate of adding in the cache or in memory.
 */
void tt_tuning_costs_at(const struct tt_tuning *tuning, uint64_t bytes, uint64_t message,
			struct tt_link_costs *out);

/* Seconds of one message by the pieces, nearer to what was measured than the one line. */
double tt_tuning_message(const struct tt_tuning *tuning, enum tt_link_class class, double bytes);

/* The rate at which each of n ranks of a host sends while all n send and receive. */
double tt_link_rate(const struct tt_link_cost *cost, int64_t n);

/* Between hosts where that is known, else inside one: what `totum plan` stands on. */
enum tt_link_class tt_tuning_class(const struct tt_tuning *tuning);
/*
 * The machine that prices are made with: ranks with links of their own of that class, which carry
 * both directions at once.
 */
void tt_tuning_machine(const struct tt_tuning *tuning, enum tt_link_class class,
		       struct tt_machine *out);

#endif
