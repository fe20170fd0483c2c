/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * probe - a word of every rank's memory, read by the ranks before and after it.
 *
 * That the C library has the call proves nothing: a tracing restriction, a system-call filter or a
 * missing capability may forbid it, for one direction or one rank only.  So every rank tries both
 * neighbours, and the ranks use it when it worked for all.
 *
 * That it works does not make it fast: the kernel looks up and pins every page, which on a virtual
 * machine can take longer than copying twice.  Staging copies a byte in and out, and the two
 * overlap, so the call must reach at least half the speed of a plain copy on every rank, or the
 * messages are staged.
 *
 * With the same two exchanges the ranks agree whether each has mapped what the allocators of all
 * others share.
 */
#include "runtime/probe.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "host/source.h"
#include "runtime/shares.h"
#include "runtime/work.h"

enum { PROBED = 128 << 10, TRIES = 4 };
/* What works for a rank, and so for all or for nobody. */
enum { READS = 1, MAPS = 2 };

struct word {
	uint64_t at, value; /* at the start of PROBED bytes */
	int32_t pid;
};

static totum_status exchange(totum_comm *world, const void *mine, void *all, size_t bytes)
{
	struct tt_work work;

	tt_work_init(&work, world, TT_OP_SPLIT, TOTUM_U8);
	work.on_host = true;
	return tt_work_exchange(world, &work, mine, all, bytes);
}

static bool can_read(const struct word *word)
{
	uint64_t value = 0;

	return tt_source_copy_process(word->pid, word->at, &value, sizeof value) &&
	       value == word->value;
}

/* Nanoseconds of the fastest of some copies of PROBED bytes, by the kernel or by this process. */
static uint64_t fastest(bool kernel, const struct word *word, unsigned char *to,
			const unsigned char *from)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t began = tt_clock_ns();
		if (kernel)
			tt_source_copy_process(word->pid, word->at, to, PROBED);
		else
			memcpy(to, from, PROBED);
		uint64_t took = tt_clock_ns() - began;
		best = took < best ? took : best;
	}
	return best;
}

static bool is_fast(const struct word *word, const unsigned char *mine)
{
	unsigned char *to = malloc(PROBED);
	bool fast = false;

	if (to) {
		memset(to, 1, PROBED);
		fast = fastest(true, word, to, mine) / 2 <= fastest(false, word, to, mine);
	}
	free(to);
	return fast;
}

/* What this rank finds. */
static bool wants_single_copy(enum tt_single_copy setting, const struct word *words, int rank,
			      int n)
{
	const struct word *next = &words[(rank + 1) % n], *last = &words[(rank + n - 1) % n];

	if (setting == TT_SINGLE_COPY_OFF || !can_read(next) || !can_read(last))
		return false;
	return setting == TT_SINGLE_COPY_ON ||
	       is_fast(next, (const unsigned char *)(uintptr_t)words[rank].at);
}

totum_status tt_probe(totum_comm *world)
{
	struct tt_job *job = world->job;
	int n = world->host.nranks, rank = world->host.rank;
	uint64_t *here = malloc(PROBED);
	struct word *words = malloc((size_t)n * sizeof *words);
	unsigned char *results = malloc((size_t)n);
	totum_status status = TOTUM_OK;

	if (!here || !words || !results)
		status = tt_fail_memory((size_t)n * sizeof *words + PROBED, "the probe");
	if (!status) {
		memset(here, 1, PROBED);
		here[0] = tt_clock_ns() * 2654435761u + (uint64_t)rank;
		struct word mine = {(uintptr_t)here, here[0], world->host.pid};
		status = exchange(world, &mine, words, sizeof mine);
	}
	unsigned char works = 0;
	bool shares = false;
	if (!status && wants_single_copy(job->settings.single_copy, words, rank, n))
		works |= READS;
	if (!status && tt_shares_map(job, rank, &shares))
		works |= MAPS;
	if (!status)
		status = exchange(world, &works, results, 1);
	for (int r = 0; r < n && !status; r++)
		works &= results[r];
	if (status || !(works & MAPS))
		tt_shares_drop(job);
	job->reads_processes = !status && works & READS;
	world->host.reads_processes = job->reads_processes;
	if (!status)
		tt_log("large messages of private memory: %s",
		       works & READS ? "one copy, through the kernel" : "staged");
	if (!status && shares)
		tt_log("large messages of memory that an allocator shares: %s",
		       works & MAPS ? "one copy" : "as of private memory");
	free(here);
	free(words);
	free(results);
	return status;
}
