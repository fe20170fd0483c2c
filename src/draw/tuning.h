/* SPDX-License-Identifier: BSD-3-Clause */
/* tuning.h - the facts of a tuning file for the eye. */
#ifndef TT_DRAW_TUNING_H
#define TT_DRAW_TUNING_H

#include <stdio.h>

#include "planner/fit.h"
#include "planner/tuning_costs.h"

/* fits[class] has intervals for the class's pieces; NULL, or one without pieces: none are known. */
totum_status tt_draw_tuning(const struct tt_tuning *tuning, const struct tt_fit *const fits[],
			    FILE *out);

#endif
