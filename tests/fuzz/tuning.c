/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz tuning - any bytes are refused with a sentence that has a line number, or are facts that
 * survive being written and read again, and being merged into none.
 */
#include <stdlib.h>
#include <string.h>

#include "planner/tuning.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const struct tt_tuning *tuning, size_t *length)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, length);

	tt_tuning_write(tuning, out);
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tt_tuning *tuning, *again, *merged;
	size_t length, twice;

	if (tt_tuning_read((const char *)data, size, "file", &tuning)) {
		if (strncmp(totum_errmsg(), "file:", 5) || strlen(totum_errmsg()) < 20)
			abort();
		return 0;
	}
	char *text = written(tuning, &length);

	if (tt_tuning_read(text, length, "again", &again) ||
	    tt_tuning_hash(again) != tt_tuning_hash(tuning))
		abort();
	if (tt_tuning_new(&merged) || tt_tuning_merge(merged, again) ||
	    tt_tuning_merge(merged, tuning))
		abort();
	char *same = written(merged, &twice);

	if (twice != length || memcmp(same, text, length))
		abort();
	free(text);
	free(same);
	tt_tuning_free(tuning);
	tt_tuning_free(again);
	tt_tuning_free(merged);
	return 0;
}
