/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheduled.h - works by an algorithm: its schedule is lowered for this rank and executed.
 *
 * On one host only a forced algorithm comes here, and the work begins with a beat, which compares
 * the fingerprints of all ranks before a byte moves.  Over several hosts every work does; there the
 * calls are compared by the greeting before the first bytes of each pair of ranks.
 *
 * A schedule works in the caller's buffers where it can, else in one of its own: a reduction's
 * partial sums, and blocks that pass through ranks which do not want them.  Sums are folded in the
 * schedule's order; 16-bit floats and averages travel in a wider type, so that they are rounded
 * once, at the end.
 */
#ifndef TT_SCHEDULED_H
#define TT_SCHEDULED_H

#include "host/traffic.h"
#include "runtime/work.h"

/*
 * What the fingerprint says of how an operation is carried out: the hash of the forced algorithm
 * where it serves the operation, TT_RANK_ORDER, or 0.
 */
enum { TT_RANK_ORDER = 2 /* hashes are odd */ };
uint32_t tt_scheduled_tag(const totum_comm *comm, enum tt_operation operation);
totum_status tt_scheduled_start(totum_comm *comm, struct tt_work *work);
totum_status tt_scheduled_go(totum_comm *comm, struct tt_work *work, bool block);
/* Changes whenever the program of the work has moved something. */
uint64_t tt_scheduled_mark(const struct tt_work *work);
void tt_scheduled_pause(totum_comm *comm, const struct tt_work *work, uint64_t since);
/* The payload of the work's program, inside this host and between hosts. */
void tt_scheduled_traffic(const totum_comm *comm, const struct tt_work *work,
			  struct tt_traffic *inside, struct tt_traffic *between);
/*
 * The work, an all-gather, has failed: adds to blocks the ranks, but this one, whose whole blocks
 * are in recv.
 */
void tt_scheduled_reached(const totum_comm *comm, const struct tt_work *work,
			  unsigned char *blocks);
/* Keeps the work's program for calls that repeat; at most some per communicator. */
void tt_scheduled_return(totum_comm *comm, struct tt_work *work);
/* Private bytes of what is kept. */
uint64_t tt_scheduled_bytes(const totum_comm *comm);
/* Frees what is kept. */
void tt_scheduled_forget(totum_comm *comm);

#endif
