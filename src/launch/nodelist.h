/* SPDX-License-Identifier: BSD-3-Clause */
/* nodelist.h - Slurm's way to write many hosts, "a[01-03,7]x,b". */
#ifndef TT_NODELIST_H
#define TT_NODELIST_H

#include <stdbool.h>
#include <stddef.h>

/* Pure.  The first host of a list; false when the list is not well formed or the name too long. */
bool tt_nodelist_first(const char *list, char *out, size_t size);

#endif
