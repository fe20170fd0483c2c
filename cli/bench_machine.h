/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_machine.h - where a figure was measured: whatever a reader of it will ask for. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdint.h>

struct bench_machine {
	char host[65], cpu[128], kernel[160];
	int cores;   /* that this process may use */
	double load; /* processes that wanted to run, over the last minute; -1: not known */
};

void bench_machine_find(struct bench_machine *out);
/* The commit that the command was built from; "unknown" when not from a clone. */
extern const char bench_commit[];
/* Bytes of memory that are free or can be made so; UINT64_MAX when the system does not say. */
uint64_t bench_memory_available(void);

#endif
