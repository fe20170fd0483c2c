/* SPDX-License-Identifier: BSD-3-Clause */
/* launch_hosts - reads lists of hosts and deals out ranks to them. */
#include "launch_hosts.h"
#include "launch.h"
#include "options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static bool refuse(char *error, size_t size,
							 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, size, format, args);
	va_end(args);
	return false;
}

/* A name beginning with '-' would be an option of ssh; other letters are for shells, or typos. */
static bool is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-@:%";

	return *name && *name != '-' && strlen(name) < 256 && !name[strspn(name, letters)];
}

/* slots 0: not said. */
static bool add(struct launch_hosts *hosts, const char *name, int slots, char *error, size_t size)
{
	if (!is_name(name))
		return refuse(error, size, "'%.60s' is no name of a host; give them like a,b:2",
			      name);
	for (int i = 0; i < hosts->n; i++) {
		struct launch_host *known = &hosts->list[i];

		if (strcmp(known->name, name))
			continue;
		known->slots = (known->slots ? known->slots : 1) + (slots ? slots : 1);
		return known->slots <= LAUNCH_MAX_RANKS ||
		       refuse(error, size, "host %.60s has more than %d slots", name,
			      LAUNCH_MAX_RANKS);
	}
	if (hosts->n == LAUNCH_MAX_HOSTS)
		return refuse(error, size, "there are more than %d hosts", LAUNCH_MAX_HOSTS);
	struct launch_host *more =
		realloc(hosts->list, (size_t)(hosts->n + 1) * sizeof *hosts->list);

	if (!more)
		return refuse(error, size, "no memory");
	hosts->list = more;
	char *copy = strdup(name);

	if (!copy)
		return refuse(error, size, "no memory");
	hosts->list[hosts->n++] = (struct launch_host){.name = copy, .slots = slots};
	return true;
}

static bool read_slots(const char *text, const char *host, int *slots, char *error, size_t size)
{
	long value;

	if (!option_int(text, 1, LAUNCH_MAX_RANKS, &value))
		return refuse(error, size, "slots of host %.60s: %s", host, option_error());
	*slots = (int)value;
	return true;
}

/* "a", "a:2", "[fe80::1]:2", and fe80::1, which has too many colons to end with slots. */
static bool add_entry(struct launch_hosts *hosts, char *entry, char *error, size_t size)
{
	char *colon = strrchr(entry, ':'), *close = strchr(entry, ']');
	int slots = 0;

	if (*entry == '[' && close) {
		entry++;
		*close = '\0';
		colon = close[1] == ':' ? close + 1 : NULL;
		if (close[1] && !colon)
			return refuse(error, size,
				      "'%.60s' follows the ] of a host; give [%.60s]:2", close + 1,
				      entry);
	} else if (colon && strchr(entry, ':') != colon) {
		colon = NULL;
	}
	if (colon) {
		*colon = '\0';
		if (!read_slots(colon + 1, entry, &slots, error, size))
			return false;
	}
	return add(hosts, entry, slots, error, size);
}

bool launch_hosts_add(struct launch_hosts *hosts, const char *list, char *error, size_t size)
{
	char *copy = strdup(list), *rest = copy, *entry;
	bool good = copy || refuse(error, size, "no memory");

	while (good && (entry = strsep(&rest, ",")))
		good = add_entry(hosts, entry, error, size);
	free(copy);
	return good;
}

static bool add_line(struct launch_hosts *hosts, char *line, char *error, size_t size)
{
	static const char blank[] = " \t\r\n";
	char *rest = line;

	line[strcspn(line, "#")] = '\0';
	char *name = strtok_r(line, blank, &rest);
	char *word = name ? strtok_r(NULL, blank, &rest) : NULL;
	int slots = 0;

	if (!name)
		return true;
	if (!word)
		return add_entry(hosts, name, error, size);
	if (strncmp(word, "slots=", 6) || strtok_r(NULL, blank, &rest))
		return refuse(error, size, "'%.40s' is not understood; give HOST slots=N", word);
	return read_slots(word + 6, name, &slots, error, size) &&
	       add(hosts, name, slots, error, size);
}

bool launch_hosts_read(struct launch_hosts *hosts, const char *path, char *error, size_t size)
{
	FILE *file = fopen(path, "re");
	char *line = NULL, why[256];
	size_t room = 0;
	bool good = true;

	if (!file)
		return refuse(error, size, "%.200s: %s", path, strerror(errno));
	for (int number = 1; good && getline(&line, &room, file) >= 0; number++) {
		good = add_line(hosts, line, why, sizeof why);
		if (!good)
			refuse(error, size, "%.200s, line %d: %s", path, number, why);
	}
	if (good && ferror(file))
		good = refuse(error, size, "%.200s: cannot be read", path);
	free(line);
	fclose(file);
	if (good && !hosts->n)
		good = refuse(error, size, "%.200s: there is no host in it", path);
	return good;
}

/* Gives every host a number of slots; returns their sum. */
static int count_slots(struct launch_hosts *hosts, int nranks)
{
	int sum = 0, even = 1;
	bool said = false;

	for (int i = 0; i < hosts->n; i++)
		said |= hosts->list[i].slots > 0;
	if (!said && nranks)
		even = (nranks + hosts->n - 1) / hosts->n;
	for (int i = 0; i < hosts->n; i++) {
		struct launch_host *host = &hosts->list[i];

		if (!host->slots)
			host->slots = even;
		if (sum <= LAUNCH_MAX_RANKS)
			sum += host->slots;
	}
	return sum;
}

/* Where the next rank goes: the first host with room, or the next one in turn. */
static int next_place(const struct launch_hosts *hosts, int last)
{
	int host = hosts->by_node ? last + 1 : 0;

	while (hosts->list[host % hosts->n].nranks == hosts->list[host % hosts->n].slots)
		host++;
	return host % hosts->n;
}

/* A round of ranks by node leaves out nobody, so that only hosts at the end can be without one. */
static void forget_idle(struct launch_hosts *hosts)
{
	while (hosts->n && !hosts->list[hosts->n - 1].nranks)
		free(hosts->list[--hosts->n].name);
}

bool launch_hosts_place(struct launch_hosts *hosts, int *nranks, char *error, size_t size)
{
	int slots = count_slots(hosts, *nranks), last = -1;

	if (slots > LAUNCH_MAX_RANKS && !*nranks)
		return refuse(error, size, "the hosts have more than %d slots; give -n N",
			      LAUNCH_MAX_RANKS);
	if (!*nranks)
		*nranks = slots;
	if (*nranks > slots)
		return refuse(error, size,
			      "%d ranks need more than the %d slots of the hosts; give more slots, "
			      "like a:8, or none, to share the ranks evenly",
			      *nranks, slots);
	hosts->host_of = calloc((size_t)*nranks, sizeof *hosts->host_of);
	if (!hosts->host_of)
		return refuse(error, size, "no memory");
	for (int rank = 0; rank < *nranks; rank++) {
		last = next_place(hosts, last);
		hosts->host_of[rank] = last;
		hosts->list[last].nranks++;
	}
	forget_idle(hosts);
	return true;
}

const char *launch_host_of(const struct launch_hosts *hosts, int rank)
{
	return hosts->list[hosts->host_of[rank]].name;
}

void launch_hosts_free(struct launch_hosts *hosts)
{
	for (int i = 0; i < hosts->n; i++)
		free(hosts->list[i].name);
	free(hosts->list);
	free(hosts->host_of);
	hosts->list = NULL;
	hosts->host_of = NULL;
	hosts->n = 0;
}
