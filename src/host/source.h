/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source.h - a rank's own buffer, offered to its peers to be read where it lies: one copy a byte
 * instead of two.
 *
 * Large shards are not staged when they need not be.  In the first beat every rank says where its
 * bytes are: in its shared heap, in memory of an allocator that shares it, in its private memory
 * (where the kernel lets the ranks read each other, found by a real probe), or nowhere.  Peers copy
 * what is offered at once; what is not offered is staged from the first beat on; and a last beat
 * holds everybody until nobody reads any more.
 */
#ifndef TT_SOURCE_H
#define TT_SOURCE_H

#include "host/host.h"

enum tt_source_kind {
	TT_SOURCE_NONE,
	TT_SOURCE_HEAP,    /* totum_alloc: mapped by whoever reads it */
	TT_SOURCE_SHARED,  /* malloc of an allocator that shares it: mapped by all from the start */
	TT_SOURCE_PROCESS, /* private memory, through the kernel */
};

/* Travels in a slot's small bytes. */
struct tt_source {
	uint32_t kind;
	int32_t pid;
	uint64_t at; /* offset within the heap or what is shared, or an address */
};

/* What the peers will do with a buffer. */
enum tt_reading {
	TT_COPY_BY_ALL,   /* each copies all of it */
	TT_COPY_BY_ONE,   /* each byte is copied by one of them */
	TT_READ_IN_PLACE, /* they compute from it, so they must be able to map it */
};

/* How the peers may read this rank's large buffer; NONE with a NULL `memory`. */
struct tt_source tt_source_of(const struct tt_host *host, const void *memory, size_t bytes,
			      enum tt_reading reading);
/* The bytes of a peer's offered buffer from `offset` on, into `to`, past the cache if `streams`. */
totum_status tt_source_read(struct tt_host *host, int peer, const struct tt_source *source,
			    size_t offset, void *to, size_t bytes, bool streams);
/* Where a HEAP or SHARED source can be read in this process, NULL when it cannot be mapped. */
const unsigned char *tt_source_map(struct tt_host *host, int peer, const struct tt_source *source);

/*
 * Can this process read `bytes` at `from` in process pid? The probe, and the copy itself; false
 * with errno set.
 */
bool tt_source_copy_process(int pid, uint64_t from, void *to, size_t bytes);

#endif
