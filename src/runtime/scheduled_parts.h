/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheduled_parts.h - a kept program with its memory, and where a work's bytes lie for it.
 */
#ifndef TT_SCHEDULED_PARTS_H
#define TT_SCHEDULED_PARTS_H

#include "runtime/execute.h"
#include "runtime/scheduled.h"
#include "schedule/ir.h"

struct tt_scheduled {
	uint64_t key[2];             /* what the program was made for */
	struct tt_executor executor;
	struct tt_layout layout;
	uint64_t *blocks;            /* the layout's arrays: offsets, then lengths */
	unsigned char *scratch;      /* the working copy of a reduction */
	size_t scratch_bytes;
	struct tt_scheduled *next;
};

/* --- scheduled_buffers.c --- */

enum tt_collective tt_scheduled_collective(const struct tt_work *work);
/* The type that travels: that of the call, or a wider one. */
totum_dtype tt_scheduled_dtype(const struct tt_work *work);
size_t tt_scheduled_nblocks(const totum_comm *comm, const struct tt_work *work);
/* Offsets, then lengths, of the blocks in the working buffer. */
void tt_scheduled_lay_out(const totum_comm *comm, const struct tt_work *work, uint64_t *blocks);
/* Puts what this rank brings where the schedule works, and takes out what it gets. */
totum_status tt_scheduled_load(totum_comm *comm, struct tt_work *work);
void tt_scheduled_unload(const totum_comm *comm, struct tt_work *work);

#endif
