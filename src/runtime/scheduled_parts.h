/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheduled_parts.h - a kept program with its memory, and where a work's bytes lie for it.
 */
#ifndef TT_SCHEDULED_PARTS_H
#define TT_SCHEDULED_PARTS_H

#include "runtime/execute.h"
#include "runtime/scheduled.h"
#include "schedule/ir.h"

/* Where the blocks of a schedule lie while it runs. */
enum tt_workplace {
	TT_IN_RECV,    /* in the caller's recv, where all ranks have all blocks at the end */
	TT_IN_SCRATCH, /* in memory kept with the program: sums, and blocks that pass through */
	TT_IN_BOTH     /* in the caller's send and recv: every block moves once, owner to owner */
};

/* Offsets from here on lie in recv, those below in send. */
#define TT_DIVIDE ((uint64_t)1 << 60)

struct tt_scheduled {
	uint64_t key[2];             /* what the program was made for */
	char algorithm[TT_ALGO];
	enum tt_workplace workplace;
	struct tt_executor executor;
	struct tt_greeting greeting; /* of the work that runs it */
	uint64_t *blocks;            /* offsets, then lengths */
	const void **inputs;         /* [nranks], of a fold; NULL until needed */
	unsigned char *scratch;      /* the working copy of a reduction */
	size_t scratch_bytes;
	struct tt_scheduled *next;
};

/* --- scheduled_blocks.c --- */

enum tt_collective tt_scheduled_collective(const struct tt_work *work);
/* What work->whole is. */
size_t tt_scheduled_whole(const totum_comm *comm, const struct tt_work *work);
/* The type that travels: that of the call, or a wider one. */
totum_dtype tt_scheduled_dtype(const struct tt_work *work);
enum tt_workplace tt_scheduled_workplace(const totum_comm *comm, const struct tt_work *work,
					 const char *algorithm);
size_t tt_scheduled_nblocks(const totum_comm *comm, const struct tt_work *work);
/* Is the work a meeting alone, of blocks that say nothing? */
bool tt_scheduled_only_meets(const totum_comm *comm, const struct tt_work *work);
/* Bytes, of the type that travels, that the working copy holds. */
size_t tt_scheduled_bytes_of(const totum_comm *comm, const struct tt_work *work);
/* Offsets, then lengths, of the blocks where the schedule works. */
void tt_scheduled_lay_out(const totum_comm *comm, const struct tt_work *work,
			  enum tt_workplace workplace, uint64_t *blocks);
/* What the call says of rank r's block, or of what goes to it: its length, its place. */
size_t tt_scheduled_size(const struct tt_work *work, int rank);
size_t tt_scheduled_place(const struct tt_work *work, int rank);

/* --- scheduled_buffers.c --- */

/* Puts what this rank brings where the schedule works, and takes out what it gets. */
totum_status tt_scheduled_load(totum_comm *comm, struct tt_work *work);
void tt_scheduled_unload(const totum_comm *comm, struct tt_work *work);

#endif
