/* SPDX-License-Identifier: BSD-3-Clause */
/* facts.h - a schedule with its title above and its facts below, as text, JSON and SVG. */
#ifndef TT_FACTS_H
#define TT_FACTS_H

#include <stdio.h>

#include "proof/price.h"
#include "schedule/ir.h"

struct tt_shown {
	const struct tt_schedule *schedule;
	struct tt_price price;
	const char *violation; /* NULL: verified; else the first violation */
	const char *command;   /* the command line, or NULL */
	size_t width;          /* columns of text; 0: no limit */
	bool moves;
};

totum_status tt_draw_schedule_text(const struct tt_shown *shown, FILE *out);
totum_status tt_draw_schedule_json(const struct tt_shown *shown, FILE *out);
/*
 * The step table as a picture, with the moves as arrows; TOTUM_EUNSUPPORTED when it would be too
 * large.
 */
totum_status tt_draw_schedule_svg(const struct tt_shown *shown, FILE *out);

#endif
