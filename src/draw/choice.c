/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * choice - the table of candidates as text.
 *
 * Each row stands beside the bound for as many messages a round as it sends: 1.0000 means that no schedule which
 * sends as many can be faster.
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

static void write_head(const struct tt_candidates *candidates, FILE *out)
{
	const struct tt_question *question = &candidates->question;
	const struct tt_machine *machine = &question->machine;
	char bytes[TT_UNITS_TEXT], text[TT_MACHINE_TEXT];

	fprintf(out, "%s on %" PRId64 " ranks, %s in all", tt_collective_name(question->collective),
		question->nranks, tt_format_bytes(question->bytes, bytes));
	if (question->bytes % (uint64_t)question->nranks == 0)
		fprintf(out, ", %s a rank",
			tt_format_bytes(question->bytes / (uint64_t)question->nranks, bytes));
	fprintf(out, "; %s\n", tt_machine_text(machine, text));
}

/* "bound 737.0032us = 3us + 734.0032us on 1 link", with a third term where bytes are added. */
static void write_bound(const struct tt_candidates *candidates, FILE *out)
{
	const struct tt_question *question = &candidates->question;
	struct tt_machine part = question->machine;
	struct tt_price least = candidates->least;
	char text[TT_UNITS_TEXT];

	fprintf(out, "bound %s", tt_short_seconds(candidates->bound, DIGITS, text));
	fprintf(out, " = %s", tt_short_seconds((double)least.rounds * part.alpha, DIGITS, text));
	least.rounds = 0;
	part.gamma = 0;
	double moving = tt_price_seconds(&least, question->nranks, question->bytes, &part);

	fprintf(out, " + %s", tt_short_seconds(moving, DIGITS, text));
	part.gamma = question->machine.gamma;
	double adding = tt_price_seconds(&least, question->nranks, question->bytes, &part) - moving;

	if (part.gamma > 0)
		fprintf(out, " + %s", tt_short_seconds(adding, DIGITS, text));
	fputs(" on ", out);
	write_links(question->machine.links, out);
	fputc('\n', out);
}

static void write_note(const struct tt_candidates *candidates, const struct tt_candidate *candidate, FILE *out)
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

	fprintf(tt_grid_cell(grid), "%s%s", i == candidates->chosen ? "*" : "", candidate->crowded ? "!" : "");
	fputs(candidate->name, tt_grid_cell(grid));
	fprintf(tt_grid_cell(grid), "%" PRId64, candidate->price.rounds);
	fputs(tt_fraction_text(candidate->price.volume, volume), tt_grid_cell(grid));
	fprintf(tt_grid_cell(grid), "%" PRId64, candidate->price.ports);
	fputs(tt_format_seconds(candidate->seconds, DIGITS, text), tt_grid_cell(grid));
	fputs(tt_format_seconds(candidate->bound, DIGITS, text), tt_grid_cell(grid));
	FILE *ratio = tt_grid_cell(grid);

	if (candidate->bound > 0)
		fprintf(ratio, "%.4f", candidate->seconds / candidate->bound);
	write_note(candidates, candidate, tt_grid_cell(grid));
}

static totum_status write_table(const struct tt_candidates *candidates, FILE *out)
{
	static const char *const titles[] = {
		"", "algorithm", "rounds", "volume", "ports", "predicted", "bound", "ratio", "with its own links",
	};
	enum { COLUMNS = sizeof titles / sizeof *titles };
	struct tt_grid *grid;
	totum_status status = tt_grid_new(COLUMNS, &grid);

	if (status)
		return status;
	for (int i = 0; i < COLUMNS; i++) {
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
		fprintf(out, "there is no choice: %s does not apply\n", asked && *asked ? asked : "every algorithm");
	if (!crowded)
		return;
	fputs("! sends more messages in a round than a rank has links: they share the links", out);
	fputs(candidates->question.machine.overhead > 0
		      ? "\n"
		      : "; the choice counts alpha for each\n  that follows another, the prediction nothing (set overhead)\n", out);
}

static void write_explanation(const struct tt_candidates *candidates, FILE *out)
{
	const struct tt_question *question = &candidates->question;
	char volume[TT_FRACTION_TEXT];

	fprintf(out, "\nThe bound: after t rounds a block is at no more than %" PRId64 "^t ranks; for %" PRId64
		     " ranks that takes t = %" PRId64 ".\n",
		question->machine.links + 1, question->nranks, candidates->least.rounds);
	fprintf(out, "The busiest link of some rank carries %s or more blocks of M/%" PRId64 ".\n",
		tt_fraction_text(candidates->least.volume, volume), question->nranks);
	fputs("A row's own bound counts as many messages in a round as the algorithm sends.\n"
	      "predicted = rounds*alpha + volume*M/(n*beta)", out);
	if (question->machine.overhead > 0)
		fputs(" + overhead for each message behind another on its link", out);
	if (question->machine.gamma > 0)
		fputs(" + additions", out);
	fputs(", with no link shared by two ranks.\n", out);
}

totum_status tt_draw_choice(const struct tt_candidates *candidates, bool explain, FILE *out)
{
	write_head(candidates, out);
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
