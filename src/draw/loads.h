/* SPDX-License-Identifier: BSD-3-Clause */
/* loads.h - what the rounds of a schedule put on the links of a topology, for the eye. */
#ifndef TT_LOADS_H
#define TT_LOADS_H

#include <stdio.h>

#include "proof/simulate_record.h"

struct tt_loaded {
	const struct tt_schedule *schedule;
	const struct tt_topology *topology;
	const struct tt_recording *recording; /* of the load model, with the loads of every link */
	struct tt_fraction volume; /* blocks per unit, the busiest link of each round, summed */
	const char *command;       /* the command line, or NULL */
};

/* A line for each bunch of rounds that are alike: messages, the busiest link and its blocks. */
totum_status tt_draw_loads_text(const struct tt_loaded *loaded, FILE *out);
/*
 * A picture of the topology for each bunch: the wider and darker a link, the more blocks it
 * carries; their number beside it.  TOTUM_EUNSUPPORTED when the topology is too large for that.
 */
totum_status tt_draw_loads_svg(const struct tt_loaded *loaded, FILE *out);

#endif
