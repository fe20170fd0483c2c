/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_progress - the line is rewritten in place, and gone when a row is written. */
#include "bench_progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 2.0

void bench_progress_show(struct bench_progress *progress, const char *what, uint64_t size,
			 uint64_t last)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	double now = (double)time.tv_sec + (double)time.tv_nsec * 1e-9;

	if (progress->began <= 0)
		progress->began = now;
	if (now - progress->began < PATIENCE || !isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\r\033[K%s: %llu of %llu bytes, %.0f s so far", what,
		(unsigned long long)size, (unsigned long long)last, now - progress->began);
	progress->shown = true;
}

void bench_progress_clear(struct bench_progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
