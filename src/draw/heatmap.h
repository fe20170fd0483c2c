/* SPDX-License-Identifier: BSD-3-Clause */
/* heatmap.h - the choice over size and number of ranks for the eye: a letter for each algorithm. */
#ifndef TT_DRAW_HEATMAP_H
#define TT_DRAW_HEATMAP_H

#include <stdio.h>

#include "planner/heatmap.h"

totum_status tt_draw_heatmap_text(const struct tt_heatmap *heatmap, FILE *out);
void tt_draw_heatmap_json(const struct tt_heatmap *heatmap, const char *command, FILE *out);
void tt_draw_heatmap_svg(const struct tt_heatmap *heatmap, const char *command, FILE *out);

/* "A" to "Z", then "AA" and so on. */
enum { TT_LETTERS = 8 };
const char *tt_heatmap_letter(int name, char out[static TT_LETTERS]);

#endif
