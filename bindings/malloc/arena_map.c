/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * arena_map - the system calls of an arena.
 *
 * The file is cleaned through the mapping, never through the descriptor: where a program has closed
 * all descriptors, the number may be another file's by now.
 */
#include "arena_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	STEP = 64 << 20,      /* the mapped part grows by so many bytes or a multiple */
	HIDE_FROM = 16 << 20, /* clean extents of so many bytes are left out of core dumps */
	FD_FROM = 500,        /* descriptors below are left to the program */
};

static size_t book_bytes(size_t span)
{
	return span / ARENA_PAGE * sizeof(struct extent);
}

/* Addresses without memory, from a multiple of align on; NULL when there are not so many. */
static void *reserve(size_t bytes, size_t align)
{
	unsigned char *at = mmap(NULL, bytes + align, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	size_t skip = (align - (uintptr_t)at % align) % align;
	if (skip)
		munmap(at, skip);
	munmap(at + skip + bytes, align - skip);
	return at + skip;
}

static size_t file_size_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return ARENA_MOST;
	return (size_t)limit.rlim_cur; /* beyond it ftruncate raises a signal */
}

static bool open_file(struct arena *arena)
{
	struct stat facts;
	int low = memfd_create("totum-share", MFD_CLOEXEC);

	if (low < 0)
		return false;
	arena->fd = fcntl(low, F_DUPFD_CLOEXEC, FD_FROM);
	if (arena->fd < 0)
		arena->fd = low;
	else
		close(low);
	if (ftruncate(arena->fd, (off_t)arena->span) || fstat(arena->fd, &facts)) {
		close(arena->fd);
		return false;
	}
	arena->device = facts.st_dev;
	arena->inode = facts.st_ino;
	return true;
}

bool arena_map(struct arena *arena)
{
	struct extent *book = NULL;

	*arena = (struct arena){.span = ARENA_MOST};
	if (sysconf(_SC_PAGESIZE) != ARENA_PAGE)
		return false;
	while (arena->span > file_size_limit())
		arena->span /= 2;
	for (; arena->span >= ARENA_LEAST; arena->span /= 2) {
		arena->base = reserve(arena->span, ARENA_ALIGN);
		book = arena->base ? reserve(book_bytes(arena->span), ARENA_PAGE) : NULL;
		if (book)
			break;
		if (arena->base)
			munmap(arena->base, arena->span);
	}
	if (!book)
		return false;
	if (!open_file(arena)) {
		munmap(arena->base, arena->span);
		munmap(book, book_bytes(arena->span));
		return false;
	}
	extents_begin(&arena->extents, book);
	return true;
}

bool arena_has_file(const struct arena *arena)
{
	struct stat facts;

	return !fstat(arena->fd, &facts) && facts.st_dev == arena->device &&
	       facts.st_ino == arena->inode;
}

static unsigned char *address(const struct arena *arena, uint32_t page)
{
	return arena->base + (size_t)page * ARENA_PAGE;
}

bool arena_extend(struct arena *arena, uint32_t pages)
{
	size_t at = (size_t)arena->extents.end * ARENA_PAGE, left = arena->span - at;
	size_t bytes = ((size_t)pages * ARENA_PAGE + STEP - 1) / STEP * STEP;
	struct extent *book = arena->extents.at;

	if (bytes > left)
		bytes = left;
	if (bytes < (size_t)pages * ARENA_PAGE || !arena_has_file(arena))
		return false;
	if (mprotect((char *)book, book_bytes(at + bytes), PROT_READ | PROT_WRITE))
		return false;
	void *more = mmap(arena->base + at, bytes, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED | MAP_NORESERVE, arena->fd, (off_t)at);
	if (more == MAP_FAILED)
		return false;
	madvise(more, bytes, MADV_HUGEPAGE); /* where the host allows it for shared memory */
	madvise(more, bytes, MADV_DONTDUMP);
	extents_add(&arena->extents, (uint32_t)(bytes / ARENA_PAGE));
	return true;
}

bool arena_clean(const struct arena *arena, uint32_t first, uint32_t pages)
{
	size_t bytes = (size_t)pages * ARENA_PAGE;

	if (madvise(address(arena, first), bytes, MADV_REMOVE))
		return false;
	/* a core dump would touch every page, and bring all the memory back */
	if (bytes >= HIDE_FROM)
		madvise(address(arena, first), bytes, MADV_DONTDUMP);
	return true;
}

void arena_show(const struct arena *arena, uint32_t first, uint32_t pages)
{
	madvise(address(arena, first), (size_t)pages * ARENA_PAGE, MADV_DODUMP);
}

void arena_drop(const struct arena *arena, uint32_t first, uint32_t pages)
{
	madvise(address(arena, first), (size_t)pages * ARENA_PAGE, MADV_DONTNEED);
}

void arena_inherit(struct arena *arena)
{
	static const char text[] =
		"libtotum_share: a forked child cannot get a private view of its parent's large "
		"allocations; what it writes there, the parent sees\n";
	size_t bytes = (size_t)arena->extents.end * ARENA_PAGE;

	arena->inherited = true;
	bool has = arena_has_file(arena);
	void *view = has && bytes ? mmap(arena->base, bytes, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, arena->fd, 0)
				  : MAP_FAILED;
	if (bytes && view == MAP_FAILED && write(STDERR_FILENO, text, sizeof text - 1) < 0)
		return;
	if (has)
		close(arena->fd);
	arena->fd = -1;
}
