/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nearest - the distance of two short words (optimal string alignment).
 *
 * cost[i][j] is the distance of the first i letters of the word from the first j letters of the
 * name.  A third of the name's letters may be wrong, one at least; a word that begins the name
 * counts as one mistake.
 */
#include "nearest.h"

#include <string.h>

enum { LONGEST = 31 };

static int least(int a, int b)
{
	return a < b ? a : b;
}

int nearest_distance(const char *word, const char *name)
{
	int cost[LONGEST + 1][LONGEST + 1];
	int nword = (int)strnlen(word, LONGEST + 1), nname = (int)strnlen(name, LONGEST + 1);

	if (nword > LONGEST || nname > LONGEST)
		return NEAREST_FAR;
	if (nword >= 2 && !strncmp(word, name, (size_t)nword))
		return nword < nname;
	for (int i = 0; i <= nword; i++)
		for (int j = 0; j <= nname; j++) {
			if (i == 0 || j == 0) {
				cost[i][j] = i + j;
				continue;
			}
			cost[i][j] = cost[i - 1][j - 1] + (word[i - 1] != name[j - 1]);
			cost[i][j] = least(cost[i][j], 1 + least(cost[i - 1][j], cost[i][j - 1]));
			if (i > 1 && j > 1 && word[i - 1] == name[j - 2] &&
			    word[i - 2] == name[j - 1])
				cost[i][j] = least(cost[i][j], 1 + cost[i - 2][j - 2]);
		}
	int away = cost[nword][nname];

	return away <= 1 + nname / 3 && away < nname ? away : NEAREST_FAR;
}
