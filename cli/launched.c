/* SPDX-License-Identifier: BSD-3-Clause */
/* launched - tells a rank from a command that is to start ranks. */
#include "launched.h"

#include <stdlib.h>
#include <string.h>

bool launched(void)
{
	static const char *const names[] = {"TOTUM_RANK", "TOTUM_SIZE", "OMPI_COMM_WORLD_RANK",
					    "PMI_RANK", "SLURM_PROCID"};
	const char *launcher = getenv("TOTUM_LAUNCHER");

	if (launcher && *launcher)
		return strcmp(launcher, "none") != 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (getenv(names[i]))
			return true;
	return getenv("RANK") && getenv("WORLD_SIZE");
}
