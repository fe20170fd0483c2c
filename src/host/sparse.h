/* SPDX-License-Identifier: BSD-3-Clause */
/* sparse.h - mapping a range of a file that is far larger than the memory ever touched of it. */
#ifndef TT_SPARSE_H
#define TT_SPARSE_H

#include <sys/types.h>

/*
 * A shared mapping of `bytes` at `at` with this protection, NULL with errno.  It costs nothing but
 * addresses, whatever the process does to its memory as a whole: it is not filled where all memory
 * is locked (mlockall), nor written into a core dump, which would both touch every page; parts may
 * be put into dumps later.
 */
void *tt_sparse_map(int fd, off_t at, size_t bytes, int protection);

#endif
