/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options.h - values of command line options, read strictly, in the grammar that the library has
 * too.
 *
 * The whole of text must be one value: blanks, a sign where none makes sense and anything left over
 * are refused.  A refusal returns false, leaves *out alone, and keeps a sentence that quotes the
 * text and says what is accepted; argp_error(state, "--timeout: %s", option_error()) is then the
 * whole of an error path.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* A decimal integer in [low, high]. */
bool option_int(const char *text, long low, long high, long *out);
/* Bytes: an integer, then nothing, K, M, G or T, with or without iB or B: powers of 1024. */
bool option_bytes(const char *text, uint64_t *out);
/* Seconds: a number, then ns, us, ms, s, m or h; the unit is mandatory except for 0. */
bool option_seconds(const char *text, double *out);
/* The index of text in names, which ends with NULL. */
bool option_choice(const char *text, const char *const names[], int *out);

/* The sentence of the last refusal, valid until the next one.  Never NULL. */
const char *option_error(void);

#endif
