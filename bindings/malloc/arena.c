/* SPDX-License-Identifier: BSD-3-Clause */
/* arena - the file, its mapping, and what is given out of it. */
#include "arena_map.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	HUGE = 2 << 20,  /* an allocation of so many bytes begins where a huge page can */
	KEEP = 32 << 20, /* freed bytes that are kept: as much as the C library's malloc keeps */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* The arenas of the processes that this one was forked from, then its own. */
static struct arena arenas[ARENA_GENERATIONS];
static _Atomic int
	narenas;     /* release after the arena is there; pairs with the acquire in arena_of */
static bool refused; /* the system gives none: it is not asked again */

static struct arena *arena_of(const void *memory)
{
	for (int i = atomic_load_explicit(&narenas, memory_order_acquire) - 1; i >= 0; i--)
		if ((uintptr_t)memory - (uintptr_t)arenas[i].base < arenas[i].span)
			return &arenas[i];
	return NULL;
}

bool arena_owns(const void *memory)
{
	return arena_of(memory) != NULL;
}

/* This process's own arena, opened when there is none yet; NULL when it cannot be.  Under the lock.
 */
static struct arena *own_arena(void)
{
	int n = atomic_load_explicit(&narenas, memory_order_relaxed);

	if (n && !arenas[n - 1].inherited)
		return &arenas[n - 1];
	if (refused || n == ARENA_GENERATIONS || !arena_map(&arenas[n])) {
		refused = true;
		return NULL;
	}
	atomic_store_explicit(&narenas, n + 1, memory_order_release);
	return &arenas[n];
}

static uint32_t pages_of(size_t bytes)
{
	return (uint32_t)((bytes + ARENA_PAGE - 1) / ARENA_PAGE);
}

static uint32_t page_of(const struct arena *arena, const void *memory)
{
	return (uint32_t)(((uintptr_t)memory - (uintptr_t)arena->base) / ARENA_PAGE);
}

static void clean_kept(struct arena *arena)
{
	uint32_t first, pages;

	/* what cannot be cleaned is not tried again: it would come back for ever */
	while (extents_take_kept(&arena->extents, &first, &pages)) {
		bool clean = arena_clean(arena, first, pages);
		extents_give(&arena->extents, first, clean);
		if (!clean)
			return;
	}
}

/* Kept memory first, then clean; then all that is kept is cleaned, which joins pieces; then more of
 * the range. */
static bool take(struct arena *arena, uint32_t pages, uint32_t align, uint32_t *first, bool *clean)
{
	if (extents_take(&arena->extents, pages, align, first, clean))
		return true;
	if (arena->extents.kept) {
		clean_kept(arena);
		if (extents_take(&arena->extents, pages, align, first, clean))
			return true;
	}
	return arena_extend(arena, pages + align - 1) &&
	       extents_take(&arena->extents, pages, align, first, clean);
}

void *arena_take(size_t bytes, size_t align, bool *zeroed)
{
	size_t least = bytes >= HUGE ? HUGE : ARENA_PAGE;
	int error = errno;
	void *memory = NULL;
	uint32_t first;

	align = align > least ? align : least;
	if (bytes > ARENA_MOST || align > ARENA_ALIGN)
		return NULL;
	pthread_mutex_lock(&lock);
	struct arena *arena = own_arena();
	if (arena && take(arena, pages_of(bytes), (uint32_t)(align / ARENA_PAGE), &first, zeroed)) {
		memory = arena->base + (size_t)first * ARENA_PAGE;
		if (*zeroed)
			arena_show(arena, first, pages_of(bytes));
	}
	pthread_mutex_unlock(&lock);
	errno = error;
	return memory;
}

/* The used extent that begins at memory; a program that gives another address is as lost as with
 * any malloc. */
static uint32_t extent_at(const struct arena *arena, const void *memory)
{
	static const char text[] =
		"libtotum_share: free or realloc of an address that malloc has not given\n";
	uint32_t first = page_of(arena, memory);

	if ((uintptr_t)memory % ARENA_PAGE == 0 && extents_used(&arena->extents, first))
		return first;
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		_exit(134);
	abort();
}

void arena_give(void *memory)
{
	struct arena *arena = arena_of(memory);
	int error = errno;

	pthread_mutex_lock(&lock);
	uint32_t first = extent_at(arena, memory), pages = arena->extents.at[first].pages;
	if (arena->inherited) {
		arena_drop(arena, first,
			   pages); /* the child's copies; the parent's file is not ours to change */
		extents_give(&arena->extents, first, false);
	} else {
		bool keep = arena->extents.kept + pages <= KEEP / ARENA_PAGE;
		extents_give(&arena->extents, first, !keep && arena_clean(arena, first, pages));
	}
	pthread_mutex_unlock(&lock);
	errno = error;
}

size_t arena_room(const void *memory)
{
	struct arena *arena = arena_of(memory);

	pthread_mutex_lock(&lock);
	size_t room = (size_t)arena->extents.at[extent_at(arena, memory)].pages * ARENA_PAGE;
	pthread_mutex_unlock(&lock);
	return room;
}

bool arena_resize(void *memory, size_t bytes)
{
	struct arena *arena = arena_of(memory);
	bool done = bytes <= ARENA_MOST;

	pthread_mutex_lock(&lock);
	uint32_t first = extent_at(arena, memory), has = arena->extents.at[first].pages;
	uint32_t wants = done ? pages_of(bytes ? bytes : 1) : has;
	if (wants < has)
		extents_cut(&arena->extents, first, wants);
	else if (wants > has)
		done = !arena->inherited && extents_stretch(&arena->extents, first, wants);
	if (done && wants > has)
		arena_show(arena, first, wants);
	if (!arena->inherited && arena->extents.kept > KEEP / ARENA_PAGE)
		clean_kept(arena);
	pthread_mutex_unlock(&lock);
	return done;
}

void arena_trim(void)
{
	pthread_mutex_lock(&lock);
	int n = atomic_load_explicit(&narenas, memory_order_relaxed);
	if (n && !arenas[n - 1].inherited)
		clean_kept(&arenas[n - 1]);
	pthread_mutex_unlock(&lock);
}

bool arena_tell(struct totum_share *out)
{
	pthread_mutex_lock(&lock);
	struct arena *arena = own_arena();
	bool there = arena && arena_has_file(arena);
	if (there) {
		out->base = arena->base;
		out->span = arena->span;
		out->fd = arena->fd;
		out->used = arena->extents.used * ARENA_PAGE;
		out->kept = arena->extents.kept * ARENA_PAGE;
	}
	pthread_mutex_unlock(&lock);
	return there;
}

void arena_before_fork(void)
{
	pthread_mutex_lock(&lock);
}

void arena_after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

void arena_in_child(void)
{
	int n = atomic_load_explicit(&narenas, memory_order_relaxed);

	if (n && !arenas[n - 1].inherited)
		arena_inherit(&arenas[n - 1]);
	pthread_mutex_unlock(&lock);
}
