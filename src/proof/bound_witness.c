/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bound_witness - from a set of vertices to the bound it proves, with a sentence
 * that names the bottleneck.
 *
 * The sentence tells of the smaller side of the cut: data must leave a small S, or enter
 * what a large S leaves out.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof/bound_cut.h"
#include "topology/measure.h"

enum { NAMED_VERTICES = 6, NAMED_LINKS = 3 };

struct text {
	char *out;
	size_t used;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int more = vsnprintf(text->out + text->used, TT_BOUND_SENTENCE - text->used, format, args);
	va_end(args);
	text->used += more > 0 ? (size_t)more : 0;
	if (text->used >= TT_BOUND_SENTENCE)
		text->used = TT_BOUND_SENTENCE - 1;
}

static void name_side(struct text *text, const struct tt_topology *topology, const uint8_t *witness,
		      int side, int64_t count)
{
	int64_t named = 0;

	for (int64_t v = 0; v < topology->nvertices && named < NAMED_VERTICES; v++)
		if (witness[v] == side)
			add(text, "%s%s", named++ ? ", " : "", topology->vertices[v].name);
	if (count > named)
		add(text, " and %lld more", (long long)(count - named));
}

static void name_links(struct text *text, const struct tt_topology *topology,
		       const uint8_t *witness)
{
	int64_t crossing = 0;

	for (int64_t i = 0; i < topology->nlinks; i++) {
		const struct tt_link *link = &topology->links[i];

		if (!witness[link->from] || witness[link->to])
			continue;
		if (crossing++ < NAMED_LINKS)
			add(text, "%s%s>%s", crossing > 1 ? ", " : ": ",
			    topology->vertices[link->from].name, topology->vertices[link->to].name);
	}
	if (crossing > NAMED_LINKS)
		add(text, ", ..");
}

static void write_sentence(const struct tt_topology *topology, struct tt_bound *bound)
{
	char rate[TT_UNITS_TEXT];
	struct text text = {.out = bound->sentence};
	int64_t inside = 0, crossing = 0;

	for (int64_t v = 0; v < topology->nvertices; v++)
		inside += bound->witness[v];
	for (int64_t i = 0; i < topology->nlinks; i++)
		crossing += bound->witness[topology->links[i].from] &&
			    !bound->witness[topology->links[i].to];
	int64_t outside = topology->nvertices - inside;
	int side = inside <= outside;

	if (!bound->weight) {
		add(&text, "nothing has to move");
		return;
	}
	add(&text, "%lld block%s must %s ", (long long)bound->weight, bound->weight == 1 ? "" : "s",
	    side ? "leave" : "enter");
	name_side(&text, topology, bound->witness, side, side ? inside : outside);
	add(&text, " over %lld link%s of %s%s", (long long)crossing, crossing == 1 ? "" : "s",
	    tt_write_capacity(bound->capacity, rate), crossing == 1 ? "" : " together");
	name_links(&text, topology, bound->witness);
}

/* weight(S) and the capacity out of S in B/s; a sentence when they do not fit. */
static totum_status measure(const struct tt_cut_question *question, const uint8_t *witness,
			    int64_t *weight, int64_t *capacity)
{
	const struct tt_topology *topology = question->topology;
	__int128 out = 0;

	*weight = 0;
	for (int64_t r = 0; r < topology->nranks; r++)
		if (witness[topology->rank_vertex[r]])
			*weight += tt_cut_weight(question, r);
	if (question->pairs)
		*weight *= topology->nranks - *weight;
	for (int64_t i = 0; i < topology->nlinks; i++)
		if (witness[topology->links[i].from] && !witness[topology->links[i].to])
			out += topology->links[i].wire.capacity;
	if (out > INT64_MAX)
		return tt_fail(TOTUM_EUNSUPPORTED, "the links of a cut add up to more than 9e18 "
						   "B/s, too large to compute with exactly; "
						   "divide all capacities by a common factor");
	*capacity = (int64_t)out;
	return TOTUM_OK;
}

static totum_status unreachable(const struct tt_topology *topology, const uint8_t *witness)
{
	const char *from = "", *to = "";

	for (int64_t r = topology->nranks - 1; r >= 0; r--) {
		const char *name = topology->vertices[topology->rank_vertex[r]].name;

		if (witness[topology->rank_vertex[r]])
			from = name;
		else
			to = name;
	}
	return tt_fail(TOTUM_EINVAL,
		       "topology %s: no links lead from rank %s to rank %s; connect them",
		       topology->name, from, to);
}

totum_status tt_cut_bound(const struct tt_cut_question *question, uint8_t *witness,
			  const char *method, struct tt_bound **out)
{
	struct tt_bound *bound = calloc(1, sizeof *bound);

	if (!bound) {
		free(witness);
		return tt_fail_memory(sizeof *bound, "a bound");
	}
	bound->witness = witness;
	bound->method = method;
	bound->unit = question->topology->unit;
	totum_status status = measure(question, witness, &bound->weight, &bound->capacity);
	if (!status && bound->weight && !bound->capacity)
		status = unreachable(question->topology, witness);
	if (status) {
		tt_bound_free(bound);
		return status;
	}
	int64_t under = bound->capacity ? bound->capacity : 1;
	bound->lambda = tt_fraction_of(bound->weight, under);
	bound->lambda_unit = tt_fraction_of((__int128)bound->weight * bound->unit, under);
	if (!tt_fraction_valid(bound->lambda) || !tt_fraction_valid(bound->lambda_unit)) {
		tt_bound_free(bound);
		return tt_fail(TOTUM_EUNSUPPORTED, "the bound is a fraction of more than 64 bits; "
						   "give smaller shards or capacities with a "
						   "common factor");
	}
	write_sentence(question->topology, bound);
	*out = bound;
	return TOTUM_OK;
}

totum_status tt_cut_around(const struct tt_cut_question *question, int32_t vertex,
			   const char *method, struct tt_bound **out)
{
	size_t bytes = (size_t)question->topology->nvertices;
	uint8_t *witness = malloc(bytes);

	if (!witness)
		return tt_fail_memory(bytes, "a cut");
	memset(witness, 1, bytes);
	witness[vertex] = 0;
	return tt_cut_bound(question, witness, method, out);
}

totum_status tt_cut_total(const struct tt_cut_question *question, int64_t *out)
{
	int64_t total = 0;

	for (int64_t r = 0; r < question->topology->nranks; r++) {
		int64_t weight = tt_cut_weight(question, r);

		if (weight < 0 || __builtin_add_overflow(total, weight, &total))
			return tt_fail(TOTUM_EINVAL,
				       "the weight %lld of rank %lld is negative, or all together "
				       "exceed 64 bits",
				       (long long)weight, (long long)r);
	}
	*out = total;
	return TOTUM_OK;
}
