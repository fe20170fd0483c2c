/* SPDX-License-Identifier: BSD-3-Clause */
/* status.h - how an internal function says what went wrong: a status and a sentence to keep. */
#ifndef TT_STATUS_H
#define TT_STATUS_H

#include "totum.h"

/*
 * Sets this thread's sentence and returns status, so that
 * `return tt_fail(TOTUM_EINVAL, "...", ...)` is the whole of an error path.  The sentence says
 * what, where, and what to do; no newline, no trailing period rule.
 */
totum_status tt_fail(totum_status status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Puts "prefix: " before the sentence, for a caller that knows where; returns status. */
totum_status tt_fail_in(totum_status status, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* TOTUM_EMEMORY with a sentence that says how many bytes for what. */
totum_status tt_fail_memory(size_t bytes, const char *what);
/* What to do about an error of the system that a limit has caused: "; ...", or "" for others. */
const char *tt_advice(int error);

#endif
