/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window - memory of the heap of a host's first rank, mapped by all ranks there.
 *
 * The first one allocates and tells the others where; all agree on whether everybody has it.  On
 * one host a gather into a window is a task of one beat: a rank's own shard is in place before it
 * publishes, and when all have published all shards are.  Over several hosts it is an all-gather
 * whose result the ranks of a host write together, and none of them goes on before all are done.
 */
#include "runtime/window.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct offer {
	int64_t at;     /* within the heap of rank 0, -1: it has none */
	uint64_t bytes; /* what this rank asked for */
};

static totum_status exchange(totum_comm *comm, bool on_host, const void *mine, void *all,
			     size_t bytes)
{
	struct tt_work work;

	tt_work_init(&work, comm, TT_OP_WINDOW, TOTUM_U8);
	work.on_host = on_host;
	return tt_work_exchange(comm, &work, mine, all, bytes);
}

/* This rank has no memory for its part in what all do together: they would wait for it. */
static totum_status give_up(totum_comm *comm, size_t bytes)
{
	return tt_host_fail(&comm->host, TOTUM_EMEMORY, comm->rank,
			    "rank %d has no memory for %zu bytes of a window; free memory or lower "
			    "the sizes", comm->rank, bytes);
}

static struct offer allocate(totum_comm *comm, size_t bytes)
{
	struct offer offer = {-1, bytes};
	int owner = comm->job_ranks[0];
	void *memory;

	if (comm->host.rank == 0 && !tt_job_alloc(comm->job, owner, bytes, &memory))
		offer.at = (unsigned char *)memory - comm->job->heaps[owner].base;
	return offer;
}

/* Did all ranks of this host ask for as many bytes?  Then what its first one gave can be mapped. */
static bool alike(const totum_comm *comm, const struct offer *all)
{
	for (int i = 1; i < comm->host.nranks; i++)
		if (all[i].bytes != all[0].bytes)
			return false;
	return true;
}

/*
 * All have it, with as many bytes, or nobody, and comm works on: all ranks see the same.  The
 * sentence is about the first rank that has not, which knows why.
 */
static totum_status agree(totum_comm *comm, bool has, size_t bytes, const char *why)
{
	int n = comm->nranks;
	struct offer mine = {has ? 0 : -1, bytes}, *all = malloc((size_t)n * sizeof *all);

	if (!all)
		return give_up(comm, (size_t)n * sizeof *all);
	totum_status status = exchange(comm, false, &mine, all, sizeof mine);
	for (int rank = 0; rank < n && !status; rank++)
		if (all[rank].bytes != all[0].bytes)
			status = tt_fail(TOTUM_EMISMATCH,
					 "rank %d creates a window of %" PRIu64
					 " bytes, rank 0 one of %" PRIu64
					 "; let all ranks ask for the same",
					 rank, all[rank].bytes, all[0].bytes);
	for (int rank = 0; rank < n && !status; rank++)
		if (all[rank].at < 0)
			status = tt_fail(TOTUM_EMEMORY, "rank %d could not get the window: %s",
					 rank, rank == comm->rank ? why
					 : "shared memory lacks, or its limit is reached; "
					   "ask for less");
	free(all);
	return status;
}

totum_status tt_window_create(totum_comm *comm, size_t bytes, totum_window **out)
{
	int n = comm->host.nranks, owner = comm->job_ranks[0];
	struct offer mine = allocate(comm, bytes), *all = malloc((size_t)n * sizeof *all);
	totum_window *window = calloc(1, sizeof *window);
	char why[256] = "the first rank of its host has not allocated it";

	if (comm->host.rank == 0 && mine.at < 0)
		snprintf(why, sizeof why, "%s", totum_errmsg());
	totum_status status = all && window ? exchange(comm, true, &mine, all, sizeof mine)
					    : give_up(comm, (size_t)n * sizeof *all);
	if (status)
		goto fail;
	bool has = all[0].at >= 0 && alike(comm, all);
	if (has && tt_job_map_heap(comm->job, owner)) {
		has = false;
		snprintf(why, sizeof why, "%s", totum_errmsg());
	}
	status = agree(comm, has, bytes, why);
	if (status)
		goto fail;
	*window = (totum_window){comm, comm->job->heaps[owner].base + all[0].at, bytes,
				 comm->windows};
	comm->windows = window;
	*out = window;
	free(all);
	return TOTUM_OK;
fail:
	if (mine.at >= 0)
		tt_job_free(comm->job, owner, comm->job->heaps[owner].base + mine.at);
	free(all);
	free(window);
	return status;
}

totum_status tt_window_free(totum_window *window)
{
	totum_comm *comm = window->comm;
	totum_window **link = &comm->windows;
	struct tt_work work;

	/* nobody reads it any more once all have come to free it */
	tt_work_init(&work, comm, TT_OP_WINDOW, TOTUM_U8);
	totum_status status = tt_work_run(comm, &work);
	while (*link != window)
		link = &(*link)->next;
	*link = window->next;
	if (comm->host.rank == 0)
		tt_job_free(comm->job, comm->job_ranks[0], window->data);
	free(window);
	return status;
}

bool tt_window_is(const totum_comm *comm, const void *recv, size_t bytes)
{
	for (const totum_window *window = comm->windows; window; window = window->next)
		if (window->data == recv && bytes <= window->bytes)
			return true;
	return false;
}
