/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor_child.h - children of the doctor that try something as ranks would: siblings, none the
 * parent of the other.
 */
#ifndef DOCTOR_CHILD_H
#define DOCTOR_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct doctor_child {
	pid_t pid;
	int fd; /* a socket to it */
};

/*
 * Runs body(argument, fd), fd being the child's end, in a child that ends with what it returns and
 * dies with its parent.  False when it cannot be started; doctor_end is allowed in any case.
 */
bool doctor_start(struct doctor_child *child, int (*body)(void *argument, int fd), void *argument);
/* Gives it some bytes; the child's next bytes, or false when they do not come within some seconds.
 */
bool doctor_tell(const struct doctor_child *child, const void *what, size_t bytes);
bool doctor_hear(const struct doctor_child *child, void *out, size_t bytes);
/* Ends it if it has not ended, and frees what it held. */
void doctor_end(struct doctor_child *child);

#endif
