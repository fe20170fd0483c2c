/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * real.h - the allocator that this one stands before: the C library's, or another one preloaded
 * behind it.
 *
 * Its functions are asked of the loader, which may itself allocate in between; it then gets a few
 * bytes of a fixed pool.
 */
#ifndef REAL_H
#define REAL_H

#include <stdbool.h>
#include <stddef.h>

struct real {
	void *(*malloc)(size_t bytes);
	void *(*calloc)(size_t count, size_t bytes);
	void *(*realloc)(void *memory, size_t bytes);
	void (*free)(void *memory);
	int (*posix_memalign)(void **out, size_t align, size_t bytes);
	void *(*aligned_alloc)(size_t align, size_t bytes);
	void *(*memalign)(size_t align, size_t bytes);
	void *(*valloc)(size_t bytes);
	void *(*pvalloc)(size_t bytes);
	size_t (*malloc_usable_size)(void *memory);
	int (*malloc_trim)(size_t pad);
};

/* The table, filled when it is first asked for; NULL while the loader is being asked. */
const struct real *real(void);
/* interpose.c: called once, when it has been filled, which is when the process first allocates. */
void real_known(void);

/* Zeroed memory of the pool; NULL when it is used up.  It is never taken back. */
void *pool_take(size_t bytes);
bool pool_owns(const void *memory);
/* How many bytes may be used there. */
size_t pool_room(const void *memory);

#endif
