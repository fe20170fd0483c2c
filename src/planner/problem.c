/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * problem - reading and writing problem strings.
 *
 * A table has one reader for each key.  What depends on two fields (a root below n, whole elements
 * in bytes) is checked when all have been read, since fields come in any order.
 */
#include "planner/problem.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/units.h"

enum { VALUE_TEXT = TT_PROBLEM_TOPOLOGY, MOST_LINKS = 1 << 20 };

static totum_status read_nranks(const char *value, struct tt_problem *problem)
{
	return tt_parse_int(value, 1, TT_MAX_RANKS, &problem->nranks);
}

static totum_status read_bytes(const char *value, struct tt_problem *problem)
{
	return tt_parse_bytes(value, &problem->bytes);
}

static totum_status read_topology(const char *value, struct tt_problem *problem)
{
	/* a colon at an end would be read as the problem's own when the problem is written again */
	if (value[0] == ':' || value[strlen(value) - 1] == ':' || strstr(value, "::"))
		return tt_fail(TOTUM_EPARSE, "'%.60s' has an empty part: ring:8, say, is accepted",
			       value);
	strcpy(problem->topology, value); /* no value is longer than a topology may be */
	return TOTUM_OK;
}

static totum_status read_algorithm(const char *value, struct tt_problem *problem)
{
	if (strlen(value) >= TT_PROBLEM_ALGORITHM)
		return tt_fail(TOTUM_EPARSE, "an algorithm has fewer than %d characters",
			       TT_PROBLEM_ALGORITHM);
	strcpy(problem->algorithm, strcmp(value, "auto") ? value : "");
	return TOTUM_OK;
}

static totum_status read_dtype(const char *value, struct tt_problem *problem)
{
	return totum_dtype_parse(value, &problem->dtype);
}

static totum_status read_op(const char *value, struct tt_problem *problem)
{
	if (!tt_reduces(problem->collective))
		return tt_fail(TOTUM_EPARSE, "%s does not reduce: leave op out",
			       tt_collective_name(problem->collective));
	return totum_op_parse(value, &problem->op);
}

static totum_status read_root(const char *value, struct tt_problem *problem)
{
	int64_t root;

	if (!tt_rooted(problem->collective))
		return tt_fail(TOTUM_EPARSE, "%s has no root: leave root out",
			       tt_collective_name(problem->collective));
	if (tt_parse_int(value, 0, TT_MAX_RANKS - 1, &root))
		return TOTUM_EPARSE;
	problem->root = (int)root;
	return TOTUM_OK;
}

static totum_status read_alpha(const char *value, struct tt_problem *problem)
{
	return tt_parse_seconds(value, &problem->alpha);
}

static totum_status read_beta(const char *value, struct tt_problem *problem)
{
	if (tt_parse_rate(value, &problem->beta))
		return TOTUM_EPARSE;
	if (problem->beta <= 0)
		return tt_fail(TOTUM_EPARSE, "'%s' moves no bytes: give a rate above 0", value);
	return TOTUM_OK;
}

static totum_status read_links(const char *value, struct tt_problem *problem)
{
	return tt_parse_int(value, 1, MOST_LINKS, &problem->links);
}

static const struct key {
	const char *name;
	totum_status (*read)(const char *value, struct tt_problem *problem);
} keys[] = {
	{"n", read_nranks},       {"bytes", read_bytes}, {"topo", read_topology},
	{"algo", read_algorithm}, {"dtype", read_dtype}, {"op", read_op},
	{"root", read_root},      {"alpha", read_alpha}, {"beta", read_beta},
	{"links", read_links},
};
enum { KEYS = sizeof keys / sizeof *keys };
static const char accepted_keys[] = "n, bytes, topo, algo, dtype, op, root, alpha, beta, links";

/* The length of the "letters=" that text begins with, without the "="; 0 when it does not. */
static size_t key_length(const char *text)
{
	size_t length = 0;

	while (isalpha((unsigned char)text[length]) || text[length] == '_')
		length++;
	return text[length] == '=' ? length : 0;
}

/* The end of the field: the first colon behind which there is a new field, or nothing. */
static const char *field_end(const char *field, bool may_hold_colons)
{
	const char *end = strchr(field, ':');

	while (end && may_hold_colons && end[1] && !key_length(end + 1))
		end = strchr(end + 1, ':');
	return end ? end : field + strlen(field);
}

static totum_status read_collective(const char **text, struct tt_problem *problem)
{
	size_t length = strcspn(*text, ":");
	const char *names[TT_COLLECTIVES];
	char word[40];

	snprintf(word, sizeof word, "%.*s", (int)length, *text);
	*text += length;
	if (length < sizeof word && !tt_collective_parse(word, &problem->collective))
		return TOTUM_OK;
	for (int i = 0; i < TT_COLLECTIVES; i++)
		names[i] = tt_collective_name((enum tt_collective)i);
	const char *near = tt_nearest(word, names, TT_COLLECTIVES);

	return tt_fail(
		TOTUM_EPARSE,
		"'%s' is no collective%s%s%s; a problem begins with allgather, reduce_scatter, "
		"allreduce, broadcast, reduce, gather, scatter or alltoall",
		word, near ? ", did you mean '" : "", near ? near : "", near ? "'" : "");
}

static totum_status refuse_field(const char *field)
{
	const char *names[KEYS];
	char word[40];

	for (int i = 0; i < KEYS; i++)
		names[i] = keys[i].name;
	snprintf(word, sizeof word, "%.*s", (int)strcspn(field, "=:"), field);
	const char *near = tt_nearest(word, names, KEYS);

	return tt_fail(TOTUM_EPARSE,
		       "'%.40s' is no field%s%s%s; a field is KEY=VALUE with one of the keys %s",
		       field, near ? ", did you mean '" : "", near ? near : "", near ? "'" : "",
		       accepted_keys);
}

/* Reads one field and moves *text behind it. */
static totum_status read_field(const char **text, bool seen[KEYS], struct tt_problem *problem)
{
	const char *field = *text;
	size_t length = key_length(field);
	char value[VALUE_TEXT];
	int i = 0;

	while (i < KEYS && (strlen(keys[i].name) != length || memcmp(keys[i].name, field, length)))
		i++;
	if (i == KEYS)
		return refuse_field(field);
	if (seen[i])
		return tt_fail(TOTUM_EPARSE, "field %s is given twice: leave one out",
			       keys[i].name);
	seen[i] = true;
	*text = field_end(field, keys[i].read == read_topology);
	size_t size = (size_t)(*text - field) - length - 1;

	if (size == 0)
		return tt_fail(TOTUM_EPARSE,
			       "field %s has no value: give one or leave the field out",
			       keys[i].name);
	if (size >= sizeof value)
		return tt_fail(TOTUM_EPARSE, "the value of field %s is longer than %d characters",
			       keys[i].name, VALUE_TEXT - 1);
	memcpy(value, field + length + 1, size);
	value[size] = '\0';
	if (keys[i].read(value, problem))
		return tt_fail_in(TOTUM_EPARSE, "field %s", keys[i].name);
	return TOTUM_OK;
}

static totum_status check(const struct tt_problem *problem)
{
	size_t size = totum_dtype_size(problem->dtype);

	if (problem->nranks == 0 && !problem->topology[0])
		return tt_fail(TOTUM_EPARSE,
			       "the number of ranks is missing: give n=8, say, or a topology");
	if (problem->nranks && problem->root >= problem->nranks)
		return tt_fail(TOTUM_EPARSE, "root=%d is no rank of n=%lld: 0 to %lld is accepted",
			       problem->root, (long long)problem->nranks,
			       (long long)problem->nranks - 1);
	if (problem->bytes % size)
		return tt_fail(
			TOTUM_EPARSE, "bytes=%llu are no whole number of %s elements of %zu bytes",
			(unsigned long long)problem->bytes, totum_dtype_name(problem->dtype), size);
	return TOTUM_OK;
}

static totum_status parse(const char *text, struct tt_problem *problem)
{
	bool seen[KEYS] = {false};
	totum_status status = read_collective(&text, problem);

	if (status)
		return status;
	problem->dtype = tt_reduces(problem->collective) ? TOTUM_F32 : TOTUM_U8;
	while (*text) {
		text++;
		status = read_field(&text, seen, problem);
		if (status)
			return status;
	}
	return check(problem);
}

totum_status tt_problem_parse(const char *text, struct tt_problem *out)
{
	struct tt_problem problem = {.bytes = 1 << 20, .alpha = -1};

	if (parse(text, &problem))
		return tt_fail_in(TOTUM_EPARSE, "problem '%.200s'", text);
	*out = problem;
	return TOTUM_OK;
}

/* The shortest text of a number with a unit that reads as the same number. */
static const char *exact(double value, totum_status (*parse_back)(const char *, double *),
			 const char *(*format)(double, int, char *), const char *plain_unit,
			 char out[static TT_UNITS_TEXT])
{
	double back;

	for (int digits = 3; digits <= 17; digits++)
		if (!parse_back(format(value, digits, out), &back) && back == value)
			return out;
	snprintf(out, TT_UNITS_TEXT, "%.17g%s", value, plain_unit);
	return out;
}

__attribute__((format(printf, 2, 3))) static void append(char out[static TT_PROBLEM_TEXT],
							 const char *format, ...)
{
	size_t length = strlen(out);
	va_list args;

	va_start(args, format);
	vsnprintf(out + length, TT_PROBLEM_TEXT - length, format, args);
	va_end(args);
}

const char *tt_problem_format(const struct tt_problem *problem, char out[static TT_PROBLEM_TEXT])
{
	bool reduces = tt_reduces(problem->collective);
	char unit[TT_UNITS_TEXT];

	snprintf(out, TT_PROBLEM_TEXT, "%s", tt_collective_name(problem->collective));
	if (problem->nranks)
		append(out, ":n=%lld", (long long)problem->nranks);
	append(out, ":bytes=%s", tt_format_bytes(problem->bytes, unit));
	if (problem->topology[0])
		append(out, ":topo=%s", problem->topology);
	if (problem->algorithm[0])
		append(out, ":algo=%s", problem->algorithm);
	if (problem->dtype != (reduces ? TOTUM_F32 : TOTUM_U8))
		append(out, ":dtype=%s", totum_dtype_name(problem->dtype));
	if (reduces && problem->op != TOTUM_SUM)
		append(out, ":op=%s", totum_op_name(problem->op));
	if (problem->root)
		append(out, ":root=%d", problem->root);
	if (problem->alpha >= 0)
		append(out, ":alpha=%s",
		       exact(problem->alpha, tt_parse_seconds, tt_format_seconds, "s", unit));
	if (problem->beta > 0)
		append(out, ":beta=%s",
		       exact(problem->beta, tt_parse_rate, tt_format_rate, "B/s", unit));
	if (problem->links)
		append(out, ":links=%lld", (long long)problem->links);
	return out;
}
