/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheduled.h - collectives by a forced algorithm: its schedule is lowered for this rank and executed.
 *
 * The call begins with a beat on the host, which compares the fingerprints of all ranks before a byte moves.
 * Sums are folded in the schedule's order; 16-bit floats and averages travel in a wider type, so that they are rounded
 * once, at the end.
 */
#ifndef TT_SCHEDULED_H
#define TT_SCHEDULED_H

#include "runtime/comm.h"

/* Bytes, displacements in bytes; the arguments are checked and send is no sentinel. */
totum_status tt_scheduled_allgatherv(totum_comm *comm, const void *send, void *recv, const size_t bytes[],
				     const size_t displs[]);
totum_status tt_scheduled_broadcast(totum_comm *comm, const void *send, void *recv, size_t count, totum_dtype dtype,
				    int root);
totum_status tt_scheduled_reduce_scatter(totum_comm *comm, const void *send, void *recv, size_t count,
					 totum_dtype dtype, totum_op op);
totum_status tt_scheduled_allreduce(totum_comm *comm, const void *send, void *recv, size_t count, totum_dtype dtype,
				    totum_op op);

#endif
