/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * segment.h - the shared memory of a job on one host: one sparse file without a name, of which
 * every communicator takes an area.
 *
 * The file is as long as all areas together could ever be and costs only the pages that were
 * touched, so that a new communicator needs no new descriptor: its members agree on an area's
 * number and map it.
 */
#ifndef TT_SEGMENT_H
#define TT_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "base/status.h"
#include "host/share.h"

enum { TT_AREAS = 4096, TT_CPU_WORDS = 16 };

/* What every rank says of itself when it joins, for all to read after the start. */
struct tt_segment_rank {
	_Alignas(64) _Atomic uint64_t cpus[TT_CPU_WORDS]; /* its affinity mask */
	_Atomic int32_t quota;  /* cores that its control group grants, 0: no limit */
	_Atomic int32_t fences; /* 1: it can be fenced by others: fence.h */
	struct tt_share_place share;
};

struct tt_segment_head {
	uint64_t magic;
	int32_t nranks;
	_Atomic uint64_t taken[TT_AREAS / 64]; /* a bit an area */
	struct tt_segment_rank ranks[];
};

struct tt_segment {
	int fd;
	int nranks;
	bool reserve; /* pages must be reserved before use: a file of a small file system */
	struct tt_segment_head *head;
};

/* A new, empty file for nranks ranks (memfd, else an unlinked POSIX shared memory file). */
totum_status tt_segment_create(int nranks, int *fd);
/* Maps the head; fd is the segment's from now on, also when it fails, and is then closed. */
totum_status tt_segment_open(int fd, int nranks, struct tt_segment *out);
void tt_segment_close(struct tt_segment *segment);

/* Claims a free area, whose bytes are all zero; TOTUM_EUNSUPPORTED when all TT_AREAS are taken. */
totum_status tt_segment_take(struct tt_segment *segment, int *area);
/* Gives its memory back; no rank may touch the area any more. */
void tt_segment_give(struct tt_segment *segment, int area);
/* Maps the area for a communicator of nranks ranks; unmap with the same nranks. */
totum_status tt_segment_map(struct tt_segment *segment, int area, int nranks, void **out);
void tt_segment_unmap(void *area, int nranks);
/* Makes sure that the pages of a range can be touched; only where segment->reserve. */
totum_status tt_segment_reserve(const struct tt_segment *segment, off_t at, size_t bytes);
/* Every rank's range of the file for memory that its peers can read: heap.h. */
off_t tt_segment_heap_at(const struct tt_segment *segment, int rank);
uint64_t tt_segment_heap_bytes(const struct tt_segment *segment);

#endif
