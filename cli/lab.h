/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lab.h - what the commands of the lab share: opening schedules, writing to a file or the terminal,
 * exit codes.
 */
#ifndef LAB_H
#define LAB_H

#include <stdio.h>

#include "totum_lab.h"

/*
 * Says totum_errmsg() on stderr; returns the exit code: 2 for bad input, 1 for what else went
 * wrong.
 */
int lab_fail(const char *command, totum_status status);
/*
 * The schedule of a file in text form ("-": stdin), or of a problem string; the caller frees it.
 * Says what is wrong on stderr; returns the exit code.
 */
int lab_open(const char *command, const char *file_or_problem, totum_schedule **out);
/* Is text the name of a file, rather than a problem string or an algorithm? */
int lab_is_file(const char *text);
/* The columns of the terminal at stdout; `otherwise` when it is none. */
int lab_width(int otherwise);
/*
 * argv joined by blanks, quoted where a shell needs it; the caller frees it. NULL: out of memory.
 */
char *lab_command_line(int argc, char **argv);
/*
 * Calls write with a stream to the file ("-": stdout), which appears only when all has been
 * written.  What fails is said on stderr.  Returns the exit code.
 */
int lab_write(const char *command, const char *file,
	      totum_status (*write)(void *context, FILE *out), void *context);

#endif
