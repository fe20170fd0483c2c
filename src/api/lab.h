/* SPDX-License-Identifier: BSD-3-Clause */
/* lab.h - what the entry points of the lab share. */
#ifndef TT_LAB_H
#define TT_LAB_H

#include "planner/candidates.h"
#include "planner/problem.h"
#include "totum_lab.h"

struct totum_schedule {
	struct tt_schedule *schedule;
	bool built; /* by an algorithm, whose claims then hold */
};

/* Reads a problem and a view's machine into a question; the algorithm is left in *problem. */
totum_status tt_lab_question(const char *text, const char *machine, struct tt_problem *problem,
			     struct tt_question *question);

#endif
