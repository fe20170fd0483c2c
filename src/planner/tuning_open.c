/* SPDX-License-Identifier: BSD-3-Clause */
/* tuning_open - a tuning file by its name. */
#include "planner/tuning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static totum_status read_all(FILE *file, const char *name, struct tt_tuning **out)
{
	char *text = malloc(TT_TUNING_BYTES);

	if (!text)
		return tt_fail_memory(TT_TUNING_BYTES, "a tuning file's text");
	errno = 0;
	size_t length = fread(text, 1, TT_TUNING_BYTES, file);
	totum_status status;

	if (ferror(file))
		status = tt_fail(TOTUM_ESYSTEM, "cannot read the tuning file %s: %s", name,
				 strerror(errno));
	else if (length == TT_TUNING_BYTES)
		status = tt_fail(TOTUM_EPARSE, "%s is too long for a tuning file", name);
	else
		status = tt_tuning_read(text, length, name, out);
	free(text);
	return status;
}

totum_status tt_tuning_open(const char *name, struct tt_tuning **out)
{
	FILE *file = fopen(name, "re");

	if (!file)
		return tt_fail(TOTUM_ESYSTEM,
			       "cannot open the tuning file %s: %s; totum tune writes one", name,
			       strerror(errno));
	totum_status status = read_all(file, name, out);

	fclose(file);
	return status;
}
