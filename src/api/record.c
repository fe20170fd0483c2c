/* SPDX-License-Identifier: BSD-3-Clause */
/* record - the entry points for what happened: counters and the flight record. */
#include "runtime/comm.h"

totum_status totum_stats(totum_comm *comm, struct totum_counters *out)
{
	if (!out || out->size < sizeof *out)
		return tt_fail(TOTUM_EINVAL,
			       "totum_stats: out is NULL or its size is "
			       "not set to sizeof(struct totum_counters)");
	totum_status status = tt_comm_enter(comm);
	if (status)
		return status;
	*out = (struct totum_counters){.size = out->size,
				       .waits = comm->host.waits,
				       .waited_ns = comm->host.waited_ns};
	if (comm->recorder) {
		out->calls = comm->recorder->calls + comm->recorder->after;
		out->sent_inside = comm->recorder->inside.sent;
		out->received_inside = comm->recorder->inside.received;
		out->sent_between = comm->recorder->between.sent;
		out->received_between = comm->recorder->between.received;
	}
	tt_comm_exit(comm);
	return TOTUM_OK;
}

totum_status totum_flight_record(totum_comm *comm, const char *path)
{
	if (!path)
		return tt_fail(TOTUM_EINVAL,
			       "totum_flight_record: path is NULL; name the file to write");
	totum_status status = tt_comm_enter(comm);
	if (status)
		return status;
	status = tt_recorder_write(comm, path);
	tt_comm_exit(comm);
	return status;
}
