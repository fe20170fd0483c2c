/* SPDX-License-Identifier: BSD-3-Clause */
/* nameless.h - a memory file without a name: it leaves nothing behind however its process ends. */
#ifndef TT_NAMELESS_H
#define TT_NAMELESS_H

/*
 * The descriptor of a new, empty file, closed on exec; -1 with errno.  A memfd; where a kernel or a
 * sandbox does not have that, a POSIX shared memory file that has lost its name at once.  `name` is
 * for whoever looks at the process.
 */
int tt_nameless(const char *name);

#endif
