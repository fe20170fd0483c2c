/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_counters.h - what the ranks' counters say after all sizes: calls, bytes, waits. */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include <jansson.h>
#include <stdio.h>

#include "bench.h"

/* Those of the measured communicator on every rank, to all; collective. */
totum_status bench_counters_gather(const struct bench_job *job, struct totum_counters *all);
void bench_counters_text(const struct totum_counters *all, int nranks, FILE *out);
json_t *bench_counters_json(const struct totum_counters *all, int nranks);

#endif
