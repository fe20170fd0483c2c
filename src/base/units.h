/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * units.h - numbers with units, read and written the same way everywhere: "64K", "1.5us", "10GB/s".
 */
#ifndef TT_UNITS_H
#define TT_UNITS_H

#include "base/status.h"

/*
 * The whole of text must be one number; blanks around it, signs on counts, and anything left over
 * are errors (TOTUM_EPARSE) whose sentence quotes the text and says what is accepted.
 */

/* A decimal integer in [low, high]. */
totum_status tt_parse_int(const char *text, int64_t low, int64_t high, int64_t *out);
/* Bytes: an integer, then nothing, K, M, G or T, with or without iB or B: powers of 1024. */
totum_status tt_parse_bytes(const char *text, uint64_t *out);
/* Seconds: a number, then ns, us, ms, s, m or h; the unit is mandatory except for 0. */
totum_status tt_parse_seconds(const char *text, double *out);
/*
 * Bytes a second: a number, then B/s, KB/s, MB/s, GB/s, TB/s (powers of 1000) or bit/s, kbit/s ..
 * Tbit/s.
 */
totum_status tt_parse_rate(const char *text, double *out);

enum { TT_UNITS_TEXT = 32 };
/* The exact inverse of tt_parse_bytes in the largest unit that divides: "64K", "1000003". */
const char *tt_format_bytes(uint64_t bytes, char out[static TT_UNITS_TEXT]);
/* Three or more significant digits with a fitting unit: "741.0032us" at digits=7. */
const char *tt_format_seconds(double seconds, int digits, char out[static TT_UNITS_TEXT]);
/* The same of bytes a second, in powers of 1000: "10.0GB/s" at digits=3. */
const char *tt_format_rate(double rate, int digits, char out[static TT_UNITS_TEXT]);

#endif
