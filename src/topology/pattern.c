/* SPDX-License-Identifier: BSD-3-Clause */
/* pattern - names with a range of numbers in brackets, expanded and folded. */
#include "topology/pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

totum_status tt_pattern_read(const char *word, struct tt_pattern *out)
{
	size_t length = strlen(word), begin = strcspn(word, "[");
	char range[TT_PATTERN_PART];

	*out = (struct tt_pattern){.high = -1};
	if (length >= TT_PATTERN_PART)
		return tt_fail(TOTUM_EPARSE,
			       "'%.60s..' is too long; a name has fewer than %d characters", word,
			       TT_TOPOLOGY_NAME);
	memcpy(out->before, word, begin);
	if (begin == length)
		return TOTUM_OK;
	char *end = strchr(word + begin, ']');
	if (!end)
		return tt_fail(TOTUM_EPARSE, "'%s' has no ']'; write name[first-last]", word);
	strcpy(out->after, end + 1);
	memcpy(range, word + begin + 1, (size_t)(end - word) - begin - 1);
	range[(size_t)(end - word) - begin - 1] = 0;
	char *dash = strchr(range, '-');
	if (!dash)
		return tt_fail(TOTUM_EPARSE, "'%s' has no '-'; write name[first-last]", word);
	*dash = 0;
	totum_status status = tt_parse_int(range, 0, INT32_MAX, &out->low);
	if (!status)
		status = tt_parse_int(dash + 1, out->low, INT32_MAX, &out->high);
	if (!status && out->high - out->low >= TT_TOPOLOGY_VERTICES)
		status = tt_fail(TOTUM_EPARSE, "more than %d names", TT_TOPOLOGY_VERTICES);
	return status ? tt_fail_in(status, "'%s'", word) : TOTUM_OK;
}

int64_t tt_pattern_count(const struct tt_pattern *pattern)
{
	return pattern->high < pattern->low ? 1 : pattern->high - pattern->low + 1;
}

totum_status tt_pattern_name(const struct tt_pattern *pattern, int64_t i,
			     char out[static TT_TOPOLOGY_NAME])
{
	int length = pattern->high < pattern->low
			     ? snprintf(out, TT_TOPOLOGY_NAME, "%s", pattern->before)
			     : snprintf(out, TT_TOPOLOGY_NAME, "%s%lld%s", pattern->before,
					(long long)(pattern->low + i), pattern->after);

	if (length >= TT_TOPOLOGY_NAME)
		return tt_fail(TOTUM_EPARSE,
			       "'%.60s' is too long; a name has fewer than %d characters",
			       pattern->before, TT_TOPOLOGY_NAME);
	return TOTUM_OK;
}

/* Where the number at the end of the name begins; the end when there is none that can be folded. */
static size_t number_at(const char *name)
{
	size_t length = strlen(name), at = length;

	while (at && isdigit((unsigned char)name[at - 1]))
		at--;
	bool folds = length - at <= 9 && (name[at] != '0' || length - at == 1);
	return folds ? at : length;
}

bool tt_pattern_follows(const char *name, const char *next)
{
	size_t at = number_at(name);

	if (!name[at] || at != number_at(next) || memcmp(name, next, at))
		return false;
	return atoi(next + at) == atoi(name + at) + 1;
}

void tt_pattern_write(const char *name, int64_t count, FILE *out)
{
	size_t at = number_at(name);

	if (count == 1)
		fputs(name, out);
	else
		fprintf(out, "%.*s[%s-%lld]", (int)at, name, name + at,
			atoi(name + at) + (long long)count - 1);
}
