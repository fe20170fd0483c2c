/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.h - rates and latencies of links as whole numbers (B/s, ps), read and written exactly. */
#ifndef TT_MEASURE_H
#define TT_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"

/* A rate with its unit, whole B/s, 1 to TT_TOPOLOGY_CAPACITY; bare_giga: plain numbers are GB/s. */
totum_status tt_read_capacity(const char *text, bool bare_giga, int64_t *out);
/* A time with its unit (0 needs none), rounded to whole ps; at most 1000 s. */
totum_status tt_read_latency(const char *text, int64_t *out);

/* The shortest text that reads back as the same number: "300GB/s", "1200ns", "0". */
const char *tt_write_capacity(int64_t capacity, char out[static TT_UNITS_TEXT]);
const char *tt_write_latency(int64_t latency, char out[static TT_UNITS_TEXT]);

#endif
