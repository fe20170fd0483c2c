/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program.h - one rank's part of a schedule, lowered to byte ranges and dependencies.
 *
 * A program is a list of steps in round order, and within a round sends come before receives.  A
 * step is all that goes to, or comes from, one peer in a round; what the receiver adds and what it
 * stores are two steps on both sides.  Steps on one (peer, direction) happen in the order of the
 * list; apart from that a step may start as soon as the steps it waits for are done, so that ranks
 * need not march in rounds.  Dependencies are inferred from the (block, piece) that steps read and
 * write: read after write, write after read, write after write; each pair of steps is listed once,
 * and pairs that follow from others may be left out.
 */
#ifndef TT_PROGRAM_H
#define TT_PROGRAM_H

#include "schedule/ir.h"

/* Where the blocks lie: byte offset and length of each in the rank's working buffer. */
struct tt_layout {
	int64_t nblocks;
	const uint64_t *offset; /* [nblocks] */
	const uint64_t *length; /* [nblocks], multiples of element */
	uint64_t element;       /* bytes of one element: pieces are cut between elements */
};
/* The byte range of pieces [piece, piece + npieces) of a block cut in `pieces`. */
struct tt_range {
	uint64_t offset, length;
};
struct tt_range tt_layout_range(const struct tt_layout *layout, int64_t block, int64_t piece,
				int64_t npieces, int64_t pieces);

enum tt_step_kind { TT_STEP_SEND, TT_STEP_RECEIVE, TT_STEP_REDUCE /* receive and add */ };

struct tt_step {
	enum tt_step_kind kind;
	int32_t peer;
	int64_t round;
	uint64_t bytes; /* sum of the ranges, never 0: empty transfers are dropped on both sides */
	int64_t first_range, nranges;   /* into program->ranges, adjacent ones merged */
	int64_t first_waiter, nwaiters; /* into program->waiters: later steps that wait for this */
	int32_t nwaits;                 /* how many earlier steps this one waits for */
};

struct tt_program {
	int64_t rank, nranks;
	int64_t nsteps, nranges, nwaiters;
	struct tt_step *steps;
	struct tt_range *ranges;
	int32_t *waiters;
};

/*
 * The lengths of the layout must be the same on all ranks, the offsets need not.
 * O(records + blocks moved).
 */
totum_status tt_program_lower(const struct tt_schedule *schedule, int64_t rank,
			      const struct tt_layout *layout, struct tt_program **out);
void tt_program_free(struct tt_program *program); /* NULL is legal */

#endif
