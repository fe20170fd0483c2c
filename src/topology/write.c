/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * write - a topology as text, folded: runs of alike vertices and links become one line each.
 *
 * The order of links does not matter to the reader, so a cable is written once,
 * where its first end is met.
 */
#include <stdlib.h>
#include <string.h>

#include "topology/measure.h"
#include "topology/pattern.h"

enum { WORDS_A_LINE = 16 };

/* A cable or a single direction, as one `link` line says it. */
struct cable {
	const struct tt_link *link;
	bool oneway;
};

/* Which ends of a run of cables advance from one to the next. */
enum step { STEP_UNKNOWN, STEP_A, STEP_B, STEP_BOTH };

struct run {
	struct cable first, last;
	int64_t count;
	enum step step;
};

static bool equal_but_preference(const struct tt_wire *a, const struct tt_wire *b)
{
	return a->capacity == b->capacity && a->alpha == b->alpha && a->hop == b->hop;
}

/* Do the two directions make one cable as the reader would make it? */
static bool pairs(const struct tt_wire *there, const struct tt_wire *back)
{
	return equal_but_preference(there, back) && (there->preference == (back->preference ^ 1) ||
						     !(there->preference | back->preference));
}

/* Does the reader give the first of the two wires preference 0 because nothing is said? */
static bool plain(const struct cable *cable, const struct tt_link *back)
{
	return !cable->link->wire.preference && (cable->oneway || !back || !back->wire.preference);
}

static void write_run(const struct tt_topology *topology, const struct run *run, FILE *out)
{
	const struct tt_link *link = run->first.link;
	const struct tt_vertex *vertices = topology->vertices;
	char rate[TT_UNITS_TEXT], time[TT_UNITS_TEXT];

	if (!run->count)
		return;
	fputs("link ", out);
	tt_pattern_write(vertices[link->from].name, run->step == STEP_B ? 1 : run->count, out);
	fputc(' ', out);
	tt_pattern_write(vertices[link->to].name, run->step == STEP_A ? 1 : run->count, out);
	fprintf(out, " %s %s", tt_write_capacity(link->wire.capacity, rate),
		tt_write_latency(link->wire.alpha, time));
	if (link->wire.hop)
		fprintf(out, " hop %s", tt_write_latency(link->wire.hop, time));
	if (!plain(&run->first, tt_topology_back(topology, link)))
		fprintf(out, " %s %d", link->wire.preference % 2 ? "against" : "along",
			link->wire.preference / 2);
	fputs(run->first.oneway ? " oneway\n" : "\n", out);
}

/* Adds the cable to the run if one line can say both. */
static bool extends(const struct tt_topology *topology, struct run *run, const struct cable *cable)
{
	const struct tt_vertex *vertices = topology->vertices;
	const struct tt_link *last = run->last.link, *next = cable->link;

	if (!run->count || run->last.oneway != cable->oneway ||
	    !equal_but_preference(&last->wire, &next->wire) ||
	    last->wire.preference != next->wire.preference ||
	    plain(&run->last, tt_topology_back(topology, last)) !=
		    plain(cable, tt_topology_back(topology, next)))
		return false;
	bool a = tt_pattern_follows(vertices[last->from].name, vertices[next->from].name);
	bool b = tt_pattern_follows(vertices[last->to].name, vertices[next->to].name);
	enum step step = a && b                          ? STEP_BOTH
			 : a && last->to == next->to     ? STEP_A
			 : b && last->from == next->from ? STEP_B
							 : STEP_UNKNOWN;
	if (step == STEP_UNKNOWN || (run->step != STEP_UNKNOWN && run->step != step))
		return false;
	run->step = step;
	run->last = *cable;
	run->count++;
	return true;
}

static void write_links(const struct tt_topology *topology, FILE *out)
{
	struct run run = {0};

	for (int64_t i = 0; i < topology->nlinks; i++) {
		const struct tt_link *link = &topology->links[i],
				     *back = tt_topology_back(topology, link);
		bool paired = back && pairs(&link->wire, &back->wire);
		struct cable cable = {.link = link, .oneway = !paired};

		/* Forward is the direction to say; without one, the lower vertex first. */
		if (paired &&
		    (link->wire.preference != back->wire.preference ? link->wire.preference % 2
								    : link->to < link->from))
			continue;
		if (extends(topology, &run, &cable))
			continue;
		write_run(topology, &run, out);
		run = (struct run){.first = cable, .last = cable, .count = 1};
	}
	write_run(topology, &run, out);
}

/* Is the rank alone on a host with its own name, as `rank` declares it? */
static bool alone(const struct tt_topology *topology, const struct tt_vertex *vertex)
{
	return vertex->rank >= 0 && !strcmp(topology->hosts[vertex->host], vertex->name);
}

static void write_vertices(const struct tt_topology *topology, FILE *out)
{
	const struct tt_vertex *vertices = topology->vertices;

	for (int64_t v = 0; v < topology->nvertices;) {
		bool own = alone(topology, &vertices[v]);
		int64_t end = v, words = 0;

		if (vertices[v].rank < 0)
			fputs("switch", out);
		else if (own)
			fputs("rank", out);
		else
			fprintf(out, "host %s", topology->hosts[vertices[v].host]);
		while (words++ < WORDS_A_LINE && end < topology->nvertices &&
		       alone(topology, &vertices[end]) == own &&
		       (own || vertices[end].host == vertices[v].host)) {
			int64_t first = end++;

			while (end < topology->nvertices &&
			       alone(topology, &vertices[end]) == own &&
			       (own || vertices[end].host == vertices[v].host) &&
			       tt_pattern_follows(vertices[end - 1].name, vertices[end].name))
				end++;
			fputc(' ', out);
			tt_pattern_write(vertices[first].name, end - first, out);
		}
		fputc('\n', out);
		v = end;
	}
}

totum_status tt_topology_write(const struct tt_topology *topology, FILE *out)
{
	fprintf(out, "topology %s\n", topology->name);
	write_vertices(topology, out);
	write_links(topology, out);
	return ferror(out) ? tt_fail(TOTUM_ESYSTEM, "cannot write topology %s; is the disk full?",
				     topology->name)
			   : TOTUM_OK;
}
