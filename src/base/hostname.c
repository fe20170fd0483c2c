/* SPDX-License-Identifier: BSD-3-Clause */
/* hostname - gethostname, with a "?" for every byte that would spoil a line. */
#include "base/hostname.h"

#include <string.h>
#include <unistd.h>

void tt_hostname(char out[static TT_HOST_NAME])
{
	if (gethostname(out, TT_HOST_NAME - 1))
		strcpy(out, "?");
	out[TT_HOST_NAME - 1] = 0;
	for (char *c = out; *c; c++)
		if (*c <= ' ' || *c > '~')
			*c = '?';
}
