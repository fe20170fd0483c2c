/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * registry - finding an algorithm by name and reading its parameters.
 *
 * The table comes from the folder.  A collective without an algorithm of that name in its own
 * folder takes one that its schedule can be derived from.
 */
#include "algorithms/algorithm.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/units.h"

enum { MOST_NAMES = 128 };

/* Where a collective looks for algorithms, in this order. */
static const struct {
	int n;
	enum tt_collective from[3];
} sources[TT_COLLECTIVES] = {
	[TT_ALLGATHER] = {1, {TT_ALLGATHER}},
	[TT_REDUCE_SCATTER] = {2, {TT_REDUCE_SCATTER, TT_ALLGATHER}},
	[TT_ALLREDUCE] = {3, {TT_ALLREDUCE, TT_ALLGATHER, TT_BROADCAST}},
	[TT_BROADCAST] = {2, {TT_BROADCAST, TT_ALLGATHER}},
	[TT_REDUCE] = {3, {TT_REDUCE, TT_BROADCAST, TT_ALLGATHER}},
	[TT_GATHER] = {1, {TT_GATHER}},
	[TT_SCATTER] = {2, {TT_SCATTER, TT_GATHER}},
	[TT_ALLTOALL] = {1, {TT_ALLTOALL}},
};

static const struct tt_algorithm_entry *look_up(enum tt_collective folder, const char *name)
{
	for (int i = 0; i < tt_nalgorithms; i++)
		if (tt_algorithms[i].collective == folder && !strcmp(tt_algorithms[i].name, name))
			return &tt_algorithms[i];
	return NULL;
}

static const struct tt_algorithm_entry *resolve(enum tt_collective collective, const char *name)
{
	const struct tt_algorithm_entry *entry = NULL;

	for (int i = 0; i < sources[collective].n && !entry; i++)
		entry = look_up(sources[collective].from[i], name);
	return entry;
}

bool tt_algorithm_serves(const struct tt_algorithm_entry *entry, enum tt_collective collective)
{
	return resolve(collective, entry->name) == entry;
}

const struct tt_algorithm_entry *tt_algorithm_find(enum tt_collective collective, const char *name)
{
	const struct tt_algorithm_entry *entry = resolve(collective, name);
	const char *names[MOST_NAMES] = {0};
	char list[800] = "";
	size_t length = 0;
	int n = 0;

	if (entry)
		return entry;
	for (int i = 0; i < tt_nalgorithms && n < MOST_NAMES; i++) {
		if (!tt_algorithm_serves(&tt_algorithms[i], collective))
			continue;
		names[n++] = tt_algorithms[i].name;
		if (length < sizeof list)
			length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
						   n > 1 ? ", " : "", tt_algorithms[i].name);
	}
	const char *near = tt_nearest(name, names, n);

	tt_fail(TOTUM_EINVAL, "%s has no algorithm '%.40s'%s%s%s; it has %s",
		tt_collective_name(collective), name, near ? ", did you mean '" : "",
		near ? near : "", near ? "'" : "", n ? list : "none");
	return NULL;
}

int64_t tt_parameter_top(const struct tt_parameter *parameter, int64_t nranks)
{
	if (parameter->high)
		return parameter->high;
	return nranks > parameter->low ? nranks : parameter->low;
}

static totum_status refuse_setting(const struct tt_algorithm_entry *entry, const char *setting)
{
	const struct tt_parameter *parameters = entry->algorithm->parameters;
	const char *names[TT_PARAMETERS];
	char word[64], list[256] = "";
	size_t length = 0;
	int n = 0;

	for (; n < TT_PARAMETERS && parameters[n].name; n++) {
		names[n] = parameters[n].name;
		if (length < sizeof list)
			length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
						   n ? ", " : "", names[n]);
	}
	if (!n)
		return tt_fail(TOTUM_EINVAL, "%s takes no parameters: leave out '%.40s'",
			       entry->name, setting);
	snprintf(word, sizeof word, "%.*s", (int)strcspn(setting, "="), setting);
	const char *near = tt_nearest(word, names, n);

	return tt_fail(TOTUM_EINVAL,
		       "'%.40s' is not a setting of %s%s%s%s; write PARAMETER=INTEGER with %s",
		       setting, entry->name, near ? ", did you mean '" : "", near ? near : "",
		       near ? "'" : "", list);
}

/* One "name=value" of the settings. */
static totum_status read_setting(const struct tt_algorithm_entry *entry, int64_t nranks,
				 const char *setting, int64_t *values, bool *given)
{
	const struct tt_parameter *parameter = entry->algorithm->parameters;
	size_t length = strcspn(setting, "=");
	int i = 0;

	while (i < TT_PARAMETERS && parameter[i].name &&
	       (strlen(parameter[i].name) != length || memcmp(parameter[i].name, setting, length)))
		i++;
	if (i == TT_PARAMETERS || !parameter[i].name || !setting[length])
		return refuse_setting(entry, setting);
	if (given[i])
		return tt_fail(TOTUM_EINVAL, "parameter %s of %s is given twice", parameter[i].name,
			       entry->name);
	given[i] = true;
	if (tt_parse_int(setting + length + 1, parameter[i].low,
			 tt_parameter_top(&parameter[i], nranks), &values[i]))
		return tt_fail_in(TOTUM_EINVAL, "parameter %s of %s for %lld ranks",
				  parameter[i].name, entry->name, (long long)nranks);
	return TOTUM_OK;
}

totum_status tt_algorithm_values(const struct tt_algorithm_entry *entry, int64_t nranks,
				 const char *settings, int64_t values[static TT_PARAMETERS])
{
	const struct tt_parameter *parameters = entry->algorithm->parameters;
	bool given[TT_PARAMETERS] = {false};
	char setting[64];

	memset(values, 0, TT_PARAMETERS * sizeof *values);
	for (int i = 0; i < TT_PARAMETERS && parameters[i].name; i++)
		values[i] = parameters[i].fallback;
	while (*settings) {
		size_t length = strcspn(settings, ",");

		if (length >= sizeof setting)
			return refuse_setting(entry, settings);
		snprintf(setting, sizeof setting, "%.*s", (int)length, settings);
		totum_status status = read_setting(entry, nranks, setting, values, given);

		if (status)
			return status;
		settings += length;
		if (settings[0] == ',' && !settings[1])
			return tt_fail(TOTUM_EINVAL, "a parameter is missing after the last comma");
		settings += settings[0] == ',';
	}
	return TOTUM_OK;
}

totum_status tt_algorithm_parse(enum tt_collective collective, const char *text, int64_t nranks,
				const struct tt_algorithm_entry **entry,
				int64_t values[static TT_PARAMETERS])
{
	size_t length = strcspn(text, ",");
	char name[TT_ALGORITHM_TEXT];

	snprintf(name, sizeof name, "%.*s", (int)length, text);
	*entry = tt_algorithm_find(collective, name);
	if (!*entry)
		return TOTUM_EINVAL;
	if (text[length] && !text[length + 1])
		return tt_fail(TOTUM_EINVAL, "a parameter is missing after '%s,'", name);
	return tt_algorithm_values(*entry, nranks, text + length + (text[length] == ','), values);
}

const char *tt_algorithm_format(const struct tt_algorithm_entry *entry,
				const int64_t values[static TT_PARAMETERS],
				char out[static TT_ALGORITHM_TEXT])
{
	const struct tt_parameter *parameters = entry->algorithm->parameters;
	size_t length = (size_t)snprintf(out, TT_ALGORITHM_TEXT, "%s", entry->name);

	for (int i = 0; i < TT_PARAMETERS && parameters[i].name; i++)
		if (values[i] != parameters[i].fallback && length < TT_ALGORITHM_TEXT)
			length += (size_t)snprintf(out + length, TT_ALGORITHM_TEXT - length,
						   ",%s=%lld", parameters[i].name,
						   (long long)values[i]);
	return out;
}
