/* SPDX-License-Identifier: BSD-3-Clause */
/* arena_map.h - an arena's memory: what is reserved, mapped, cleaned, and made private in a child.
 */
#ifndef ARENA_MAP_H
#define ARENA_MAP_H

#include "arena.h"
#include "extents.h"

#include <sys/types.h>

enum { ARENA_GENERATIONS = 8 }; /* a process whose parents were forked so often has no arena */

/* The addresses of an arena: less is taken where a limit demands it, down to the least. */
#define ARENA_MOST  ((size_t)1 << 40)
#define ARENA_LEAST ((size_t)1 << 30)
#define ARENA_ALIGN                                                                                \
	((size_t)1 << 30) /* of an arena's beginning, and so the most for what lies in it */

struct arena {
	unsigned char *base;
	size_t span;
	int fd;
	dev_t device; /* of the file, to know it again: a program may close descriptors that it did
			 not open */
	ino_t inode;
	bool inherited;         /* of a parent: seen privately, nothing is taken from it any more */
	struct extents extents; /* extents.end pages are mapped */
};

/* A new, empty arena; false when the system refuses it. */
bool arena_map(struct arena *arena);
/* Is the descriptor still that of the file? */
bool arena_has_file(const struct arena *arena);
/* At least so many clean pages in a row more, at the end; false when the range is full. */
bool arena_extend(struct arena *arena, uint32_t pages);
/* The pages give their memory back and read as zeros, here and at the peers; false when that
 * failed. */
bool arena_clean(const struct arena *arena, uint32_t first, uint32_t pages);
/* The pages belong into a core dump from now on. */
void arena_show(const struct arena *arena, uint32_t first, uint32_t pages);
/* In a child: its copies of these pages are no longer needed. */
void arena_drop(const struct arena *arena, uint32_t first, uint32_t pages);
/* In a child: what was shared becomes a private view, and the file is let go. */
void arena_inherit(struct arena *arena);

#endif
