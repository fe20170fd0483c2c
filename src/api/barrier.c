/* SPDX-License-Identifier: BSD-3-Clause */
/* barrier - the entry points of the barrier. */
#include "api/entry.h"

static totum_status prepare_barrier(struct tt_work *work, totum_comm *comm)
{
	tt_work_init(work, comm, TT_OP_BARRIER, TOTUM_U8);
	return TOTUM_OK;
}

totum_status totum_barrier(totum_comm *comm)
{
	struct tt_work work;
	totum_status status = tt_comm_enter(comm);

	if (status)
		return status;
	status = prepare_barrier(&work, comm);
	return tt_work_now(comm, &work, status);
}

totum_status totum_ibarrier(totum_comm *comm, totum_request **request)
{
	totum_status status = tt_entry_request(comm, request);

	if (status)
		return status;
	status = prepare_barrier(&(*request)->work, comm);
	return tt_request_submit(request, status);
}

totum_status totum_barrier_plan(totum_comm *comm, totum_plan **plan)
{
	totum_request *kept;
	totum_status status = tt_entry_plan(comm, &kept, plan);

	if (status)
		return status;
	status = prepare_barrier(&kept->work, comm);
	return tt_plan_keep(kept, status, plan);
}
