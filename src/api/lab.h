/* SPDX-License-Identifier: BSD-3-Clause */
/* lab.h - what the entry points of the lab share. */
#ifndef TT_LAB_H
#define TT_LAB_H

#include "planner/candidates.h"
#include "planner/problem.h"
#include "proof/verify.h"
#include "totum_lab.h"

struct totum_schedule {
	struct tt_schedule *schedule;
	bool claimed; /* built by an algorithm of its own collective, which says of it: */
	struct tt_claims claims;
};

/* A problem that was read, with what it stands on. */
struct tt_lab {
	struct tt_problem problem;
	struct tt_question question; /* points into this struct */
	struct tt_shape shape;
	struct tt_topology *topology;
	struct tt_placement placement; /* what question.placement says */
	char measured[128]; /* what question.measured says */
};

/*
 * Reads a problem, a machine's settings, which go before what the problem says, and the topology of
 * a problem that names none; both may be NULL.  tt_lab_close frees what was opened; after a failure
 * it is legal and does nothing.
 */
totum_status tt_lab_open(const char *problem, const char *machine, const char *topology,
			 struct tt_lab *lab);
/* The same with what a view says; its tuning file goes behind all else that is said. */
totum_status tt_lab_open_view(const char *problem, const totum_view *view, struct tt_lab *lab);
void tt_lab_close(struct tt_lab *lab);

/* Checks a view; the sentence begins with `call`. */
totum_status tt_lab_view(const char *call, const totum_view *view);

#endif
