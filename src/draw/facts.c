/* SPDX-License-Identifier: BSD-3-Clause */
/* facts - a schedule as text: title, step table or words, moves, and one line of facts. */
#include "draw/facts.h"

#include <inttypes.h>

#include "draw/draw.h"

static void write_count(int64_t count, const char *noun, FILE *out)
{
	fprintf(out, "%" PRId64 " %s%s", count, noun, count == 1 ? "" : "s");
}

static void write_title(const struct tt_schedule *schedule, FILE *out)
{
	fprintf(out, "%s by %s, ", tt_collective_name(schedule->collective), schedule->name);
	write_count(schedule->nranks, "rank", out);
	if (tt_rooted(schedule->collective))
		fprintf(out, ", root %d", schedule->root);
	fputs("\n\n", out);
}

static void write_facts(const struct tt_shown *shown, FILE *out)
{
	const struct tt_price *price = &shown->price;
	char volume[TT_FRACTION_TEXT];

	fputc('\n', out);
	write_count(price->rounds, "round", out);
	fprintf(out, ", volume %s block%s, ", tt_fraction_text(price->volume, volume),
		price->volume.over == 1 && price->volume.under == 1 ? "" : "s");
	write_count(price->ports, "port", out);
	if (shown->violation)
		fprintf(out, ", WRONG: %s (rounds counted from 0)\n", shown->violation);
	else
		fputs(", verified\n", out);
}

totum_status tt_draw_schedule_text(const struct tt_shown *shown, FILE *out)
{
	const struct tt_schedule *schedule = shown->schedule;

	write_title(schedule, out);
	totum_status status = tt_draw_steps(schedule, shown->width, out);

	if (status == TOTUM_EUNSUPPORTED) { /* too wide for a table */
		fprintf(out, "(In words: %s.)\n\n", totum_errmsg());
		status = tt_draw_records(schedule, out);
	}
	if (!status && shown->moves) {
		fputc('\n', out);
		status = tt_draw_moves(schedule, shown->width, out);
	}
	if (!status)
		write_facts(shown, out);
	return status;
}
