/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * algorithms.h - what the algorithm of a collective can be forced to: "auto", then every one that
 * the library has for it, by itself and with each parameter at its lowest values and at the number
 * of ranks.
 */
#ifndef ALGORITHMS_H
#define ALGORITHMS_H

#include "ranks/harness.h"

#include <totum_lab.h>

enum { ALGORITHM_TEXT = 96 };

static inline bool has_its_own(const char *collective, const char *name)
{
	totum_algorithm other;

	for (int i = 0; totum_algorithm_at(i, &other); i++)
		if (!strcmp(other.name, name) && !strcmp(other.collective, collective))
			return true;
	return false;
}

/*
 * Those written for it, and the all-gathers, from which the others are derived; not one of a name
 * that it has its own of, or a reduce the broadcast reversed, with other parameters perhaps.
 */
static inline bool algorithm_applies(const totum_algorithm *algorithm, const char *collective)
{
	const char *reversed = !strcmp(collective, "reduce") ? "broadcast" : collective;

	return strcmp(algorithm->collective, collective) == 0 ||
	       (strcmp(algorithm->collective, "allgather") == 0 &&
		!has_its_own(collective, algorithm->name) &&
		!has_its_own(reversed, algorithm->name));
}

/*
 * The value numbered `which` to try for a parameter, whose line is like "radix=2 (2 to n): ..": the
 * two lowest and the number of ranks, without the default, which the plain name stands for.  False:
 * nothing to try.
 */
static inline bool parameter_value(const char *line, int nranks, int which, char name[32],
				   long *value)
{
	char top[24];
	long usual, low;

	if (sscanf(line, "%31[^=]=%ld (%ld to %23[^)])", name, &usual, &low, top) != 4)
		fail("cannot understand the parameter \"%.40s\"", line);
	long most = top[0] == 'n' || nranks < atol(top) ? nranks : atol(top);

	*value = which < 2 ? low + which : most;
	return *value != usual && *value <= most && (which < 2 || *value > low + 1);
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
				snprintf(text, ALGORITHM_TEXT, "%s,%s=%ld", algorithm->name, name,
					 value);
				return true;
			}
		if (!strchr(line, '\n'))
			break;
	}
	return false;
}

/* The i-th thing to force for a collective among nranks ranks; false when there are no more. */
static inline bool algorithm_name(const char *collective, int nranks, int i,
				  char text[ALGORITHM_TEXT])
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
