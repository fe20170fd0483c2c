/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * extents.h - which pages of a range are used, and which are free: the books, without the memory.
 *
 * The range is cut in extents, runs of pages that are used, or free in one of two ways: clean pages
 * read as zeros and hold no memory, kept pages are as their last user left them and may be given
 * out again at once.  Neighbours that are free in the same way are one extent.
 *
 * A record a page; only those of an extent's first and last page say something, the others are
 * zero.  So an extent's neighbours are found at once, and a wrong address is known for one.  Free
 * extents hang in lists by the power of two of their length: taking and giving cost a few steps.
 * The caller sees to it that one thread at a time is here.
 */
#ifndef EXTENTS_H
#define EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

enum extent_state { EXTENT_NONE, EXTENT_USED, EXTENT_KEPT, EXTENT_CLEAN };

enum { EXTENT_LISTS = 32 };

struct extent {
	uint32_t pages;
	uint16_t state, begins;
	uint32_t next, previous; /* in its list: page numbers, EXTENT_END */
};

#define EXTENT_END UINT32_MAX

struct extents {
	struct extent *at; /* [end], by page: the caller's memory, zero before it is added */
	uint32_t end;
	uint32_t lists[2][EXTENT_LISTS]; /* kept, clean */
	uint64_t used, kept;             /* pages */
};

/* An empty range whose records will be at `at`. */
void extents_begin(struct extents *extents, struct extent *at);
/* So many clean pages more, at the end of the range. */
void extents_add(struct extents *extents, uint32_t pages);
/*
 * Takes pages whose first number is a multiple of align, kept ones before clean ones; tells which,
 * and where.  False when there are not so many in a row.
 */
bool extents_take(struct extents *extents, uint32_t pages, uint32_t align, uint32_t *first,
		  bool *clean);
/* The length of the used extent that begins at this page; 0 when none does. */
uint32_t extents_used(const struct extents *extents, uint32_t first);
/* Gives a used extent back, as clean or as kept. */
void extents_give(struct extents *extents, uint32_t first, bool clean);
/* Makes a used extent shorter; what is cut off is kept. */
void extents_cut(struct extents *extents, uint32_t first, uint32_t pages);
/* Makes a used extent longer where it lies; false when what follows is used or too short. */
bool extents_stretch(struct extents *extents, uint32_t first, uint32_t pages);
/* A kept extent, taken: the caller cleans and gives it; false when there is none. */
bool extents_take_kept(struct extents *extents, uint32_t *first, uint32_t *pages);

#endif
