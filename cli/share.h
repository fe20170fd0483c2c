/* SPDX-License-Identifier: BSD-3-Clause */
/* share.h - the library that makes large allocations shareable: where it lies, and whether it is
 * on. */
#ifndef SHARE_H
#define SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The path of libtotum_share.so, which lies beside libtotum; false, with a sentence in out, when it
 * is not there or cannot be preloaded from there.
 */
bool share_find(char *out, size_t size);
/*
 * Has this process been started with it, or with another allocator that does the same?  Then *from
 * is the size in bytes of the least allocation that is shared; 0 where the system gives no memory
 * to share.
 */
bool share_is_on(uint64_t *from);

#endif
