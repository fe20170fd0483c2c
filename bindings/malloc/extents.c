/* SPDX-License-Identifier: BSD-3-Clause */
/* extents - the books of a range of pages: boundary records and lists by length. */
#include "extents.h"

#include <stddef.h>

enum { LOOKS = 64 /* into the list of the wanted length, whose extents may be too short */ };

static uint32_t *list_of(struct extents *extents, const struct extent *extent)
{
	return &extents->lists[extent->state == EXTENT_CLEAN][31 - __builtin_clz(extent->pages)];
}

static void hang(struct extents *extents, uint32_t first)
{
	struct extent *extent = &extents->at[first];
	uint32_t *list = list_of(extents, extent);

	extent->previous = EXTENT_END;
	extent->next = *list;
	if (*list != EXTENT_END)
		extents->at[*list].previous = first;
	*list = first;
	extents->kept += extent->state == EXTENT_KEPT ? extent->pages : 0;
}

static void unhang(struct extents *extents, uint32_t first)
{
	struct extent *extent = &extents->at[first];

	if (extent->previous == EXTENT_END)
		*list_of(extents, extent) = extent->next;
	else
		extents->at[extent->previous].next = extent->next;
	if (extent->next != EXTENT_END)
		extents->at[extent->next].previous = extent->previous;
	extents->kept -= extent->state == EXTENT_KEPT ? extent->pages : 0;
}

/* Writes an extent's two records; where it begins is told from where it ends by `begins`. */
static void mark(struct extents *extents, uint32_t first, uint32_t pages, uint16_t state)
{
	extents->at[first + pages - 1] = (struct extent){.pages = pages, .state = state};
	extents->at[first] = (struct extent){.pages = pages, .state = state, .begins = true};
}

static void erase(struct extents *extents, uint32_t first, uint32_t pages)
{
	extents->at[first] = extents->at[first + pages - 1] = (struct extent){0};
}

/* A free extent comes in, and joins those beside it that are free in the same way. */
static void put(struct extents *extents, uint32_t first, uint32_t pages, uint16_t state)
{
	uint32_t end = first + pages;

	if (first && extents->at[first - 1].state == state) {
		uint32_t before = extents->at[first - 1].pages;
		unhang(extents, first - before);
		erase(extents, first - before, before);
		first -= before;
	}
	if (end < extents->end && extents->at[end].state == state) {
		uint32_t behind = extents->at[end].pages;
		unhang(extents, end);
		erase(extents, end, behind);
		end += behind;
	}
	mark(extents, first, end - first, state);
	hang(extents, first);
}

void extents_begin(struct extents *extents, struct extent *at)
{
	*extents = (struct extents){.at = at};
	for (int list = 0; list < EXTENT_LISTS; list++)
		extents->lists[0][list] = extents->lists[1][list] = EXTENT_END;
}

void extents_add(struct extents *extents, uint32_t pages)
{
	uint32_t first = extents->end;

	extents->end += pages;
	put(extents, first, pages, EXTENT_CLEAN);
}

/* Where an aligned run would begin in a free extent; EXTENT_END when it does not fit. */
static uint32_t place_in(const struct extents *extents, uint32_t first, uint32_t pages,
			 uint32_t align)
{
	uint64_t at = ((uint64_t)first + align - 1) / align * align;

	return at + pages <= (uint64_t)first + extents->at[first].pages ? (uint32_t)at : EXTENT_END;
}

/* Takes a run out of a free extent; what is left on both sides stays free. */
static void take_from(struct extents *extents, uint32_t first, uint32_t at, uint32_t pages)
{
	struct extent whole = extents->at[first];
	uint32_t end = first + whole.pages;

	unhang(extents, first);
	erase(extents, first, whole.pages);
	mark(extents, at, pages, EXTENT_USED);
	extents->used += pages;
	if (at > first)
		put(extents, first, at - first, whole.state);
	if (at + pages < end)
		put(extents, at + pages, end - at - pages, whole.state);
}

bool extents_take(struct extents *extents, uint32_t pages, uint32_t align, uint32_t *first,
		  bool *clean)
{
	for (int kind = 0; kind < 2; kind++)
		for (int list = 31 - __builtin_clz(pages); list < EXTENT_LISTS; list++) {
			uint32_t extent = extents->lists[kind][list];
			for (int look = 0; extent != EXTENT_END && look < LOOKS; look++) {
				uint32_t at = place_in(extents, extent, pages, align);
				if (at != EXTENT_END) {
					take_from(extents, extent, at, pages);
					*first = at;
					*clean = kind == 1;
					return true;
				}
				extent = extents->at[extent].next;
			}
		}
	return false;
}

uint32_t extents_used(const struct extents *extents, uint32_t first)
{
	if (first >= extents->end)
		return 0;
	const struct extent *extent = &extents->at[first];
	return extent->state == EXTENT_USED && extent->begins ? extent->pages : 0;
}

void extents_give(struct extents *extents, uint32_t first, bool clean)
{
	uint32_t pages = extents->at[first].pages;

	extents->used -= pages;
	erase(extents, first, pages);
	put(extents, first, pages, clean ? EXTENT_CLEAN : EXTENT_KEPT);
}

void extents_cut(struct extents *extents, uint32_t first, uint32_t pages)
{
	uint32_t whole = extents->at[first].pages;

	if (pages == whole)
		return;
	erase(extents, first, whole);
	mark(extents, first, pages, EXTENT_USED);
	extents->used -= whole - pages;
	put(extents, first + pages, whole - pages, EXTENT_KEPT);
}

bool extents_stretch(struct extents *extents, uint32_t first, uint32_t pages)
{
	uint32_t whole = extents->at[first].pages, next = first + whole, more = pages - whole;

	if (next >= extents->end || extents->at[next].state == EXTENT_USED ||
	    extents->at[next].pages < more)
		return false;
	take_from(extents, next, next, more);
	erase(extents, next, more);
	erase(extents, first, whole);
	mark(extents, first, pages, EXTENT_USED);
	return true;
}

bool extents_take_kept(struct extents *extents, uint32_t *first, uint32_t *pages)
{
	for (int list = 0; list < EXTENT_LISTS; list++) {
		uint32_t extent = extents->lists[0][list];
		if (extent == EXTENT_END)
			continue;
		*first = extent;
		*pages = extents->at[extent].pages;
		take_from(extents, extent, extent, *pages);
		return true;
	}
	return false;
}
