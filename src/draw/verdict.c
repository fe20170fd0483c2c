/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict - what the verifier found: the verdict and its proof, the counts, the violations. */
#include "draw/verdict.h"

#include <inttypes.h>

static const char *const proofs[] = {
	[TT_PROOF_EXPLICIT] = "every block was followed through all rounds",
	[TT_PROOF_SYMMETRIC] = "every rank does alike, so one block was followed for all",
	[TT_PROOF_REVERSAL] =
		"it is an all-gather backwards, of which one block was followed for all",
};

static void write_counts(const struct tt_verify_report *report, FILE *out)
{
	char volume[TT_FRACTION_TEXT], largest[TT_FRACTION_TEXT], traffic[TT_FRACTION_TEXT];

	fprintf(out,
		"rounds %" PRId64 ", sends and receives of a rank in a round at most %" PRId64
		" and %" PRId64 "\n",
		report->rounds, report->sends, report->receives);
	fprintf(out, "blocks: volume %s, largest message %s, traffic %s\n",
		tt_fraction_text(report->volume, volume),
		tt_fraction_text(report->largest, largest),
		tt_fraction_text(report->traffic, traffic));
}

static void write_violations(const struct tt_verify_report *report, FILE *out)
{
	for (int i = 0; i < report->kept; i++)
		fprintf(out, "%s\n", report->first[i].sentence);
	if (report->violations > report->kept)
		fprintf(out, "and %" PRId64 " more\n", report->violations - report->kept);
	if (report->violations)
		fputs("(Here rounds are counted from 0, as in the text form.)\n", out);
}

void tt_draw_verdict(const struct tt_schedule *schedule, const struct tt_verify_report *report,
		     bool claims, FILE *out)
{
	fprintf(out, "%s by %s, %" PRId64 " rank%s: ", tt_collective_name(schedule->collective),
		schedule->name, schedule->nranks, schedule->nranks == 1 ? "" : "s");
	if (report->violations)
		fprintf(out, "WRONG, %" PRId64 " violation%s\n", report->violations,
			report->violations == 1 ? "" : "s");
	else
		fprintf(out, "right; %s\n", proofs[report->proof]);
	write_counts(report, out);
	if (claims && !report->violations)
		fputs("which is what the algorithm claims\n", out);
	if (report->redundant)
		fprintf(out,
			"redundant: %" PRId64
			" times a rank receives what it has, so there is no reverse\n",
			report->redundant);
	write_violations(report, out);
}
