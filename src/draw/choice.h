/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * choice.h - the table of candidates for the eye: which algorithm, why, and how far from the bound.
 */
#ifndef TT_CHOICE_H
#define TT_CHOICE_H

#include <stdio.h>

#include "planner/candidates.h"

/* explain: say in sentences where the bound and the choice come from. */
totum_status tt_draw_choice(const struct tt_candidates *candidates, bool explain, FILE *out);
/* The problem without its size, and what it runs on, as one line. */
void tt_draw_machine(const struct tt_question *question, FILE *out);
/* The table as JSON; command: the command line, or NULL. */
void tt_draw_choice_json(const struct tt_candidates *candidates, const char *command, FILE *out);

#endif
