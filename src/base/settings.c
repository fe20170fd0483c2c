/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * settings - the TOTUM_ variables.
 *
 * A misspelt variable would silently leave a default in force, on one rank perhaps and not on another, so any
 * name with our prefix that is not ours is an error.
 */
#include "base/settings.h"

#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/units.h"

const struct tt_variable tt_variables[] = {
	{"TOTUM_ALGO", "algorithm of every call, like \"ring\" or \"bruck,radix=3\"; \"auto\" lets totum choose"},
	{"TOTUM_DEBUG", "\"info\" logs what totum found and chose to standard error; \"off\""},
	{"TOTUM_FLIGHT", "prefix of files: on a failure every rank writes what its last calls were, as JSON"},
	{"TOTUM_JOB_ID", "printable name of the job, set by `totum run`"},
	{"TOTUM_LAUNCHER", "whose variables say who this rank is: totum, openmpi, pmi, slurm, torchrun, none"},
	{"TOTUM_LOCAL_RANK", "rank among the ranks of this host, set by `totum run`"},
	{"TOTUM_LOCAL_SIZE", "number of ranks on this host, set by `totum run`"},
	{"TOTUM_MEMORY_LIMIT", "most bytes that totum_alloc gives a rank, like \"8G\" (default no limit)"},
	{"TOTUM_RANK", "rank of this process, set by `totum run`"},
	{"TOTUM_ROOT", "where the ranks of the job meet, set by `totum run`"},
	{"TOTUM_SECRET_FD", "descriptor that holds the job's secret, set by `totum run`"},
	{"TOTUM_SINGLE_COPY", "\"off\" stages large messages even where ranks may read each other's memory; \"auto\""},
	{"TOTUM_SIZE", "number of ranks, set by `totum run`"},
	{"TOTUM_TIMEOUT", "how long a call waits for the other ranks, like \"30s\" (default 30m)"},
	{"TOTUM_TRACE", "prefix of files: every rank writes its calls as a Chrome trace, to be opened in Perfetto"},
	{"TOTUM_WAIT", "how a rank waits: auto, spin, yield, sleep"},
	{NULL, NULL},
};

enum { MOST_VARIABLES = 64 };
static const double longest_timeout = 30 * 86400.0;

static totum_status refuse_unknown(void)
{
	const char *names[MOST_VARIABLES];
	int n = 0;

	for (; tt_variables[n].name; n++)
		names[n] = tt_variables[n].name;
	for (char **entry = environ; entry && *entry; entry++) {
		if (strncmp(*entry, "TOTUM_", 6))
			continue;
		size_t length = strcspn(*entry, "=");
		char name[64];
		bool known = false;
		if (length < sizeof name) {
			memcpy(name, *entry, length);
			name[length] = 0;
			for (int i = 0; i < n; i++)
				known |= !strcmp(names[i], name);
		}
		if (known)
			continue;
		const char *near = length < sizeof name ? tt_nearest(name, names, n) : NULL;
		return tt_fail(TOTUM_EINVAL, "%.*s is not a variable of totum%s%s; unset it or correct its name",
			       (int)(length < 80 ? length : 80), *entry, near ? ", did you mean " : "",
			       near ? near : "");
	}
	return TOTUM_OK;
}

/* The place of the variable's value among words; fallback when it is unset. */
static totum_status read_word(const char *variable, const char *const words[], int n, int fallback, int *out)
{
	const char *value = getenv(variable);

	*out = fallback;
	if (!value)
		return TOTUM_OK;
	for (int i = 0; i < n; i++)
		if (!strcmp(words[i], value)) {
			*out = i;
			return TOTUM_OK;
		}
	char list[128] = "";
	for (int i = 0; i < n; i++) {
		strcat(list, i ? ", " : "");
		strcat(list, words[i]);
	}
	return tt_fail(TOTUM_EINVAL, "%s=\"%.60s\" is not one of %s; set one of these or unset it", variable,
		       value, list);
}

static totum_status read_timeout(double *out)
{
	const char *value = getenv("TOTUM_TIMEOUT");

	*out = 30 * 60;
	if (!value)
		return TOTUM_OK;
	if (tt_parse_seconds(value, out))
		return tt_fail_in(TOTUM_EINVAL, "TOTUM_TIMEOUT");
	if (*out <= 0 || *out > longest_timeout)
		return tt_fail(TOTUM_EINVAL, "TOTUM_TIMEOUT=\"%.60s\" must be above 0 and at most 30 days", value);
	return TOTUM_OK;
}

static totum_status read_path(const char *variable, char *out, size_t size)
{
	const char *value = getenv(variable);

	if (value && strlen(value) >= size)
		return tt_fail(TOTUM_EINVAL, "%s is %zu characters long; give fewer than %zu", variable, strlen(value), size);
	strcpy(out, value ? value : "");
	return TOTUM_OK;
}

totum_status tt_settings_read(struct tt_settings *out)
{
	static const char *const waits[] = {"auto", "spin", "yield", "sleep"};
	static const char *const debugs[] = {"off", "info"};
	static const char *const launchers[] = {"", "totum", "openmpi", "pmi", "slurm", "torchrun", "none"};
	static const char *const copies[] = {"auto", "off"};
	int wait, debug, launcher, copy;

	memset(out, 0, sizeof *out);
	totum_status status = refuse_unknown();
	if (!status)
		status = read_word("TOTUM_WAIT", waits, 4, 0, &wait);
	if (!status)
		status = read_word("TOTUM_DEBUG", debugs, 2, 0, &debug);
	if (!status)
		status = read_word("TOTUM_LAUNCHER", launchers, 7, 0, &launcher);
	if (!status)
		status = read_word("TOTUM_SINGLE_COPY", copies, 2, 0, &copy);
	if (!status)
		status = read_timeout(&out->timeout);
	if (!status)
		status = read_path("TOTUM_TRACE", out->trace, sizeof out->trace);
	if (!status)
		status = read_path("TOTUM_FLIGHT", out->flight, sizeof out->flight);
	const char *limit = getenv("TOTUM_MEMORY_LIMIT");
	if (!status && limit && tt_parse_bytes(limit, &out->memory_limit))
		status = tt_fail_in(TOTUM_EINVAL, "TOTUM_MEMORY_LIMIT");
	if (status)
		return status;
	out->wait = (enum tt_wait_policy)wait;
	out->debug = debug == 1;
	out->single_copy = copy == 0;
	strcpy(out->launcher, launchers[launcher]);
	const char *algo = getenv("TOTUM_ALGO");
	if (algo && strlen(algo) >= sizeof out->algo)
		return tt_fail(TOTUM_EINVAL, "TOTUM_ALGO is %zu characters long; an algorithm's name has fewer than %zu",
			       strlen(algo), sizeof out->algo);
	if (algo && strcmp(algo, "auto"))
		strcpy(out->algo, algo);
	return TOTUM_OK;
}
