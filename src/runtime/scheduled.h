/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheduled.h - works by a forced algorithm: its schedule is lowered for this rank and executed.
 *
 * The work begins with a beat on the host, which compares the fingerprints of all ranks before a
 * byte moves.  A schedule works in the caller's recv where every rank has all blocks at the end,
 * else in a buffer of its own: a reduction's partial sums, and blocks that pass through ranks which
 * do not want them.  Sums are folded in the schedule's order; 16-bit floats and averages travel in
 * a wider type, so that they are rounded once, at the end.
 */
#ifndef TT_SCHEDULED_H
#define TT_SCHEDULED_H

#include "host/traffic.h"
#include "runtime/work.h"

/* Does comm's forced algorithm carry the operation?  Others go the direct way. */
bool tt_scheduled_serves(const totum_comm *comm, enum tt_operation operation);
totum_status tt_scheduled_start(totum_comm *comm, struct tt_work *work);
totum_status tt_scheduled_go(totum_comm *comm, struct tt_work *work, bool block);
/* Changes whenever the program of the work has moved something. */
uint64_t tt_scheduled_mark(const struct tt_work *work);
void tt_scheduled_pause(totum_comm *comm, uint64_t since);
/* The payload of the work's program. */
struct tt_traffic tt_scheduled_traffic(const struct tt_work *work);
/* Keeps the work's program for calls that repeat; at most some per communicator. */
void tt_scheduled_return(totum_comm *comm, struct tt_work *work);
/* Private bytes of what is kept. */
uint64_t tt_scheduled_bytes(const totum_comm *comm);
/* Frees what is kept. */
void tt_scheduled_forget(totum_comm *comm);

#endif
