/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verify_report.c - counts violations and keeps the earliest, which are the causes of the others.
 */
#include <stdarg.h>
#include <stdio.h>

#include "proof/verify_internal.h"

static bool earlier(const struct tt_violation *a, const struct tt_violation *b)
{
	if (a->round != b->round)
		return a->round < b->round;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->block < b->block;
}

void tt_violate(const struct tt_verifier *verifier, enum tt_invariant invariant, int64_t round,
		int64_t rank, int64_t block, const char *format, ...)
{
	struct tt_verify_report *report = verifier->report;
	struct tt_violation violation = {
		.invariant = invariant, .round = round, .rank = rank, .block = block};
	int place = report->kept;
	va_list args;

	report->violations += verifier->times;
	while (place > 0 && earlier(&violation, &report->first[place - 1]))
		place--;
	if (place == TT_VIOLATIONS)
		return;
	int prefix = invariant == TT_DEADLOCK
			     ? 0
			     : snprintf(violation.sentence, sizeof(violation.sentence), "V%d %s",
					(int)invariant, verifier->where);

	va_start(args, format);
	vsnprintf(violation.sentence + prefix, sizeof(violation.sentence) - (size_t)prefix, format,
		  args);
	va_end(args);
	if (report->kept < TT_VIOLATIONS)
		report->kept++;
	for (int i = report->kept - 1; i > place; i--)
		report->first[i] = report->first[i - 1];
	report->first[place] = violation;
}

totum_status tt_verdict(const struct tt_verify_report *report, const char *what)
{
	if (!report->violations)
		return TOTUM_OK;
	if (report->violations == 1)
		return tt_fail(TOTUM_EINVAL, "%s: %s", what, report->first[0].sentence);
	return tt_fail(TOTUM_EINVAL, "%s: %s (the first of %lld violations)", what,
		       report->first[0].sentence, (long long)report->violations);
}
