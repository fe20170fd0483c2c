/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nodelist - the first host of Slurm's list.  In brackets stand numbers, alone or as FROM-TO, whose
 * zeros in front count; a name may have several brackets (scontrol(1), "hostlist").
 */
#include "launch/nodelist.h"

#include <string.h>

bool tt_nodelist_first(const char *list, char *out, size_t size)
{
	size_t n = 0;
	bool number = false, skip = false; /* in brackets; behind the first number of them */

	for (const char *at = list; *at && (number || *at != ','); at++) {
		if (*at == '[' || *at == ']') {
			if (number != (*at == ']') || (number && (!n || at[-1] == '[')))
				return false;
			number = *at == '[';
			skip = false;
			continue;
		}
		bool digit = *at >= '0' && *at <= '9';
		if (number && !digit && (*at != ',' && *at != '-'))
			return false;
		if (number && !digit && (at[-1] == '[' || at[-1] == ',' || at[-1] == '-'))
			return false;
		skip |= number && !digit;
		if (skip)
			continue;
		if (n + 1 >= size)
			return false;
		out[n++] = *at;
	}
	out[n] = 0;
	return n && !number;
}
