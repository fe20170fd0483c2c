/* SPDX-License-Identifier: BSD-3-Clause */
/* lab_verify - the entry point that proves a schedule. */
#include "api/lab.h"
#include "draw/verdict.h"

totum_status totum_schedule_verify(const totum_schedule *schedule, FILE *out)
{
	if (!schedule)
		return tt_fail(TOTUM_EINVAL, "totum_schedule_verify: schedule must not be NULL");
	struct tt_verify_report report = {0};
	bool claimed = schedule->claimed;
	/* Redundancy is allowed: it wastes, but the result is right. */
	struct tt_verify_options options = {.redundant = true,
					    .claims = claimed ? &schedule->claims : NULL};
	totum_status status = tt_verify(schedule->schedule, &options, &report);

	if (out && (status == TOTUM_OK || status == TOTUM_EINVAL))
		tt_draw_verdict(schedule->schedule, &report, claimed, out);
	return status;
}
