/* SPDX-License-Identifier: BSD-3-Clause */
/* job - joining, sharing and leaving what the communicators of a process have in common. */
#include "runtime/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "host/area.h"
#include "host/cores.h"
#include "host/fence.h"
#include "host/roll.h"
#include "launch/rendezvous.h"
#include "runtime/shares.h"

/* A page that the kernel wipes in a child: a fork is noticed by one load. */
static totum_status watch_forks(struct tt_job *job)
{
	uint32_t *page =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return tt_fail_memory(4096, "a page");
	*page = 1;
	madvise(page, 4096, MADV_WIPEONFORK); /* where the kernel is too old, forks go unnoticed */
	job->unforked = page;
	return TOTUM_OK;
}

static totum_status new_job(int nranks, int nothers, const struct tt_settings *settings,
			    struct tt_job **out)
{
	struct tt_job *job = calloc(1, sizeof *job);

	if (!job)
		return tt_fail_memory(sizeof *job, "the job");
	job->settings = *settings;
	job->nranks = nranks;
	tt_hostname(job->hostname);
	job->roll = -1;
	job->heaps = calloc((size_t)nranks, sizeof *job->heaps);
	job->others = calloc((size_t)nothers, sizeof *job->others);
	totum_status status = TOTUM_OK;
	if (!job->heaps || !job->others)
		status = tt_fail_memory((size_t)nranks * sizeof *job->heaps, "the job");
	if (!status)
		status = watch_forks(job);
	if (status) {
		free(job->heaps);
		free(job->others);
		free(job);
		return status;
	}
	pthread_mutex_init(&job->lock, NULL);
	for (job->nothers = 0; job->nothers < nothers; job->nothers++)
		tt_others_open(&job->others[job->nothers]);
	*out = job;
	return TOTUM_OK;
}

static void close_job(struct tt_job *job)
{
	for (int rank = 0; rank < job->nranks; rank++)
		tt_heap_close(&job->heaps[rank], &job->segment);
	free(job->heaps);
	for (int i = 0; i < job->nothers; i++)
		tt_others_close(&job->others[i]);
	free(job->others);
	free(job->world);
	tt_tuning_free(job->tuning);
	explicit_bzero(job->secret, sizeof job->secret);
	if (job->segment.head)
		tt_segment_close(&job->segment);
	if (job->roll >= 0)
		close(job->roll);
	munmap((void *)(uintptr_t)job->unforked, 4096);
	pthread_mutex_destroy(&job->lock);
	free(job);
}

/* The world's area, by the one who is first there: before anyone else is told to go on. */
static totum_status prepare_world(struct tt_job *job)
{
	void *area;
	int world;
	totum_status status = tt_segment_take(&job->segment, &world);

	if (!status)
		status = tt_job_map(job, world, job->nranks, &area);
	if (status)
		return status;
	atomic_store_explicit(&tt_area_head(area)->members, (uint32_t)job->nranks,
			      memory_order_relaxed);
	tt_job_unmap(job, world, job->nranks);
	return TOTUM_OK;
}

struct joining {
	struct tt_job *job;
	int rank;
};

static void introduce(struct tt_segment_rank *rank)
{
	tt_cores_publish(rank);
	atomic_store_explicit(&rank->fences, tt_fence_join(), memory_order_relaxed);
}

static totum_status join(void *context, const struct tt_met *met)
{
	struct joining *joining = context;
	struct tt_job *job = joining->job;

	job->roll = met->roll;
	totum_status status = tt_segment_open(met->segment, job->nranks, &job->segment);
	if (!status)
		status = tt_roll_sign(job->roll, joining->rank);
	if (!status)
		introduce(&job->segment.head->ranks[joining->rank]);
	if (!status)
		tt_shares_publish(job, joining->rank);
	if (!status && joining->rank == 0)
		status = prepare_world(job);
	return status;
}

/* Ranks outnumber the cores they may use, or not; the same on every rank: all see all masks. */
static void decide_wait(struct tt_job *job)
{
	int cores = tt_cores_usable(job->segment.head->ranks, job->nranks);

	job->fences = true;
	for (int rank = 0; rank < job->nranks; rank++)
		job->fences &= atomic_load_explicit(&job->segment.head->ranks[rank].fences,
						    memory_order_relaxed) != 0;
	job->wait = job->settings.wait;
	if (job->wait == TT_WAIT_AUTO)
		job->wait = job->nranks <= cores ? TT_WAIT_SPIN : TT_WAIT_YIELD;
	tt_log("%d ranks on this host, %d cores for them: waiting ranks %s", job->nranks, cores,
	       job->wait == TT_WAIT_SPIN ? "spin, then yield, then sleep" :
	       job->wait == TT_WAIT_YIELD ? "yield, then sleep" : "sleep");
}

/* One rank, or ranks that are threads: nobody to meet. */
static totum_status open_alone(struct tt_job *job)
{
	int fd;
	totum_status status = tt_segment_create(job->nranks, &fd);

	if (!status)
		status = tt_segment_open(fd, job->nranks, &job->segment);
	for (int rank = 0; rank < job->nranks && !status; rank++)
		introduce(&job->segment.head->ranks[rank]);
	return status ? status : prepare_world(job);
}

totum_status tt_job_join(const struct tt_identity *identity, const struct tt_settings *settings,
			 struct tt_job **out)
{
	struct tt_job *job;
	totum_status status = new_job(identity->nranks, 1, settings, &job);

	if (status)
		return status;
	struct joining joining = {job, identity->rank};
	status = identity->nranks == 1 ? open_alone(job)
				       : tt_rendezvous(identity, settings, join, &joining);
	if (status) {
		close_job(job);
		return status;
	}
	decide_wait(job);
	job->users = 1;
	*out = job;
	return TOTUM_OK;
}

totum_status tt_job_threads(int nranks, const struct tt_settings *settings, struct tt_job **out)
{
	struct tt_job *job;
	totum_status status = new_job(nranks, nranks, settings, &job);

	if (status)
		return status;
	status = open_alone(job);
	if (status) {
		close_job(job);
		return status;
	}
	decide_wait(job);
	tt_shares_of_threads(job);
	job->users = nranks;
	*out = job;
	return TOTUM_OK;
}

struct tt_others *tt_job_others(const struct tt_job *job, int rank)
{
	return &job->others[job->nothers > 1 ? rank : 0];
}

void tt_job_hold(struct tt_job *job)
{
	atomic_fetch_add_explicit(&job->users, 1, memory_order_relaxed);
}

void tt_job_leave(struct tt_job *job)
{
	/* acq_rel: the last one sees all that the others did */
	if (atomic_fetch_sub_explicit(&job->users, 1, memory_order_acq_rel) == 1)
		close_job(job);
}

totum_status tt_job_map(struct tt_job *job, int area, int nranks, void **out)
{
	totum_status status = TOTUM_OK;

	pthread_mutex_lock(&job->lock);
	struct tt_mapping *mapping = &job->mappings[area];
	if (!mapping->users)
		status = tt_segment_map(&job->segment, area, nranks, &mapping->area);
	if (!status) {
		mapping->users++;
		*out = mapping->area;
	}
	pthread_mutex_unlock(&job->lock);
	return status;
}

void tt_job_unmap(struct tt_job *job, int area, int nranks)
{
	pthread_mutex_lock(&job->lock);
	struct tt_mapping *mapping = &job->mappings[area];
	if (--mapping->users == 0)
		tt_segment_unmap(mapping->area, nranks);
	pthread_mutex_unlock(&job->lock);
}

totum_status tt_job_map_heap(void *context, int rank)
{
	struct tt_job *job = context;

	pthread_mutex_lock(&job->lock);
	totum_status status = tt_heap_map(&job->heaps[rank], &job->segment, rank);
	pthread_mutex_unlock(&job->lock);
	return status;
}

totum_status tt_job_alloc(struct tt_job *job, int rank, size_t bytes, void **out)
{
	pthread_mutex_lock(&job->lock);
	totum_status status = tt_heap_map(&job->heaps[rank], &job->segment, rank);
	if (!status)
		status = tt_heap_alloc(&job->heaps[rank], &job->segment, rank, bytes,
				       job->settings.memory_limit, out);
	pthread_mutex_unlock(&job->lock);
	return status;
}

totum_status tt_job_free(struct tt_job *job, int rank, void *memory)
{
	pthread_mutex_lock(&job->lock);
	totum_status status = tt_heap_free(&job->heaps[rank], &job->segment, rank, memory);
	pthread_mutex_unlock(&job->lock);
	return status;
}
