/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_arguments.h - reads the command line of `totum bench`. */
#ifndef BENCH_ARGUMENTS_H
#define BENCH_ARGUMENTS_H

#include "bench.h"

/* Fills all but command.  A line that is wrong ends the process with 2, after one sentence. */
void bench_arguments(int argc, char **argv, struct bench_options *out);

#endif
