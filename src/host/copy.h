/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy.h - moving bytes: through the cache, or past it.
 *
 * An ordinary store to memory that is not in the cache first reads the line from memory, and pushes
 * out something else.  A streaming store does neither, so a copy moves 2 bytes a byte over the
 * memory bus instead of 3, and the caches keep what they held.  But its result is in memory:
 * whoever reads it next waits for memory.  Hence the crossover is not a size of the piece at hand
 * but whether the whole output, that of all ranks which share the last-level cache, fits it: below,
 * plain wins, since the readers find the result there; above, streaming wins by up to twice.  The
 * caller knows that, this file does not.
 *
 * All: bytes may be 0 (then the pointers may be NULL), any alignment, dst and src do not overlap.
 */
#ifndef TT_COPY_H
#define TT_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Of more bytes than this the library's copy uses the processor's string copy. */
enum { TT_COPY_LONG = 2048 };

void tt_copy_long(void *dst, const void *src, size_t bytes); /* as tt_copy */

/* Through the cache. */
static inline void tt_copy(void *dst, const void *src, size_t bytes)
{
	if (bytes >= TT_COPY_LONG)
		tt_copy_long(dst, src, bytes);
	else if (bytes)
		memcpy(dst, src, bytes);
}
/*
 * Past the cache, where the processor can.  Complete on return like any store: a flag that is
 * stored with release order after it publishes it.
 */
void tt_copy_streaming(void *dst, const void *src, size_t bytes);
/* Streaming if the output that dst is a part of will not fit the cache and bytes are enough to gain
 * by it. */
void tt_copy_best(void *dst, const void *src, size_t bytes, bool will_not_fit);

#endif
