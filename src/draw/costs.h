/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * costs.h - the page of what every algorithm costs, in Markdown, made from the algorithms' own
 * claims.
 */
#ifndef TT_COSTS_H
#define TT_COSTS_H

#include <stdio.h>

#include "base/status.h"

totum_status tt_draw_costs(FILE *out);
/* Three formulas that are often quoted, and when each holds. */
void tt_draw_statements(FILE *out);

#endif
