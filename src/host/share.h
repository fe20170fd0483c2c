/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * share.h - the large allocations of a rank's program, where an allocator shares them
 * (totum_share.h).
 *
 * A rank writes down in the segment which of its descriptors is the allocator's file.  Its peers
 * open that through /proc, which takes no more than the same user and a common view of processes,
 * see by the file's number that it is the right one, and map it to read, once and for all: what is
 * allocated and freed later needs no word to them.  Either every rank has mapped every other, or no
 * rank offers what it shares.
 */
#ifndef TT_SHARE_H
#define TT_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the segment, written before the ranks of the job have met: bytes is 0 where nothing is shared.
 */
struct tt_share_place {
	int32_t pid, fd;
	uint64_t device, inode, bytes;
};

/* Where this process sees it. */
struct tt_share {
	const unsigned char *base; /* NULL: not at all */
	uint64_t bytes;
	bool mapped; /* to be unmapped: another process's */
};

/* What this process shares, by the allocator's own word; false when it has no such allocator. */
bool tt_share_own(struct tt_share *own, struct tt_share_place *place);
/* Bytes that the allocator holds now; 0 without one. */
uint64_t tt_share_used(void);
/* At most `most` bytes of what another process shares; false with errno when it cannot be mapped.
 */
bool tt_share_map(struct tt_share *share, const struct tt_share_place *place, uint64_t most);
void tt_share_close(struct tt_share *share);

static inline bool tt_share_holds(const struct tt_share *share, const unsigned char *at,
				  size_t bytes)
{
	return share->base && at >= share->base && bytes <= share->bytes &&
	       (uint64_t)(at - share->base) <= share->bytes - bytes;
}

#endif
