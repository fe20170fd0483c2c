/* SPDX-License-Identifier: BSD-3-Clause */
/* lab_verify - the entry point that proves a schedule. */
#include "api/lab.h"
#include "draw/verdict.h"

/* What the algorithm says about itself, when the schedule is its own and not derived. */
static bool find_claims(const totum_schedule *schedule, struct tt_claims *out)
{
	const struct tt_schedule *inner = schedule->schedule;
	const struct tt_algorithm_entry *entry;
	int64_t values[TT_PARAMETERS];

	if (!schedule->built ||
	    tt_algorithm_parse(inner->collective, inner->name, inner->nranks, &entry, values) ||
	    entry->collective != inner->collective)
		return false;
	*out = (struct tt_claims){.rounds = entry->algorithm->rounds(inner->nranks, values),
				  .volume = entry->algorithm->volume(inner->nranks, values),
				  .ports = entry->algorithm->ports(inner->nranks, values)};
	return true;
}

totum_status totum_schedule_verify(const totum_schedule *schedule, FILE *out)
{
	if (!schedule)
		return tt_fail(TOTUM_EINVAL, "totum_schedule_verify: schedule must not be NULL");
	struct tt_claims claims;
	struct tt_verify_report report = {0};
	bool claimed = find_claims(schedule, &claims);
	/* Redundancy is allowed: it wastes, but the result is right. */
	struct tt_verify_options options = {.redundant = true, .claims = claimed ? &claims : NULL};
	totum_status status = tt_verify(schedule->schedule, &options, &report);

	if (out && (status == TOTUM_OK || status == TOTUM_EINVAL))
		tt_draw_verdict(schedule->schedule, &report, claimed, out);
	return status;
}
