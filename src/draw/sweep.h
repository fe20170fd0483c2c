/* SPDX-License-Identifier: BSD-3-Clause */
/* sweep.h - times over sizes for the eye. */
#ifndef TT_DRAW_SWEEP_H
#define TT_DRAW_SWEEP_H

#include <stdio.h>

#include "planner/sweep.h"

/* Which algorithm is the choice from which size on, with its time and the bound there. */
totum_status tt_draw_sweep_text(const struct tt_sweep *sweep, FILE *out);
void tt_draw_sweep_json(const struct tt_sweep *sweep, const char *command, FILE *out);
/*
 * Time against size: the choices, some others, the bound, and where the choice changes. low < high.
 */
totum_status tt_draw_sweep_svg(const struct tt_sweep *sweep, const char *command, FILE *out);

/* What a choice compares at a size. */
double tt_sweep_seconds(const struct tt_candidate *candidate, double bytes);
double tt_sweep_bound(const struct tt_candidates *candidates, double bytes);

#endif
