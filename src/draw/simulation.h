/* SPDX-License-Identifier: BSD-3-Clause */
/* simulation.h - a simulation for the eye: question, time, bound, and each round's links. */
#ifndef TT_DRAW_SIMULATION_H
#define TT_DRAW_SIMULATION_H

#include <stdio.h>

#include "proof/bound.h"
#include "proof/simulate_record.h"

struct tt_simulated {
	const struct tt_schedule *schedule;
	const struct tt_topology *topology; /* NULL: computed from the shape */
	const struct tt_shape *shape;
	const char *model;                  /* "load", "flow", "ready" */
	const char *command;                /* the command line, or NULL */
	uint64_t bytes;                     /* M */
	bool split, overlap;
	bool list_rounds, list_loads;
	struct tt_simulation result;
	struct tt_limits limits;
	double bound;                       /* seconds, of this model */
	struct tt_recording recording;
};

totum_status tt_draw_simulation(const struct tt_simulated *simulated, FILE *out);
void tt_draw_simulation_json(const struct tt_simulated *simulated, FILE *out);
/*
 * All messages, and in the load model all links, as a trace in Chrome's JSON format: a process for
 * each rank with as many lines as messages overlap, one for the rounds and one for the links.
 */
totum_status tt_draw_trace(const struct tt_simulated *simulated, FILE *out);

#endif
