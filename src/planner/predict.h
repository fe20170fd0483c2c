/* SPDX-License-Identifier: BSD-3-Clause */
/* predict.h - how long a call takes on some hosts, by the costs of their links. */
#ifndef TT_PREDICT_H
#define TT_PREDICT_H

#include "planner/candidates.h"
#include "planner/tuning_costs.h"

/* Ranks on hosts as a topology.  The caller frees it. */
totum_status tt_predict_topology(const struct tt_placement *placement,
				 const struct tt_link_costs *costs, struct tt_topology **out);

struct tt_prediction {
	char algorithm[TT_ALGORITHM_TEXT];
	double latency, per_byte; /* seconds = latency + per_byte * bytes */
	double bound_latency, bound_per_byte;
};

/*
 * question: what is asked, with a placement, but without topology and gamma, which the costs give;
 * with an algorithm that one alone is priced, else the planner's choice at that size.
 * TOTUM_EUNSUPPORTED with a sentence when it does not apply.  One rank sends nothing: all is 0.
 */
totum_status tt_predict(const struct tt_question *question, const struct tt_link_costs *costs,
			struct tt_prediction *out);

#endif
