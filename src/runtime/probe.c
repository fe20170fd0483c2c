/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * probe - a word of every rank's memory, read by the ranks before and after it.
 *
 * That the C library has the call proves nothing: a tracing restriction, a system-call filter or a missing capability may
 * forbid it, for one direction or one rank only.  So every rank tries both neighbours, and the ranks use it when it worked
 * for all.  Ranks that are threads need no permission, but the same call serves them.
 */
#include "runtime/probe.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "host/source.h"
#include "runtime/work.h"

struct word {
	uint64_t at, value;
	int32_t pid;
};

static totum_status exchange(totum_comm *world, const void *mine, void *all, size_t bytes)
{
	struct tt_work work;

	tt_work_init(&work, world, TT_OP_SPLIT, TOTUM_U8);
	work.task.send = mine;
	work.task.recv = all;
	work.task.bytes = bytes;
	return tt_work_run(world, &work);
}

static bool can_read(const struct word *word)
{
	uint64_t value = 0;

	return tt_source_copy_process(word->pid, word->at, &value, sizeof value) && value == word->value;
}

totum_status tt_probe(totum_comm *world)
{
	struct tt_job *job = world->job;
	int n = world->host.nranks, rank = world->host.rank;
	volatile uint64_t here = tt_clock_ns() * 2654435761u + (uint64_t)rank;
	struct word mine = {(uintptr_t)&here, here, world->host.pid};
	struct word *words = malloc((size_t)n * sizeof *words);
	unsigned char *results = malloc((size_t)n);
	totum_status status = TOTUM_OK;

	if (!words || !results)
		status = tt_fail_memory((size_t)n * sizeof *words, "the probe");
	if (!status)
		status = exchange(world, &mine, words, sizeof mine);
	unsigned char works = 0;
	if (!status)
		works = job->settings.single_copy && can_read(&words[(rank + 1) % n]) && can_read(&words[(rank + n - 1) % n]);
	if (!status)
		status = exchange(world, &works, results, 1);
	for (int r = 0; r < n && !status; r++)
		works &= results[r];
	job->reads_processes = works;
	world->host.reads_processes = works;
	if (!status)
		tt_log("large messages of private memory: %s", works ? "one copy, through the kernel" : "staged");
	free(words);
	free(results);
	return status;
}
