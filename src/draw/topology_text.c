/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_text - the facts of a topology below its picture in letters. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/units.h"
#include "draw/topology.h"
#include "proof/machine.h"
#include "topology/measure.h"

enum { DIGITS = 7, KINDS = 6 };

/* Links of one kind, of which there are many in most topologies. */
struct kind {
	struct tt_wire wire;
	int64_t count;
};

static void write_wire(const struct tt_wire *wire, FILE *out)
{
	char rate[TT_UNITS_TEXT], time[TT_UNITS_TEXT];

	fprintf(out, "%s, alpha %s", tt_write_capacity(wire->capacity, rate),
		tt_write_latency(wire->alpha, time));
	if (wire->hop)
		fprintf(out, ", hop %s", tt_write_latency(wire->hop, time));
}

static void write_links(const struct tt_topology *topology, FILE *out)
{
	struct kind kinds[KINDS];
	int64_t nkinds = 0, others = 0;

	for (int64_t i = 0; i < topology->nlinks; i++) {
		const struct tt_wire *wire = &topology->links[i].wire;
		int64_t k = 0;

		while (k < nkinds &&
		       (kinds[k].wire.capacity != wire->capacity ||
			kinds[k].wire.alpha != wire->alpha || kinds[k].wire.hop != wire->hop))
			k++;
		if (k == KINDS) {
			others++;
			continue;
		}
		if (k == nkinds)
			kinds[nkinds++] = (struct kind){.wire = *wire};
		kinds[k].count++;
	}
	for (int64_t k = 0; k < nkinds; k++) {
		fprintf(out, "%s%" PRId64 " of ", k ? "           " : "links      ",
			kinds[k].count);
		write_wire(&kinds[k].wire, out);
		fputc('\n', out);
	}
	if (others)
		fprintf(out, "           %" PRId64 " of other kinds\n", others);
}

static totum_status write_distance(const struct tt_pictured *pictured, FILE *out)
{
	int64_t far = 0;
	totum_status status = TOTUM_OK;

	if (pictured->topology)
		status = tt_bound_diameter(pictured->topology, &far);
	else
		far = tt_shape_diameter(pictured->shape);
	if (!status)
		fprintf(out,
			"rounds     %" PRId64
			" at least with one message a round; ranks are at most %" PRId64
			" transfer%s apart\n",
			pictured->limits.rounds, far, far == 1 ? "" : "s");
	return status;
}

static void write_limits(const struct tt_pictured *pictured, int64_t nranks, FILE *out)
{
	const struct tt_limits *limits = &pictured->limits;
	char text[TT_UNITS_TEXT], bytes[TT_UNITS_TEXT], fraction[TT_FRACTION_TEXT];

	fprintf(out, "%-10s bound %s", tt_collective_name(pictured->collective),
		tt_short_seconds(limits->latency + limits->bytes, DIGITS, text));
	fprintf(out, " = %s", tt_short_seconds(limits->latency, DIGITS, text));
	fprintf(out, " + %s for %s\n", tt_short_seconds(limits->bytes, DIGITS, text),
		tt_format_bytes(pictured->bytes, bytes));
	fprintf(out, "lambda     %s blocks per %s (by %s)",
		tt_fraction_text(limits->bound->lambda_unit, fraction),
		tt_write_capacity(limits->bound->unit, text), limits->bound->method);
	if (limits->bound->lambda.over)
		fprintf(out, "; at most %s of result a second",
			tt_short_rate((double)nranks / tt_fraction_value(limits->bound->lambda), 5,
				      text));
	fprintf(out, "\nlimit      %s\n", limits->bound->sentence);
}

totum_status tt_draw_topology_text(const struct tt_pictured *pictured, FILE *out)
{
	const struct tt_topology *topology = pictured->topology;
	totum_status status = TOTUM_OK;

	if (topology) {
		fprintf(out,
			"%s: %" PRId64 " rank%s on %" PRId64 " host%s, %" PRId64
			" switch%s, %" PRId64 " link%s\n\n",
			topology->name, topology->nranks, topology->nranks == 1 ? "" : "s",
			topology->nhosts, topology->nhosts == 1 ? "" : "s",
			topology->nvertices - topology->nranks,
			topology->nvertices - topology->nranks == 1 ? "" : "es", topology->nlinks,
			topology->nlinks == 1 ? "" : "s");
		status = tt_draw_wires(topology, pictured->width, out);
		fputc('\n', out);
		write_links(topology, out);
	} else {
		struct tt_wire wire = {.capacity = pictured->shape->rate,
				       .alpha = pictured->shape->alpha,
				       .hop = pictured->shape->hop};

		fprintf(out,
			"%s of %" PRId64 " ranks, too large to be drawn\n\nlinks      %" PRId64
			" of ",
			tt_shape_name(pictured->shape->kind), pictured->shape->nranks,
			pictured->shape->nranks * tt_shape_degree(pictured->shape));
		write_wire(&wire, out);
		fputc('\n', out);
	}
	if (!status)
		status = write_distance(pictured, out);
	if (!status)
		write_limits(pictured, topology ? topology->nranks : pictured->shape->nranks, out);
	return status;
}
