/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * output.h - a file that a command writes: all of it or nothing.
 *
 * What is written goes to a file without a name, which takes its place once it is complete; a
 * command that fails or is interrupted leaves no file where there was none, and one that was there
 * as it was.  What is no plain file, like a terminal or a pipe, is written directly.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct output {
	FILE *stream;  /* for the caller to write to; NULL: not open */
	char *path;    /* owned: where the file shall be, links followed */
	bool direct;   /* stream is the target itself */
	bool replaces; /* there is a file already */
	bool nameless; /* the stream is a file that can get a name; else it is copied */
};

/* "-" is the standard output.  False, with errno, when the file cannot be written. */
bool output_open(struct output *output, const char *name);
/* Could output_open do it?  Opens nothing that others would notice. */
bool output_possible(const char *name);
/*
 * Ends the output; closed ones are legal.  With keep the file takes its place: false, with errno,
 * when something could not be written, and then as without keep nothing has changed.
 */
bool output_close(struct output *output, bool keep);

#endif
