/* SPDX-License-Identifier: BSD-3-Clause */
/* pattern.h - name[2-5] for name2 name3 name4 name5: how a topology's text stays short. */
#ifndef TT_PATTERN_H
#define TT_PATTERN_H

#include <stdio.h>

#include "topology/topology.h"

enum { TT_PATTERN_PART = 2 * TT_TOPOLOGY_NAME };

/* For every number low..high the name is before + number + after. */
struct tt_pattern {
	char before[TT_PATTERN_PART], after[TT_PATTERN_PART];
	int64_t low, high; /* high < low: no brackets, the name is `before` */
};

totum_status tt_pattern_read(const char *word, struct tt_pattern *out);
int64_t tt_pattern_count(const struct tt_pattern *pattern);
/* The i-th name; TOTUM_EPARSE when it is too long to be one. */
totum_status tt_pattern_name(const struct tt_pattern *pattern, int64_t i,
			     char out[static TT_TOPOLOGY_NAME]);

/*
 * The other way: does `next` have the number after that of `name`, the rest being equal?  Names end
 * in their number, without leading zeros.
 */
bool tt_pattern_follows(const char *name, const char *next);
/* Writes the shortest word for count names that follow one another, the first being `name`. */
void tt_pattern_write(const char *name, int64_t count, FILE *out);

#endif
