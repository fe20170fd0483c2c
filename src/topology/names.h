/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names.h - finding one of many names: an open-addressing table beside an array of structures.
 *
 * The names lie in the array's items, at their beginning; the table keeps only places, so that the
 * array may be moved.  Texts of any length read in linear time with it.
 */
#ifndef TT_NAMES_H
#define TT_NAMES_H

#include <stdint.h>

#include "base/status.h"

struct tt_names {
	int32_t *slots; /* item + 1; 0 is free */
	int64_t room, used;
};

/* The item whose name this is, or -1. */
int32_t tt_names_find(const struct tt_names *names, const void *items, size_t size,
		      const char *name);
/* Enters item number names->used, whose name must be in the array and not in the table. */
totum_status tt_names_add(struct tt_names *names, const void *items, size_t size);
void tt_names_free(struct tt_names *names);

#endif
