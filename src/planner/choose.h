/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * choose.h - an algorithm for ranks on hosts, at once, and the same on every rank.
 *
 * Where candidates.h lists all and simulates each, this prices a few by formula: ring, Bruck and
 * their like with the hosts that their rounds cross, and the hierarchical ones.  Fit for the start
 * of a call: O(nranks log nranks), but O(nranks^2) for an all-to-all.
 */
#ifndef TT_CHOOSE_H
#define TT_CHOOSE_H

#include "algorithms/algorithm.h"
#include "planner/tuning_costs.h"

struct tt_choice {
	char algorithm[TT_ALGORITHM_TEXT]; /* for tt_algorithm_build_placed */
	double seconds;                    /* predicted */
};

/*
 * A function of its arguments alone, in whole picoseconds, so that ranks with equal arguments
 * choose alike whatever they run on.  bytes: the total M; root counts in rooted collectives only.
 * TOTUM_EMEMORY is the only failure.
 */
totum_status tt_choose(enum tt_collective collective, const struct tt_placement *placement,
		       int64_t root, uint64_t bytes, const struct tt_link_costs *costs,
		       struct tt_choice *out);

#endif
