/* SPDX-License-Identifier: BSD-3-Clause */
/* grow.h - arrays that double when they are full. */
#ifndef TT_GROW_H
#define TT_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * The array with room for at least count + 1 entries of `size` bytes, moved where needed and
 * *capacity kept true; NULL when memory is short, and then the old array is still good.
 */
static inline void *tt_grow(void *array, int64_t count, int64_t *capacity, size_t size)
{
	if (count < *capacity)
		return array;
	int64_t larger = *capacity ? 2 * *capacity : 16;
	void *moved = realloc(array, (size_t)larger * size);

	if (moved)
		*capacity = larger;
	return moved;
}

#endif
