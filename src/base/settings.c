/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * settings - the TOTUM_ variables.
 *
 * A misspelt variable would silently leave a default in force, on one rank perhaps and not on
 * another, so any name with our prefix that is not ours is an error.
 */
#include "base/settings.h"

#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/units.h"

static const double longest_timeout = 30 * 86400.0;
static const long most_streams = 16;
static const uint64_t least_share = 4096;

/* The place of the value among words, which end with NULL. */
static totum_status read_word(const struct tt_variable *variable, const char *value,
			      const char *const words[], int *out)
{
	char list[128] = "";

	for (int i = 0; words[i]; i++) {
		if (!strcmp(words[i], value)) {
			*out = i;
			return TOTUM_OK;
		}
		strcat(list, list[0] ? ", " : "");
		strcat(list, words[i]);
	}
	return tt_fail(TOTUM_EINVAL, "%s=\"%.60s\" is not one of %s; set one of these or unset it",
		       variable->name, value, list);
}

static totum_status read_text(const struct tt_variable *variable, const char *value, char *out,
			      size_t size)
{
	if (strlen(value) >= size)
		return tt_fail(TOTUM_EINVAL, "%s is %zu characters long; give fewer than %zu",
			       variable->name, strlen(value), size);
	strcpy(out, value);
	return TOTUM_OK;
}

static totum_status read_algo(const struct tt_variable *variable, const char *value,
			      struct tt_settings *out)
{
	return read_text(variable, strcmp(value, "auto") ? value : "", out->algo, sizeof out->algo);
}

static totum_status read_chaos(const struct tt_variable *variable, const char *value,
			       struct tt_settings *out)
{
	if (tt_parse_int(value, 0, INT32_MAX, &out->chaos))
		return tt_fail_in(TOTUM_EINVAL, "%s", variable->name);
	return TOTUM_OK;
}

static totum_status read_checksum(const struct tt_variable *variable, const char *value,
				  struct tt_settings *out)
{
	static const char *const words[] = {"0", "1", NULL};
	int word = 0;
	totum_status status = read_word(variable, value, words, &word);

	out->checksum = word == 1;
	return status;
}

static totum_status read_debug(const struct tt_variable *variable, const char *value,
			       struct tt_settings *out)
{
	static const char *const words[] = {"off", "info", NULL};
	int word = 0;
	totum_status status = read_word(variable, value, words, &word);

	out->debug = word == 1;
	return status;
}

static totum_status read_encrypt(const struct tt_variable *variable, const char *value,
				 struct tt_settings *out)
{
	static const char *const words[] = {"0", "1", NULL};
	int word = 0;
	totum_status status = read_word(variable, value, words, &word);

	out->encrypt = word == 1;
	return status;
}

static totum_status read_flight(const struct tt_variable *variable, const char *value,
				struct tt_settings *out)
{
	return read_text(variable, value, out->flight, sizeof out->flight);
}

static totum_status read_interfaces(const struct tt_variable *variable, const char *value,
				    struct tt_settings *out)
{
	return read_text(variable, value, out->interfaces, sizeof out->interfaces);
}

static totum_status read_launcher(const struct tt_variable *variable, const char *value,
				  struct tt_settings *out)
{
	static const char *const words[] = {"",      "totum",    "openmpi", "pmi",
					    "slurm", "torchrun", "none",    NULL};
	int word = 0;
	totum_status status = read_word(variable, value, words, &word);

	strcpy(out->launcher, words[word]);
	return status;
}

static totum_status read_limit(const struct tt_variable *variable, const char *value,
			       struct tt_settings *out)
{
	if (tt_parse_bytes(value, &out->memory_limit))
		return tt_fail_in(TOTUM_EINVAL, "%s", variable->name);
	return TOTUM_OK;
}

/* Only whether it is one; launch/secret.h reads the file. */
static totum_status check_path(const struct tt_variable *variable, const char *value,
			       struct tt_settings *out)
{
	(void)out;
	if (value[0])
		return TOTUM_OK;
	return tt_fail(TOTUM_EINVAL, "%s is empty; give the path of a file, or unset it",
		       variable->name);
}

static totum_status read_share(const struct tt_variable *variable, const char *value,
			       struct tt_settings *out)
{
	if (tt_parse_bytes(value, &out->share_from))
		return tt_fail_in(TOTUM_EINVAL, "%s", variable->name);
	if (out->share_from < least_share)
		return tt_fail(TOTUM_EINVAL, "%s=\"%.60s\" must be at least 4K, a page",
			       variable->name, value);
	return TOTUM_OK;
}

static totum_status read_single_copy(const struct tt_variable *variable, const char *value,
				     struct tt_settings *out)
{
	static const char *const words[] = {"auto", "off", "on", NULL};
	int word = 0;
	totum_status status = read_word(variable, value, words, &word);

	out->single_copy = (enum tt_single_copy)word;
	return status;
}

static totum_status read_streams(const struct tt_variable *variable, const char *value,
				 struct tt_settings *out)
{
	size_t digits = strspn(value, "0123456789");
	long streams = digits <= 3 ? strtol(value, NULL, 10) : most_streams + 1;

	if (value[digits] || streams < 1 || streams > most_streams)
		return tt_fail(TOTUM_EINVAL, "%s=\"%.60s\" must be a number from 1 to %ld",
			       variable->name, value, most_streams);
	out->streams = (int)streams;
	return TOTUM_OK;
}

static totum_status read_timeout(const struct tt_variable *variable, const char *value,
				 struct tt_settings *out)
{
	if (tt_parse_seconds(value, &out->timeout))
		return tt_fail_in(TOTUM_EINVAL, "%s", variable->name);
	if (out->timeout <= 0 || out->timeout > longest_timeout)
		return tt_fail(TOTUM_EINVAL, "%s=\"%.60s\" must be above 0 and at most 30 days",
			       variable->name, value);
	return TOTUM_OK;
}

static totum_status read_trace(const struct tt_variable *variable, const char *value,
			       struct tt_settings *out)
{
	return read_text(variable, value, out->trace, sizeof out->trace);
}

static totum_status read_transport(const struct tt_variable *variable, const char *value,
				   struct tt_settings *out)
{
	static const char *const words[] = {"auto", "tcp", "ucx", NULL};
	int word = 0;
	totum_status status = read_word(variable, value, words, &word);

	out->transport = (enum tt_transport_choice)word;
	return status;
}

static totum_status read_tuning(const struct tt_variable *variable, const char *value,
				struct tt_settings *out)
{
	return read_text(variable, value, out->tuning, sizeof out->tuning);
}

static totum_status read_wait(const struct tt_variable *variable, const char *value,
			      struct tt_settings *out)
{
	static const char *const words[] = {"auto", "spin", "yield", "sleep", NULL};
	int word = 0;
	totum_status status = read_word(variable, value, words, &word);

	out->wait = (enum tt_wait_policy)word;
	return status;
}

const struct tt_variable tt_variables[] = {
	{"TOTUM_ALGO",
	 "algorithm of every call, like \"ring\" or \"bruck,radix=3\"; \"auto\" lets totum choose",
	 "auto", read_algo},
	{"TOTUM_CHAOS",
	 "for tests: cuts and delays what goes between hosts, at random by this seed; \"0\": off",
	 "0", read_chaos},
	{"TOTUM_CHECKSUM",
	 "\"1\" checks what comes from other hosts by a CRC32C and names the link that damages it",
	 "0", read_checksum},
	{"TOTUM_DEBUG", "\"info\" logs what totum found and chose to standard error; \"off\"",
	 "off", read_debug},
	{"TOTUM_ENCRYPT",
	 "\"1\" encrypts what goes to other hosts by TLS 1.3, with a key from the job's secret",
	 "0", read_encrypt},
	{"TOTUM_FLIGHT",
	 "prefix of files: on a failure every rank writes what its last calls were, as JSON", "",
	 read_flight},
	{"TOTUM_INTERFACES",
	 "network interfaces between hosts, like \"eth0,ib\", \"10.1.0.0/16\" or \"^docker\"", "",
	 read_interfaces},
	{"TOTUM_JOB_ID", "printable name of the job, set by `totum run`", "", NULL},
	{"TOTUM_LAUNCHER",
	 "whose variables say who this rank is: totum, openmpi, pmi, slurm, torchrun, none", "",
	 read_launcher},
	{"TOTUM_LOCAL_RANK", "rank among the ranks of this host, set by `totum run`", "", NULL},
	{"TOTUM_LOCAL_SIZE", "number of ranks on this host, set by `totum run`", "", NULL},
	{"TOTUM_MEMORY_LIMIT",
	 "most bytes that totum_alloc gives a rank, like \"8G\" (default no limit)", "",
	 read_limit},
	{"TOTUM_RANK", "rank of this process, set by `totum run`", "", NULL},
	{"TOTUM_ROOT", "where the ranks of the job meet, set by `totum run`", "", NULL},
	{"TOTUM_SECRET_FD", "descriptor that holds the job's secret, set by `totum run`", "", NULL},
	{"TOTUM_SECRET_FILE",
	 "file of mode 600 with the job's secret, where the launcher hands none to its ranks",
	 "", check_path},
	{"TOTUM_SHARE_FROM",
	 "allocations of so many bytes or more are shared, where libtotum_share.so is preloaded",
	 "64K", read_share},
	{"TOTUM_SINGLE_COPY",
	 "whether ranks read each other's memory through the kernel: \"auto\" where that is fast, "
	 "\"off\" never, \"on\" where it works",
	 "auto", read_single_copy},
	{"TOTUM_SIZE", "number of ranks, set by `totum run`", "", NULL},
	{"TOTUM_SSH", "how `totum run` reaches other hosts, like \"ssh -p 2222\"", "", NULL},
	{"TOTUM_STREAMS", "connections between two ranks on different hosts, 1 to 16", "1",
	 read_streams},
	{"TOTUM_TIMEOUT", "how long a call waits for the other ranks, like \"30s\" (default 30m)",
	 "30m", read_timeout},
	{"TOTUM_TRACE",
	 "prefix of files: every rank writes its calls as a Chrome trace, to be opened in Perfetto",
	 "", read_trace},
	{"TOTUM_TRANSPORT",
	 "what carries bytes between hosts: \"tcp\", \"ucx\", or \"auto\", ucx where all hosts have a "
	 "device for it",
	 "auto", read_transport},
	{"TOTUM_TUNING",
	 "file of measured links, written by `totum tune`, for `totum plan` and `totum bench`", "",
	 read_tuning},
	{"TOTUM_WAIT", "how a rank waits: auto, spin, yield, sleep", "auto", read_wait},
	{NULL, NULL, NULL, NULL},
};

enum { MOST_VARIABLES = 64 };

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
		return tt_fail(TOTUM_EINVAL,
			       "%.*s is not a variable of totum%s%s; unset it or correct its name",
			       (int)(length < 80 ? length : 80), *entry,
			       near ? ", did you mean " : "", near ? near : "");
	}
	return TOTUM_OK;
}

totum_status tt_settings_read(struct tt_settings *out)
{
	memset(out, 0, sizeof *out);
	totum_status status = refuse_unknown();
	for (const struct tt_variable *variable = tt_variables; variable->name && !status;
	     variable++) {
		const char *value = getenv(variable->name);
		if (!value && variable->fallback[0])
			value = variable->fallback;
		if (value && variable->read)
			status = variable->read(variable, value, out);
	}
	return status;
}
