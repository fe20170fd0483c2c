/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * algorithms.h - what the algorithm of a collective can be forced to: "auto", then every one that the library
 * has for it, by itself and with each parameter at its lowest values and at the number of ranks.
 */
#ifndef ALGORITHMS_H
#define ALGORITHMS_H

#include "ranks/harness.h"

#include <totum_lab.h>

enum { ALGORITHM_TEXT = 96 };

/* Those written for a collective, and the all-gathers, from which reductions and broadcasts are derived. */
static inline bool algorithm_applies(const totum_algorithm *algorithm, const char *collective)
{
	return strcmp(algorithm->collective, collective) == 0 ||
	       strcmp(algorithm->collective, "allgather") == 0;
}

/* The value numbered `which` to try for a parameter, whose line is like "radix=2 (2 to n): .."; false: no more. */
static inline bool parameter_value(const char *line, int nranks, int which, char name[32], long *value)
{
	char top[24];
	long low;

	if (sscanf(line, "%31[^=]=%*d (%ld to %23[^)])", name, &low, top) != 3)
		fail("cannot understand the parameter \"%.40s\"", line);
	long high = top[0] == 'n' ? nranks : atol(top), most = nranks < high ? nranks : high;
	long values[3] = {low, low + 1, most};

	*value = values[which < 3 ? which : 2];
	return which < 2 ? *value <= most || which == 0 : which == 2 && most > low + 1;
}

/* Counts *i down over what one algorithm offers; true when the wanted one is there, in text. */
static inline bool algorithm_variant(const totum_algorithm *algorithm, int nranks, int *i,
				     char text[ALGORITHM_TEXT])
{
	snprintf(text, ALGORITHM_TEXT, "%s", algorithm->name);
	if ((*i)-- == 0)
		return true;
	for (const char *line = algorithm->parameters; *line; line = strchr(line, '\n') + 1) {
		char name[32];
		long value;

		for (int which = 0; which < 3; which++)
			if (parameter_value(line, nranks, which, name, &value) && (*i)-- == 0) {
				snprintf(text, ALGORITHM_TEXT, "%s,%s=%ld", algorithm->name, name, value);
				return true;
			}
		if (!strchr(line, '\n'))
			break;
	}
	return false;
}

/* The i-th thing to force for a collective among nranks ranks; false when there are no more. */
static inline bool algorithm_name(const char *collective, int nranks, int i, char text[ALGORITHM_TEXT])
{
	totum_algorithm algorithm;

	snprintf(text, ALGORITHM_TEXT, "auto");
	if (i-- == 0)
		return true;
	for (int at = 0; totum_algorithm_at(at, &algorithm); at++)
		if (algorithm_applies(&algorithm, collective) &&
		    algorithm_variant(&algorithm, nranks, &i, text))
			return true;
	return false;
}

/* Has it no parameters written out? */
static inline bool algorithm_is_plain(const char *text)
{
	return !strchr(text, ',');
}

#endif
