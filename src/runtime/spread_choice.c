/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spread_choice - a decision of the tuning file, else the planner's choice by price.
 *
 * Calls repeat, so the last choices are kept with the communicator.
 */
#include "runtime/spread_choice.h"

#include <string.h>

#include "planner/choose.h"
#include "runtime/scheduled_parts.h"
#include "runtime/spread.h"

_Static_assert((int)TT_ALGORITHM_TEXT <= (int)TT_ALGO, "the planner's text fits");

/* M as the planner counts it: of an all-to-all too all bytes that move, and those that stay. */
static uint64_t total_of(const totum_comm *comm, const struct tt_work *work)
{
	uint64_t total = 0;

	if (work->whole || !work->task.sizes)
		return tt_scheduled_bytes_of(comm, work);
	for (int rank = 0; rank < comm->nranks; rank++)
		total += work->task.sizes[rank];
	return total;
}

static totum_status ask_planner(const totum_comm *comm, enum tt_collective collective, int root,
				uint64_t bytes, char out[static TT_ALGO])
{
	const struct tt_spread *spread = comm->spread;
	const struct tt_tuning *tuning = comm->job->tuning;
	struct tt_link_costs costs;
	struct tt_choice choice;
	const char *use = tuning ? tt_tuning_find_use(tuning, collective, comm->nranks,
						      spread->nhosts, bytes)
				 : NULL;

	if (use) {
		strcpy(out, use);
		return TOTUM_OK;
	}
	tt_tuning_costs(tuning, &costs);
	totum_status status =
		tt_choose(collective, &spread->placement, root, bytes, &costs, &choice);
	if (!status)
		strcpy(out, choice.algorithm);
	return status;
}

totum_status tt_spread_choose(const totum_comm *comm, const struct tt_work *work,
			      char out[static TT_ALGO])
{
	struct tt_spread *spread = comm->spread;
	enum tt_collective collective = tt_scheduled_collective(work);

	/* of a v-form's blocks a rank knows its own alone: nobody can carry those of others */
	if (work->task.call.kind & TT_CALL_LOCAL) {
		strcpy(out, "direct");
		return TOTUM_OK;
	}
	struct tt_chosen key = {.collective = (int)collective,
				.root = work->task.root,
				.bytes = total_of(comm, work)};
	for (int i = 0; i < TT_CHOSEN; i++) {
		const struct tt_chosen *kept = &spread->chosen[i];
		if (kept->algorithm[0] && kept->collective == key.collective &&
		    kept->root == key.root && kept->bytes == key.bytes) {
			strcpy(out, kept->algorithm);
			return TOTUM_OK;
		}
	}
	totum_status status = ask_planner(comm, collective, key.root, key.bytes, key.algorithm);
	if (status)
		return status;
	spread->chosen[spread->nchosen++ % TT_CHOSEN] = key;
	strcpy(out, key.algorithm);
	return TOTUM_OK;
}
