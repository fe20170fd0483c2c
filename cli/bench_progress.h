/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_progress.h - a line on the terminal that says where a long sweep stands. */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct bench_progress {
	double began; /* 0: not yet */
	bool shown;   /* there is a line on the terminal */
};

/* Before a size is measured.  Silent unless stderr is a terminal and the sweep has gone on for 2 s.
 */
void bench_progress_show(struct bench_progress *progress, const char *what, uint64_t size,
			 uint64_t last);
/* Before anything else is written. */
void bench_progress_clear(struct bench_progress *progress);

#endif
