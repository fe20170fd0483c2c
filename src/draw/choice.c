/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * choice - the table of candidates as text.
 *
 * Each row stands beside the bound for as many messages a round as it sends: 1.0000 means that no
 * schedule which sends as many can be faster.
 */
#include "draw/choice.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/units.h"
#include "draw/grid.h"

enum { DIGITS = 7 };

static void write_links(int64_t links, FILE *out)
{
	fprintf(out, "%" PRId64 " link%s", links, links == 1 ? "" : "s");
}

static bool on_topology(const struct tt_candidates *candidates)
{
	return candidates->cut;
}

static void write_place(const struct tt_question *question, FILE *out)
{
	char text[TT_MACHINE_TEXT];

	if (question->topology)
		fprintf(out, "topology %s", question->topology->name);
	else if (question->shape)
		fprintf(out, "topology %s", tt_shape_name(question->shape->kind));
	else
		fputs(tt_machine_text(&question->machine, text), out);
	if (question->measured && (question->topology || question->shape))
		fprintf(out, "; adding as by the tuning file");
	else if (question->measured)
		fprintf(out, "; %s", question->measured);
	fputc('\n', out);
}

static void write_ranks(const struct tt_question *question, FILE *out)
{
	fprintf(out, "%s on %" PRId64 " rank%s", tt_collective_name(question->collective),
		question->nranks, question->nranks == 1 ? "" : "s");
}

void tt_draw_machine(const struct tt_question *question, FILE *out)
{
	write_ranks(question, out);
	fputs("; ", out);
	write_place(question, out);
}

static void write_head(const struct tt_question *question, FILE *out)
{
	char bytes[TT_UNITS_TEXT];

	write_ranks(question, out);
	fprintf(out, ", %s in all", tt_format_bytes(question->bytes, bytes));
	if (question->bytes % (uint64_t)question->nranks == 0)
		fprintf(out, ", %s a rank",
			tt_format_bytes(question->bytes / (uint64_t)question->nranks, bytes));
	fputs("; ", out);
	write_place(question, out);
}

/* "bound 737.0032us = 3us + 734.0032us on 1 link", with a third term where bytes are added. */
static void write_bound(const struct tt_candidates *candidates, FILE *out)
{
	const struct tt_question *question = &candidates->question;
	double block = (double)question->bytes / (double)question->nranks;
	double latency = candidates->bound_latency;
	double adding =
		tt_fraction_value(candidates->least.added) * block * question->machine.gamma;
	char text[TT_UNITS_TEXT], lambda[TT_FRACTION_TEXT];

	fprintf(out, "bound %s", tt_short_seconds(candidates->bound, DIGITS, text));
	fprintf(out, " = %s", tt_short_seconds(latency, DIGITS, text));
	fprintf(out, " + %s", tt_short_seconds(candidates->bound - latency - adding, DIGITS, text));
	if (adding > 0)
		fprintf(out, " + %s", tt_short_seconds(adding, DIGITS, text));
	if (!on_topology(candidates)) {
		fputs(" on ", out);
		write_links(question->machine.links, out);
		fputc('\n', out);
		return;
	}
	fprintf(out, ", lambda %s blocks per %s: %s\n",
		tt_fraction_text(candidates->least.volume, lambda),
		tt_short_rate((double)candidates->cut->unit, DIGITS, text),
		candidates->cut->sentence);
}

static void write_note(const struct tt_candidates *candidates, const struct tt_candidate *candidate,
		       FILE *out)
{
	char text[TT_UNITS_TEXT];

	if (candidate->price.ports <= candidates->question.machine.links)
		return;
	fprintf(out, "%s on ", tt_format_seconds(candidate->own_seconds, DIGITS, text));
	write_links(candidate->price.ports, out);
}

static void write_candidate(const struct tt_candidates *candidates, int64_t i, struct tt_grid *grid)
{
	const struct tt_candidate *candidate = &candidates->list[i];
	char text[TT_UNITS_TEXT], volume[TT_FRACTION_TEXT];

	fprintf(tt_grid_cell(grid), "%s%s", i == candidates->chosen ? "*" : "",
		candidate->crowded ? "!" : "");
	fputs(candidate->name, tt_grid_cell(grid));
	fprintf(tt_grid_cell(grid), "%" PRId64, candidate->price.rounds);
	fputs(tt_fraction_text(candidate->volume, volume), tt_grid_cell(grid));
	fprintf(tt_grid_cell(grid), "%" PRId64, candidate->price.ports);
	fputs(tt_format_seconds(candidate->seconds, DIGITS, text), tt_grid_cell(grid));
	FILE *ratio = tt_grid_cell(grid);

	if (candidate->bound > 0)
		fprintf(ratio, "%.4f", candidate->seconds / candidate->bound);
	if (on_topology(candidates))
		return;
	fputs(tt_format_seconds(candidate->bound, DIGITS, text), tt_grid_cell(grid));
	write_note(candidates, candidate, tt_grid_cell(grid));
}

static totum_status write_table(const struct tt_candidates *candidates, FILE *out)
{
	static const char *const titles[] = {
		"",       "algorithm", "rounds",
		"volume", "ports",     "predicted",
		"ratio",  "its bound", "with its own links",
	};
	enum { COLUMNS = sizeof titles / sizeof *titles, ON_TOPOLOGY = 7 };
	int columns = on_topology(candidates) ? ON_TOPOLOGY : COLUMNS;
	struct tt_grid *grid;
	totum_status status = tt_grid_new(columns, &grid);

	if (status)
		return status;
	for (int i = 0; i < columns; i++) {
		fputs(titles[i], tt_grid_cell(grid));
		if (i > 1)
			tt_grid_right(grid, i);
	}
	for (int64_t i = 0; i < candidates->count; i++)
		if (!*candidates->list[i].excluded)
			write_candidate(candidates, i, grid);
	status = tt_grid_print(grid, TT_GRID_PLAIN, out);
	tt_grid_free(grid);
	return status;
}

static void write_excluded(const struct tt_candidates *candidates, FILE *out)
{
	for (int64_t i = 0; i < candidates->count; i++)
		if (*candidates->list[i].excluded)
			fprintf(out, "excluded: %s %s\n", candidates->list[i].name,
				candidates->list[i].excluded);
}

static void write_marks(const struct tt_candidates *candidates, FILE *out)
{
	const char *asked = candidates->question.algorithm;
	bool crowded = false;

	for (int64_t i = 0; i < candidates->count; i++)
		crowded |= candidates->list[i].crowded;
	if (candidates->chosen >= 0)
		fprintf(out, "* the choice%s: %s\n", asked && *asked ? " that was asked for" : "",
			candidates->list[candidates->chosen].name);
	else
		fprintf(out, "there is no choice: %s does not apply\n",
			asked && *asked ? asked : "every algorithm");
	if (!crowded)
		return;
	fputs("! sends more messages in a round than a rank has links: they share the links", out);
	fputs(candidates->question.machine.overhead > 0
		      ? "\n"
		      : "; the choice counts alpha for each\n  that follows another, the "
			"prediction nothing (set overhead)\n",
	      out);
}

static void explain_links(const struct tt_candidates *candidates, FILE *out)
{
	const struct tt_question *question = &candidates->question;
	char volume[TT_FRACTION_TEXT];

	fprintf(out, "The busiest link of some rank carries %s or more blocks of M/%" PRId64 ".\n",
		tt_fraction_text(candidates->least.volume, volume), question->nranks);
	fputs("A row's own bound counts as many messages in a round as the algorithm sends.\n"
	      "predicted = rounds*alpha + volume*M/(n*beta)",
	      out);
	if (question->machine.overhead > 0)
		fputs(" + overhead for each message behind another on its link", out);
	fputs(question->machine.gamma > 0 ? " + additions" : "", out);
	fputs(", with no link shared by two ranks.\n", out);
}

/* That an algorithm over hosts is priced on those that there are. */
static void explain_hosts(const struct tt_placement *placement, FILE *out)
{
	char text[64];

	if (tt_placement_write(placement, text, sizeof text) < sizeof text)
		fprintf(out, "The ranks are on hosts %s", text);
	else
		fprintf(out, "The ranks are on %" PRId64 " hosts", placement->nhosts);
	fputs(", for which hierarchical is made: each byte enters a host once.\n", out);
}

static void explain_topology(const struct tt_candidates *candidates, FILE *out)
{
	const struct tt_placement *placement = candidates->question.placement;

	fprintf(out, "The cut was found by %s, lambda is exact.\n", candidates->cut->method);
	fputs("predicted = the sum over rounds of an alpha for each message that leaves a rank "
	      "behind another over one link,\n"
	      "the hops, and the most loaded link's load over its capacity; volume is the sum of "
	      "those loads.\n",
	      out);
	if (placement)
		explain_hosts(placement, out);
}

static void write_explanation(const struct tt_candidates *candidates, FILE *out)
{
	const struct tt_question *question = &candidates->question;
	int64_t links = on_topology(candidates) ? candidates->least.ports : question->machine.links;

	fputs("\nThe bound: ", out);
	if (on_topology(candidates) && candidates->least.rounds < 2)
		fprintf(out, "%" PRId64 " round at least.\n", candidates->least.rounds);
	else
		fprintf(out,
			"after t rounds a block is at no more than %" PRId64
			"^t ranks; for %" PRId64 " ranks that takes t = %" PRId64 ".\n",
			links + 1, question->nranks, candidates->least.rounds);
	if (on_topology(candidates))
		explain_topology(candidates, out);
	else
		explain_links(candidates, out);
}

totum_status tt_draw_choice(const struct tt_candidates *candidates, bool explain, FILE *out)
{
	write_head(&candidates->question, out);
	write_bound(candidates, out);
	totum_status status = write_table(candidates, out);

	if (status)
		return status;
	write_marks(candidates, out);
	write_excluded(candidates, out);
	if (explain)
		write_explanation(candidates, out);
	return TOTUM_OK;
}
