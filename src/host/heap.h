/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heap.h - memory of a rank that its peers on the host can read where it lies.
 *
 * Every rank owns a range of the job's sparse file and hands out pages of it; peers map the whole
 * range, once, when they first read from it.  A mapping is of places in the file, not of
 * allocations: freeing and allocating anew needs no word to the peers and cannot leave them with
 * a stale mapping.
 */
#ifndef TT_HEAP_H
#define TT_HEAP_H

#include "host/segment.h"

struct tt_heap {
	unsigned char *base;    /* where this process has mapped it, NULL: not yet */
	struct tt_extent *used; /* allocations, by place: the owner's bookkeeping */
	uint64_t bytes, peak;   /* allocated now, and at most so far */
	struct tt_share share;  /* beside the range: the program's memory that peers can read */
	_Atomic uint64_t read;  /* peers' buffers that it has read in shared memory: relaxed */
};

/* base becomes valid; for the owner and for its readers.  Mapped memory is free until touched. */
totum_status tt_heap_map(struct tt_heap *heap, const struct tt_segment *segment, int rank);
void tt_heap_close(struct tt_heap *heap, const struct tt_segment *segment);
/*
 * The owner's: zeroed pages; TOTUM_EMEMORY when the range is full or `most` bytes would be exceeded
 * (0: no limit).
 */
totum_status tt_heap_alloc(struct tt_heap *heap, const struct tt_segment *segment, int rank,
			   size_t bytes, uint64_t most, void **out);
/* TOTUM_EINVAL unless memory starts an allocation of this heap; its pages go back to the system. */
totum_status tt_heap_free(struct tt_heap *heap, const struct tt_segment *segment, int rank,
			  void *memory);

#endif
