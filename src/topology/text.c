/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text - reading a topology file.
 *
 *     # two hosts on one wire
 *     topology two-hosts
 *     host left  l[0-3]                      four ranks, l0 l1 l2 l3, that share the host "left"
 *     host right r[0-3]
 *     rank  lonely                           a rank on a host of its own
 *     switch left.memory right.memory
 *     link l[0-3] left.memory 10GB/s 1us     a cable: both directions; rate, start-up of a message
 *     link r[0-3] right.memory 10GB/s 1us
 *     link left.memory right.memory 100Gbit/s 1us hop 2us
 *     link right.memory lonely 1GB/s 1us hop 2us oneway
 *
 * One statement a line, '#' begins a comment, and a name is declared before it is used.  Ranks
 * are numbered in the order of their declaration.  name[2-5] stands for name2 name3 name4 name5;
 * a link between two such lists joins them one to one, or all to a single name.  After the
 * start-up time may follow
 *     hop TIME     what the link adds to a message that came over another link before (default 0)
 *     along D      the link goes forward along dimension D of a grid, back in the other direction
 *     against D    the reverse; these decide between equally short routes
 *     oneway       the given direction only
 * Units are mandatory.  Two links between the same two add up.
 */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "topology/measure.h"
#include "topology/pattern.h"
#include "topology/topology.h"

enum { WORDS = 4096 };

struct line {
	char *words[WORDS];
	int nwords;
};

static totum_status split_line(char *text, struct line *line)
{
	char *rest = text, *word;

	line->nwords = 0;
	text[strcspn(text, "#")] = 0;
	while ((word = strsep(&rest, " \t\r\f\v"))) {
		if (!*word)
			continue;
		if (line->nwords == WORDS)
			return tt_fail(TOTUM_EPARSE, "more than %d words; use several lines",
				       WORDS);
		line->words[line->nwords++] = word;
	}
	return TOTUM_OK;
}

static totum_status unknown(const char *word, const char *const *words, int nwords,
			    const char *what)
{
	const char *near = tt_nearest(word, words, nwords);
	char list[64] = "";

	for (int i = 0; i < nwords; i++)
		strcat(strcat(list, i ? ", " : ""), words[i]);
	return tt_fail(TOTUM_EPARSE, "'%.40s' is not %s%s%s", word, what,
		       near ? ", did you mean " : "; there are ", near ? near : list);
}

/* host NAME rank.. / rank rank.. / switch name.. */
static totum_status read_vertices(struct tt_topology *topology, const struct line *line)
{
	bool host = !strcmp(line->words[0], "host"), ranks = strcmp(line->words[0], "switch") != 0;
	int32_t its_host = -1;
	int first = host ? 2 : 1;

	if (line->nwords <= first)
		return tt_fail(TOTUM_EPARSE, "'%s' without names; write %s", line->words[0],
			       host    ? "host NAME RANK .."
			       : ranks ? "rank NAME .."
				       : "switch NAME ..");
	if (host)
		its_host = tt_topology_add_host(topology, line->words[1]);
	for (int i = first; i < line->nwords && !topology->failed; i++) {
		struct tt_pattern pattern;
		char name[TT_TOPOLOGY_NAME];
		totum_status status = tt_pattern_read(line->words[i], &pattern);

		for (int64_t j = 0; !status && !topology->failed && j < tt_pattern_count(&pattern);
		     j++) {
			status = tt_pattern_name(&pattern, j, name);
			if (!status && ranks)
				tt_topology_add_rank(topology, its_host, name);
			else if (!status)
				tt_topology_add_switch(topology, name);
		}
		if (status)
			return status;
	}
	return topology->failed;
}

/* along D or against D: the preference that stands for it. */
static totum_status read_preference(const char *word, const char *value, int32_t *out)
{
	int64_t dimension;
	totum_status status = tt_parse_int(value, 0, TT_SHAPE_DIMENSIONS - 1, &dimension);

	if (!status)
		*out = (int32_t)(2 * dimension) + !strcmp(word, "against");
	return status;
}

/* What follows the ends: RATE ALPHA [hop TIME] [along D | against D] [oneway]; back: b to a. */
static totum_status read_wires(const struct line *line, struct tt_wire *wire, struct tt_wire *back,
			       bool *oneway)
{
	static const char *const words[] = {"hop", "along", "against", "oneway"};
	int32_t preference = -1;

	*wire = (struct tt_wire){0};
	totum_status status = tt_read_capacity(line->words[3], false, &wire->capacity);
	if (!status)
		status = tt_read_latency(line->words[4], &wire->alpha);
	for (int i = 5; !status && i < line->nwords; i++) {
		const char *word = line->words[i],
			   *value = i + 1 < line->nwords ? line->words[i + 1] : "";

		if (!strcmp(word, "oneway")) {
			*oneway = true;
			continue;
		}
		if (!strcmp(word, "hop"))
			status = tt_read_latency(value, &wire->hop);
		else if (!strcmp(word, "along") || !strcmp(word, "against"))
			status = read_preference(word, value, &preference);
		else
			return unknown(word, words, 4, "an option of a link");
		if (status)
			return tt_fail_in(status, "%s", word);
		i++;
	}
	*back = *wire;
	if (preference >= 0) {
		wire->preference = preference;
		back->preference = preference ^ 1;
	}
	return status;
}

static totum_status find(const struct tt_topology *topology, const struct tt_pattern *pattern,
			 int64_t i, int32_t *out)
{
	char name[TT_TOPOLOGY_NAME];
	totum_status status = tt_pattern_name(pattern, tt_pattern_count(pattern) > 1 ? i : 0, name);

	if (status)
		return status;
	*out = tt_topology_find(topology, name);
	if (*out < 0)
		return tt_fail(TOTUM_EPARSE, "no rank or switch '%s' has been declared above",
			       name);
	return TOTUM_OK;
}

/* link A B RATE ALPHA .. */
static totum_status read_link(struct tt_topology *topology, const struct line *line)
{
	struct tt_pattern a, b;
	struct tt_wire there, back;
	bool oneway = false;

	if (line->nwords < 5)
		return tt_fail(
			TOTUM_EPARSE,
			"a link needs two ends, a rate and a start-up time; write like link a b "
			"10GB/s 1us");
	totum_status status = tt_pattern_read(line->words[1], &a);
	if (!status)
		status = tt_pattern_read(line->words[2], &b);
	if (!status)
		status = read_wires(line, &there, &back, &oneway);
	if (status)
		return status;
	int64_t na = tt_pattern_count(&a), nb = tt_pattern_count(&b);
	if (na != nb && na != 1 && nb != 1)
		return tt_fail(TOTUM_EPARSE,
			       "%lld names cannot be linked with %lld; give as many, or one",
			       (long long)na, (long long)nb);
	for (int64_t i = 0; i < (na > nb ? na : nb); i++) {
		int32_t from, to;

		status = find(topology, &a, i, &from);
		if (!status)
			status = find(topology, &b, i, &to);
		if (status)
			return status;
		tt_topology_add_link(topology, from, to, there);
		if (!oneway)
			tt_topology_add_link(topology, to, from, back);
		if (topology->failed)
			return topology->failed;
	}
	return TOTUM_OK;
}

static totum_status read_statement(struct tt_topology **topology, const struct line *line)
{
	static const char *const words[] = {"topology", "host", "rank", "switch", "link"};
	const char *word = line->words[0];

	if (!*topology && strcmp(word, "topology"))
		return tt_fail(TOTUM_EPARSE,
			       "'%.40s' before the topology's name; begin with 'topology NAME'",
			       word);
	if (!strcmp(word, "topology")) {
		if (*topology)
			return tt_fail(TOTUM_EPARSE, "a second 'topology'; one file describes one");
		if (line->nwords != 2 || strlen(line->words[1]) >= TT_TOPOLOGY_NAME)
			return tt_fail(
				TOTUM_EPARSE,
				"write 'topology NAME', the name being one word of fewer than %d "
				"characters",
				TT_TOPOLOGY_NAME);
		return tt_topology_new(line->words[1], topology);
	}
	if (!strcmp(word, "host") || !strcmp(word, "rank") || !strcmp(word, "switch"))
		return read_vertices(*topology, line);
	if (!strcmp(word, "link"))
		return read_link(*topology, line);
	return unknown(word, words, 5, "a statement");
}

static totum_status read_lines(char *text, const char *file, struct line *line,
			       struct tt_topology **topology)
{
	char *rest = text, *one;
	int number = 0;

	while ((one = strsep(&rest, "\n"))) {
		number++;
		totum_status status = split_line(one, line);
		if (!status && line->nwords)
			status = read_statement(topology, line);
		if (status)
			return tt_fail_in(status == TOTUM_EINVAL ? TOTUM_EPARSE : status, "%s:%d",
					  file, number);
	}
	if (!*topology)
		return tt_fail(TOTUM_EPARSE, "%s:%d: no statement; begin with 'topology NAME'",
			       file, number);
	totum_status status = tt_topology_seal(*topology);
	return status ? tt_fail_in(status == TOTUM_EINVAL ? TOTUM_EPARSE : status, "%s:%d", file,
				   number)
		      : TOTUM_OK;
}

totum_status tt_topology_read(const char *text, size_t length, const char *file,
			      struct tt_topology **out)
{
	struct tt_topology *topology = NULL;
	char *copy = malloc(length + 1);
	struct line *line = malloc(sizeof *line);
	totum_status status;

	if (!copy || !line) {
		status = tt_fail_memory(length + sizeof *line, "a topology's text");
	} else if (memchr(text, 0, length)) {
		status = tt_fail(TOTUM_EPARSE, "%s:1: this is not a text, it has zero bytes", file);
	} else {
		memcpy(copy, text, length);
		copy[length] = 0;
		status = read_lines(copy, file, line, &topology);
	}
	free(copy);
	free(line);
	if (status) {
		tt_topology_free(topology);
		return status;
	}
	*out = topology;
	return TOTUM_OK;
}
