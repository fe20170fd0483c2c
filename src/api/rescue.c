/* SPDX-License-Identifier: BSD-3-Clause */
/* rescue - the entry points that complete a failed all-gather. */
#include "runtime/rescue.h"

#include "api/allgather.h"

static totum_status check(const char *call, totum_comm *broken, totum_comm *survivors)
{
	if (!broken || !survivors || broken == survivors)
		return tt_fail(TOTUM_EINVAL,
			       "%s: %s; give the communicator that failed and that "
			       "of its survivors",
			       call,
			       broken && survivors ? "both communicators are the same"
						   : "a communicator is NULL");
	/* acquire: pairs with the release in tt_host_fail */
	if (!atomic_load_explicit(&broken->host.head->failed, memory_order_acquire))
		return tt_fail(TOTUM_EUSAGE,
			       "%s: the communicator has not failed, so there is "
			       "nothing to rescue; call totum_allgather",
			       call);
	return TOTUM_OK;
}

/* Enters both, or none. */
static totum_status enter(const char *call, totum_comm *broken, totum_comm *survivors)
{
	totum_status status = check(call, broken, survivors);

	if (!status)
		status = tt_comm_enter(broken);
	if (status)
		return status;
	status = tt_comm_enter(survivors);
	if (status)
		tt_comm_exit(broken);
	return status;
}

/* The call has been prepared, with this status: runs its rescue and leaves both. */
static totum_status leave(const char *call, totum_comm *broken, totum_comm *survivors,
			  struct tt_work *work, totum_status status, int *back, unsigned char *here)
{
	int latest = 0;

	if (!status && survivors->grouping)
		status = tt_fail(TOTUM_EUSAGE,
				 "%s: a blocking call cannot be made between "
				 "totum_group_begin and totum_group_end",
				 call);
	if (!status && work->shares)
		status = tt_fail(TOTUM_EUNSUPPORTED,
				 "%s: recv is a window of the communicator "
				 "that failed; gather into another one of the survivors",
				 call);
	if (!status)
		status = tt_rescue(broken, survivors, work, back ? back : &latest, here);
	tt_work_free(broken, work);
	tt_comm_exit(survivors);
	tt_comm_exit(broken);
	return status;
}

totum_status totum_allgather_rescue(const void *send, void *recv, size_t count, totum_dtype dtype,
				    totum_comm *broken, totum_comm *survivors, int *back,
				    unsigned char here[])
{
	static const char call[] = "totum_allgather_rescue";
	totum_status status = enter(call, broken, survivors);
	struct tt_work work;

	if (status)
		return status;
	status = tt_prepare_allgather(&work, broken, call, send, recv, count, dtype);
	return leave(call, broken, survivors, &work, status, back, here);
}

totum_status totum_allgatherv_rescue(const void *send, size_t count, void *recv,
				     const size_t counts[], const size_t displs[],
				     totum_dtype dtype, totum_comm *broken, totum_comm *survivors,
				     int *back, unsigned char here[])
{
	static const char call[] = "totum_allgatherv_rescue";
	totum_status status = enter(call, broken, survivors);
	struct tt_work work;

	if (status)
		return status;
	status = tt_prepare_allgatherv(&work, broken, call, send, count, recv, counts, displs,
				       dtype);
	return leave(call, broken, survivors, &work, status, back, here);
}
