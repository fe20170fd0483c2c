/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * entry.h - what the three forms of a collective begin with; they end with tt_work_now,
 * tt_request_submit or tt_plan_keep, to which they hand the status of the one function that
 * prepares the call for all three.
 */
#ifndef TT_ENTRY_H
#define TT_ENTRY_H

#include "api/check.h"
#include "runtime/request.h"

/* Enters comm and makes a request on it; on failure neither. */
static inline totum_status tt_entry_request(totum_comm *comm, totum_request **request)
{
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = tt_request_new(comm, request);
	if (status)
		tt_comm_exit(comm);
	return status;
}

static inline totum_status tt_entry_plan(totum_comm *comm, totum_request **request,
					 totum_plan **plan)
{
	if (!plan)
		return tt_fail(TOTUM_EINVAL,
			       "the plan is NULL; give the address of a totum_plan pointer");
	return tt_entry_request(comm, request);
}

#endif
