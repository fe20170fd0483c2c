/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heap - first fit over a sorted list of extents.
 *
 * Allocations are few and large, so the list is short.  An extent of 2 MiB or more begins on a
 * 2 MiB boundary, where the system can back it with huge pages.
 */
#include "host/heap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host/sparse.h"

enum { PAGE = 4096, HUGE = 2 << 20 };

struct tt_extent {
	uint64_t at, bytes;
	struct tt_extent *next;
};

totum_status tt_heap_map(struct tt_heap *heap, const struct tt_segment *segment, int rank)
{
	if (heap->base)
		return TOTUM_OK;
	void *base = tt_sparse_map(segment->fd, tt_segment_heap_at(segment, rank),
				   tt_segment_heap_bytes(segment), PROT_READ | PROT_WRITE);
	if (!base)
		return tt_fail(TOTUM_ESYSTEM,
			       "cannot map the shared heap of rank %d: %s; raise the limits of "
			       "address space (ulimit -v) and of locked memory (ulimit -l)",
			       rank, strerror(errno));
	heap->base = base;
	return TOTUM_OK;
}

void tt_heap_close(struct tt_heap *heap, const struct tt_segment *segment)
{
	while (heap->used) {
		struct tt_extent *extent = heap->used;
		heap->used = extent->next;
		free(extent);
	}
	if (heap->base)
		munmap(heap->base, tt_segment_heap_bytes(segment));
	heap->base = NULL;
	tt_share_close(&heap->share);
}

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* The first gap that is long enough: the link after which the new extent goes, and its place. */
static struct tt_extent **find_gap(struct tt_heap *heap, uint64_t bytes, uint64_t end, uint64_t *at)
{
	uint64_t align = bytes >= HUGE ? HUGE : PAGE;
	struct tt_extent **link = &heap->used;

	for (*at = 0; *link && (*link)->at < *at + bytes; link = &(*link)->next)
		*at = round_up((*link)->at + (*link)->bytes, align);
	return *at + bytes <= end ? link : NULL;
}

totum_status tt_heap_alloc(struct tt_heap *heap, const struct tt_segment *segment, int rank,
			   size_t bytes, uint64_t most, void **out)
{
	uint64_t end = tt_segment_heap_bytes(segment), at;
	uint64_t size = bytes < end ? round_up(bytes ? bytes : 1, PAGE) : end + 1;

	if (most && (size > most || heap->bytes > most - size))
		return tt_fail(TOTUM_EMEMORY,
			       "totum_alloc: %zu bytes more would exceed TOTUM_MEMORY_LIMIT "
			       "(%" PRIu64 " bytes, %" PRIu64 " in use); free some or raise it",
			       bytes, most, heap->bytes);
	struct tt_extent **link = find_gap(heap, size, end, &at);
	if (!link)
		return tt_fail(TOTUM_EMEMORY,
			       "totum_alloc: the shared heap of a rank has %" PRIu64 " bytes, "
			       "of which no %zu in a row are free",
			       end, bytes);
	totum_status status = TOTUM_OK;
	if (segment->reserve)
		status = tt_segment_reserve(segment, tt_segment_heap_at(segment, rank) + (off_t)at,
					    size);
	if (status)
		return status;
	struct tt_extent *extent = malloc(sizeof *extent);
	if (!extent)
		return tt_fail_memory(sizeof *extent, "an allocation's record");
	*extent = (struct tt_extent){at, size, *link};
	*link = extent;
	heap->bytes += size;
	heap->peak = heap->bytes > heap->peak ? heap->bytes : heap->peak;
	*out = heap->base + at;
	madvise(*out, size, MADV_DODUMP);
	return TOTUM_OK;
}

totum_status tt_heap_free(struct tt_heap *heap, const struct tt_segment *segment, int rank,
			  void *memory)
{
	for (struct tt_extent **link = &heap->used; *link; link = &(*link)->next) {
		struct tt_extent *extent = *link;
		if (heap->base + extent->at != memory)
			continue;
		fallocate(segment->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  tt_segment_heap_at(segment, rank) + (off_t)extent->at,
			  (off_t)extent->bytes);
		madvise(memory, extent->bytes, MADV_DONTDUMP);
		heap->bytes -= extent->bytes;
		*link = extent->next;
		free(extent);
		return TOTUM_OK;
	}
	return tt_fail(
		TOTUM_EINVAL,
		"totum_free: %p was not given by totum_alloc on this rank, or has been freed",
		memory);
}
