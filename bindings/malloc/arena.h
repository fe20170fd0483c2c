/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arena.h - memory of this process in a file that other processes can map.
 *
 * One range of addresses is reserved, and the beginning of it, as far as it was ever needed, is
 * mapped from a sparse file without a name: what lies at an address of the range lies at the same
 * place of the file.  Memory that is freed is kept up to a limit, so that what comes and goes costs
 * no page faults, and goes back to the system beyond that.  The range and the file never shrink.
 *
 * After a fork the child sees the range privately: what it writes is its own, and it allocates from
 * an arena of its own.  What it has not written it reads from the parent's file, where the parent
 * may have written since.
 *
 * All functions are safe in any thread, and use no memory of malloc.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <totum_share.h>

enum { ARENA_PAGE = 4096 };

/* Does this address lie in an arena of this process, or of one that it was forked from? */
bool arena_owns(const void *memory);
/*
 * Whole pages at a multiple of align, a power of two; *zeroed tells whether they are.  NULL when
 * the system does not give an arena, the arena is full, or align is above 1 GiB.  bytes > 0.
 */
void *arena_take(size_t bytes, size_t align, bool *zeroed);
/* memory came from arena_take, here or in a process that this one was forked from; else it aborts.
 */
void arena_give(void *memory);
/* How many bytes may be used at memory, at least as many as were asked for. */
size_t arena_room(const void *memory);
/* Makes memory longer or shorter where it lies; false when that is not possible. */
bool arena_resize(void *memory, size_t bytes);
/* Gives all that is kept back to the system. */
void arena_trim(void);
/* Fills in all of *out but `from`; false when there is no arena. */
bool arena_tell(struct totum_share *out);

/* Around a fork: the arena stands still; goes on in the parent; becomes the child's private copy.
 */
void arena_before_fork(void);
void arena_after_fork(void);
void arena_in_child(void);

#endif
