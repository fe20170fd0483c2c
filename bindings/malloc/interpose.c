/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interpose - malloc and its family: large allocations come from the arena, where the other ranks
 * of the host can read them, all others from the allocator behind this one.
 *
 * Preloaded, this library stands before the C library, so that a program needs no change.  What it
 * costs: an allocation takes whole pages, memory of a file gets huge pages only where the system is
 * told to give them, and a forked child does not get the large allocations as they were at the fork
 * (arena.h).  mmap is left alone: programs that map memory themselves count on what only private
 * memory does, to read as zeros after MADV_DONTNEED or to be moved in parts.
 */
#include "arena.h"
#include "real.h"
#include "size.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { FROM = 64 << 10 };

/* Allocations of so many bytes are shared; none before the constructor has run. */
static _Atomic size_t from = SIZE_MAX;

__attribute__((constructor)) static void begin(void)
{
	size_t bytes = FROM;
	const char *text = getenv("TOTUM_SHARE_FROM");

	if (text && !size_parse(text, &bytes))
		bytes = FROM; /* totum_init refuses it with a sentence */
	atomic_store_explicit(&from, bytes > ARENA_PAGE ? bytes : ARENA_PAGE, memory_order_relaxed);
}

/*
 * As early as possible: handlers registered later run inside of ours, before the arena stands still
 * and after it goes on, so that they may allocate.
 */
void real_known(void)
{
	pthread_atfork(arena_before_fork, arena_after_fork, arena_in_child);
}

static bool is_large(size_t bytes)
{
	return bytes >= atomic_load_explicit(&from, memory_order_relaxed);
}

static void *take(size_t bytes, size_t align)
{
	bool zeroed;

	return is_large(bytes) ? arena_take(bytes, align, &zeroed) : NULL;
}

EXPORT void *malloc(size_t bytes)
{
	void *memory = take(bytes, 1);
	const struct real *behind = memory ? NULL : real();

	return memory ? memory : behind ? behind->malloc(bytes) : pool_take(bytes);
}

EXPORT void *calloc(size_t count, size_t each)
{
	size_t bytes;
	bool zeroed;
	const struct real *behind;

	if (!__builtin_mul_overflow(count, each, &bytes) && is_large(bytes)) {
		void *memory = arena_take(bytes, 1, &zeroed);
		if (memory)
			return zeroed ? memory : memset(memory, 0, bytes);
	}
	behind = real();
	return behind ? behind->calloc(count, each) : pool_take(count * each);
}

EXPORT void free(void *memory)
{
	const struct real *behind;

	if (!memory || pool_owns(memory))
		return;
	if (arena_owns(memory))
		arena_give(memory);
	else if ((behind = real()))
		behind->free(memory);
}

static size_t room(void *memory)
{
	if (arena_owns(memory))
		return arena_room(memory);
	return pool_owns(memory) ? pool_room(memory) : real()->malloc_usable_size(memory);
}

EXPORT size_t malloc_usable_size(void *memory)
{
	return memory ? room(memory) : 0;
}

/* The bytes of memory in another place, which may be NULL, and memory freed. */
static void *move(void *memory, void *other, size_t bytes)
{
	size_t has = room(memory);

	if (!other)
		return NULL;
	memcpy(other, memory, has < bytes ? has : bytes);
	free(memory);
	return other;
}

static void *realloc_shared(void *memory, size_t bytes)
{
	if (!bytes) { /* as the C library does it */
		free(memory);
		return NULL;
	}
	if (is_large(bytes) && arena_resize(memory, bytes))
		return memory;
	void *other = move(memory, malloc(bytes), bytes);
	/* making it smaller must not fail for want of memory */
	return other || bytes > arena_room(memory) ? other : memory;
}

EXPORT void *realloc(void *memory, size_t bytes)
{
	const struct real *behind = real();

	if (!memory)
		return malloc(bytes);
	if (arena_owns(memory))
		return realloc_shared(memory, bytes);
	if (!behind || pool_owns(memory))
		return move(memory, malloc(bytes), bytes);
	void *other = take(bytes, 1);
	return other ? move(memory, other, bytes) : behind->realloc(memory, bytes);
}

EXPORT void *reallocarray(void *memory, size_t count, size_t each)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, each, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(memory, bytes);
}

static bool power_of_two(size_t align)
{
	return align && !(align & (align - 1));
}

EXPORT int posix_memalign(void **out, size_t align, size_t bytes)
{
	void *memory =
		power_of_two(align) && align % sizeof(void *) == 0 ? take(bytes, align) : NULL;

	if (!memory)
		return real()->posix_memalign(out, align, bytes);
	*out = memory;
	return 0;
}

EXPORT void *aligned_alloc(size_t align, size_t bytes)
{
	void *memory = power_of_two(align) ? take(bytes, align) : NULL;

	return memory ? memory : real()->aligned_alloc(align, bytes);
}

EXPORT void *memalign(size_t align, size_t bytes)
{
	void *memory = power_of_two(align) ? take(bytes, align) : NULL;

	return memory ? memory : real()->memalign(align, bytes);
}

EXPORT void *valloc(size_t bytes)
{
	void *memory = take(bytes, ARENA_PAGE);

	return memory ? memory : real()->valloc(bytes);
}

EXPORT void *pvalloc(size_t bytes)
{
	void *memory = take(bytes, ARENA_PAGE);

	return memory ? memory : real()->pvalloc(bytes);
}

EXPORT int malloc_trim(size_t pad)
{
	arena_trim();
	return real()->malloc_trim(pad);
}

EXPORT totum_share_function totum_share_arena;
EXPORT int totum_share_arena(struct totum_share *out)
{
	if (!out || out->size < sizeof *out || !arena_tell(out))
		return -1;
	out->from = atomic_load_explicit(&from, memory_order_relaxed);
	return 0;
}
