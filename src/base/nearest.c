/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nearest - spelling help.
 *
 * The distance of two words is the number of letters to insert, delete, replace, or swap with a
 * neighbour (optimal string alignment), by dynamic programming over three rows.  A name is near
 * when a quarter of its letters and one more would be enough; a word that begins a longer name is
 * near to it.
 */
#include "base/nearest.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 63 };

static int least(int a, int b)
{
	return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static int distance(const char *a, int na, const char *b, int nb)
{
	int rows[3][LONGEST + 1];
	int *older = rows[0], *old = rows[1], *row = rows[2];

	for (int j = 0; j <= nb; j++)
		old[j] = j;
	for (int i = 1; i <= na; i++) {
		row[0] = i;
		for (int j = 1; j <= nb; j++) {
			row[j] = old[j - 1] + !same_letter(a[i - 1], b[j - 1]);
			row[j] = least(row[j], 1 + least(old[j], row[j - 1]));
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]))
				row[j] = least(row[j], older[j - 2] + 1);
		}
		int *oldest = older;
		older = old;
		old = row;
		row = oldest;
	}
	return old[nb];
}

const char *tt_nearest(const char *word, const char *const names[], int n)
{
	const char *nearest = NULL;
	size_t length = strlen(word);
	int best = INT_MAX;

	if (length > LONGEST)
		return NULL;
	for (int i = 0; i < n; i++) {
		if (!names[i] || strlen(names[i]) > LONGEST)
			continue;
		int longer = (int)strlen(names[i]), shorter = least(longer, (int)length);
		int away = distance(word, (int)length, names[i], longer);

		if (length >= 3 && strncasecmp(word, names[i], length) == 0)
			away = least(away, 1);
		if (away <= 1 + longer / 4 && away < shorter && away < best) {
			best = away;
			nearest = names[i];
		}
	}
	return nearest;
}
