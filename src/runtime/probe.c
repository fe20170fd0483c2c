/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * probe - a word of every rank's memory, read by the ranks before and after it.
 *
 * That the C library has the call proves nothing: a tracing restriction, a system-call filter or a
 * missing capability may forbid it, for one direction or one rank only.  So every rank tries both
 * neighbours, and the ranks use it when it worked for all.
 *
 * That it works does not make it fast: the kernel looks up and pins every page, which on some
 * virtual machines takes longer than copying twice, and on others is hidden by a copy that need not
 * fetch what a peer holds.  So the ranks stage some bytes for each other a few times, and on most
 * ranks the kernel's copy must take no longer than those two, or the messages are staged; as they
 * are where ranks share cores and several read the same bytes.
 *
 * With the same exchanges the ranks agree whether each has mapped what the allocators of all
 * others share.
 */
#include "runtime/probe.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "host/source.h"
#include "runtime/shares.h"
#include "runtime/work.h"

enum { PROBED = 64 << 10, TRIES = 6 };
_Static_assert((int)PROBED <= (int)TT_STAGE_TWO, "what is probed fits a stage");
/* What works for a rank, and so for all or for nobody; and what most must gain by. */
enum { READS = 1, MAPS = 2, GAINS = 4 };

struct word {
	uint64_t at, value; /* at the start of PROBED bytes */
	int32_t pid;
	uint8_t setting; /* enum tt_single_copy */
	uint8_t has_core;
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

static uint64_t copy_ns(void *to, const void *from)
{
	uint64_t began = tt_clock_ns();

	memcpy(to, from, PROBED);
	return tt_clock_ns() - began;
}

static uint64_t kernel_ns(const struct word *word, void *to)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t began = tt_clock_ns();
		tt_source_copy_process(word->pid, word->at, to, PROBED);
		uint64_t took = tt_clock_ns() - began;
		best = took < best ? took : best;
	}
	return best;
}

/*
 * Collective: *best becomes the fastest of some copies into a stage and out of the next rank's,
 * between calls, when the stages belong to nobody.  Each round is a turn through them (area.h).
 */
static totum_status time_staging(totum_comm *world, const void *mine, void *to, uint64_t *best)
{
	const struct tt_host *host = &world->host;
	int next = tt_host_peer(host, 1 % host->nranks);
	unsigned char *arrived = malloc((size_t)host->nranks), here = 1;
	totum_status status = TOTUM_OK;

	if (!arrived)
		return tt_fail_memory((size_t)host->nranks, "the probe");
	for (uint32_t turn = 0; turn < TRIES && !status; turn++) {
		uint32_t beat = turn * TT_STAGES;
		uint64_t took = copy_ns(tt_host_stage(host, host->rank, beat), mine);
		status = exchange(world, &here, arrived, 1);
		if (status)
			break;
		took += copy_ns(to, tt_host_stage(host, next, beat));
		*best = took < *best ? took : *best;
		status = exchange(world, &here, arrived, 1);
	}
	free(arrived);
	return status;
}

/* The most reserved of all ranks' settings. */
static enum tt_single_copy agreed_setting(const struct word *words, int n)
{
	enum tt_single_copy setting = TT_SINGLE_COPY_ON;

	for (int rank = 0; rank < n; rank++) {
		if (words[rank].setting == TT_SINGLE_COPY_OFF)
			return TT_SINGLE_COPY_OFF;
		if (words[rank].setting == TT_SINGLE_COPY_AUTO)
			setting = TT_SINGLE_COPY_AUTO;
	}
	return setting;
}

/* Where ranks share cores, staging for many readers costs less than a kernel's copy by each. */
static bool only_once(const struct word *words, int n)
{
	bool shared = false;

	for (int rank = 0; rank < n; rank++)
		shared |= !words[rank].has_core;
	return shared && agreed_setting(words, n) == TT_SINGLE_COPY_AUTO;
}

/* What this rank finds; collective where it takes time. */
static totum_status try_single_copy(totum_comm *world, const struct word *words,
				    unsigned char *found)
{
	const struct tt_host *host = &world->host;
	enum tt_single_copy setting = agreed_setting(words, host->nranks);
	const struct word *next = &words[tt_host_peer(host, 1 % host->nranks)];
	const struct word *last = &words[tt_host_peer(host, host->nranks - 1)];
	const void *mine = (const void *)(uintptr_t)words[host->rank].at;
	uint64_t staging = UINT64_MAX;

	if (setting != TT_SINGLE_COPY_OFF && can_read(next) && can_read(last))
		*found = setting == TT_SINGLE_COPY_ON ? READS | GAINS : READS;
	if (setting != TT_SINGLE_COPY_AUTO)
		return TOTUM_OK;
	void *to = malloc(PROBED);
	if (!to)
		return tt_fail_memory(PROBED, "the probe");
	memset(to, 1, PROBED);
	totum_status status = time_staging(world, mine, to, &staging);
	/* of a rank on the same core the stage is in this very cache, where larger ones are not */
	if (!status && only_once(words, host->nranks))
		staging += staging / 2;
	if (!status && *found && kernel_ns(next, to) <= staging)
		*found |= GAINS;
	free(to);
	return status;
}

/* One rank's times may be disturbed, so the majority's count. */
static unsigned char agree(const unsigned char *results, int n)
{
	unsigned char works = READS | MAPS;
	int gain = 0;

	for (int rank = 0; rank < n; rank++) {
		works &= results[rank];
		gain += (results[rank] & GAINS) != 0;
	}
	return 2 * gain > n ? works : works & (unsigned char)~READS;
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
		struct word mine = {(uintptr_t)here, here[0], world->host.pid,
				    (uint8_t)job->settings.single_copy,
				    world->host.wait == TT_WAIT_SPIN};
		status = exchange(world, &mine, words, sizeof mine);
	}
	unsigned char works = 0;
	bool shares = false;
	if (!status)
		status = try_single_copy(world, words, &works);
	if (!status && tt_shares_map(job, rank, &shares))
		works |= MAPS;
	if (!status)
		status = exchange(world, &works, results, 1);
	if (!status)
		works = agree(results, n);
	if (status || !(works & MAPS))
		tt_shares_drop(job);
	job->reads_processes = !status && works & READS;
	job->reads_once = !status && only_once(words, n);
	world->host.reads_processes = job->reads_processes;
	world->host.reads_once = job->reads_once;
	if (!status)
		tt_log("large messages of private memory: %s%s",
		       works & READS ? "one copy, through the kernel" : "staged",
		       works & READS && job->reads_once ? ", where one rank reads it" : "");
	if (!status && shares)
		tt_log("large messages of memory that an allocator shares: %s",
		       works & MAPS ? "one copy" : "as of private memory");
	world->uncounted = world->recorder ? world->recorder->calls : 0;
	free(here);
	free(words);
	free(results);
	return status;
}
