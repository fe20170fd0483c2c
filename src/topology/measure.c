/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * measure - capacities in B/s and latencies in ps, as texts and as whole numbers.
 *
 * Bounds are exact, so a capacity is an integer from the moment it is read:
 * 2.5GB/s is 2,500,000,000 B/s.
 */
#include "topology/measure.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "topology/topology.h"

static const struct {
	const char *name;
	int64_t worth;
} rates[] = {{"TB/s", 1000000000000},
	     {"GB/s", 1000000000},
	     {"MB/s", 1000000},
	     {"KB/s", 1000},
	     {"B/s", 1}},
  times[] = {{"s", 1000000000000}, {"ms", 1000000000}, {"us", 1000000}, {"ns", 1000}};

totum_status tt_read_capacity(const char *text, bool bare_giga, int64_t *out)
{
	char with_unit[64];
	size_t length = strlen(text);
	double rate;

	if (bare_giga && length && length < 40 && isdigit((unsigned char)text[length - 1])) {
		snprintf(with_unit, sizeof with_unit, "%sGB/s", text);
		text = with_unit;
	}
	totum_status status = tt_parse_rate(text, &rate);
	if (status)
		return status;
	if (!(rate >= 1 && rate <= (double)TT_TOPOLOGY_CAPACITY))
		return tt_fail(TOTUM_EPARSE,
			       "'%.40s' is out of range: a link carries 1B/s to 1000TB/s", text);
	*out = llround(rate);
	return TOTUM_OK;
}

totum_status tt_read_latency(const char *text, int64_t *out)
{
	double seconds;
	totum_status status = tt_parse_seconds(text, &seconds);

	if (status)
		return status;
	if (seconds > 1000)
		return tt_fail(TOTUM_EPARSE, "'%.40s' is out of range: a latency is 0 to 1000s",
			       text);
	*out = llround(seconds * (double)TT_PICOSECONDS);
	return TOTUM_OK;
}

const char *tt_write_capacity(int64_t capacity, char out[static TT_UNITS_TEXT])
{
	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
		if (capacity % rates[i].worth)
			continue;
		snprintf(out, TT_UNITS_TEXT, "%lld%s", (long long)(capacity / rates[i].worth),
			 rates[i].name);
		break;
	}
	return out;
}

const char *tt_write_latency(int64_t latency, char out[static TT_UNITS_TEXT])
{
	if (!latency)
		return strcpy(out, "0");
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		if (latency % times[i].worth)
			continue;
		snprintf(out, TT_UNITS_TEXT, "%lld%s", (long long)(latency / times[i].worth),
			 times[i].name);
		return out;
	}
	snprintf(out, TT_UNITS_TEXT, "%lld.%03lldns", (long long)(latency / 1000),
		 (long long)(latency % 1000));
	return out;
}
