/* SPDX-License-Identifier: BSD-3-Clause */
/* names - a hash table of places in somebody else's array; at most half full, linear probing. */
#include "topology/names.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FIRST_ROOM = 128 };

static const char *name_at(const void *items, size_t size, int32_t item)
{
	return (const char *)items + (size_t)item * size;
}

/* Where the name is, or the free slot where it belongs. */
static int64_t slot_of(const struct tt_names *names, const void *items, size_t size,
		       const char *name)
{
	int64_t mask = names->room - 1;
	int64_t slot = (int64_t)XXH3_64bits(name, strlen(name)) & mask;

	while (names->slots[slot] && strcmp(name_at(items, size, names->slots[slot] - 1), name))
		slot = (slot + 1) & mask;
	return slot;
}

int32_t tt_names_find(const struct tt_names *names, const void *items, size_t size,
		      const char *name)
{
	return names->room ? names->slots[slot_of(names, items, size, name)] - 1 : -1;
}

static totum_status grow(struct tt_names *names, const void *items, size_t size)
{
	int64_t room = names->room ? names->room * 2 : FIRST_ROOM;
	int32_t *slots = calloc((size_t)room, sizeof *slots);

	if (!slots)
		return tt_fail_memory((size_t)room * sizeof *slots, "names");
	free(names->slots);
	names->slots = slots;
	names->room = room;
	for (int32_t item = 0; item < names->used; item++)
		slots[slot_of(names, items, size, name_at(items, size, item))] = item + 1;
	return TOTUM_OK;
}

totum_status tt_names_add(struct tt_names *names, const void *items, size_t size)
{
	if (names->used * 2 >= names->room) {
		totum_status status = grow(names, items, size);
		if (status)
			return status;
	}
	int32_t item = (int32_t)names->used;
	names->slots[slot_of(names, items, size, name_at(items, size, item))] = item + 1;
	names->used++;
	return TOTUM_OK;
}

void tt_names_free(struct tt_names *names)
{
	free(names->slots);
	*names = (struct tt_names){0};
}
