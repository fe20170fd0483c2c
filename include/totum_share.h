/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * totum_share.h - how an allocator tells totum of memory that the other ranks of the host may map.
 *
 * Ranks copy a large message out of a peer's buffer once, from where it lies, when the buffer is in
 * a file that they can map too.  totum_alloc gives such memory; libtotum_share.so, preloaded, makes
 * every large allocation of a program such memory.  What that library says of itself is here, for
 * libtotum, and for programs that have an allocator of their own and want to say the same.
 *
 * A process has one arena: a range of addresses, backed from its beginning by one file without a
 * name.  What lies where in the arena is the allocator's affair, but it keeps two rules: memory of
 * the arena is readable as long as the process lives, freed or not, and the file never shrinks.
 * Then a peer may read what was freed a moment ago and gets old bytes or zeros, not a signal.
 */
#ifndef TOTUM_SHARE_H
#define TOTUM_SHARE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct totum_share {
	size_t size;      /* in: sizeof(struct totum_share) */
	const void *base; /* the arena, where byte 0 of the file lies in this process */
	uint64_t span;    /* its addresses: no allocation lies outside of base .. base + span - 1 */
	int fd;           /* the file; it stays the allocator's */
	uint64_t from;    /* allocations of so many bytes or more come from the arena */
	uint64_t used;    /* bytes of it that are allocated now */
	uint64_t kept;    /* bytes of it that were freed and still hold memory */
};

/*
 * The one function of an allocator that shares: fills *out and returns 0, or returns -1 when it has
 * no arena, because the system refuses one.  The answer holds as long as the process lives; a
 * forked child has another arena, or none.  libtotum looks the function up by this name in the
 * program and its libraries, when a communicator is made.  It is safe in any thread.
 */
typedef int totum_share_function(struct totum_share *out);
#define TOTUM_SHARE_FUNCTION "totum_share_arena"

#ifdef __cplusplus
}
#endif

#endif
