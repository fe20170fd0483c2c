/* SPDX-License-Identifier: BSD-3-Clause */
/* comm - opening, guarding and closing a communicator. */
#include "runtime/comm.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "algorithms/algorithm.h"
#include "runtime/mail.h"
#include "runtime/notice.h"
#include "runtime/progress.h"
#include "runtime/request.h"
#include "runtime/scheduled.h"
#include "runtime/spread.h"
#include "runtime/window.h"
#include "transport/transport.h"

/*
 * For which collectives there is such an algorithm with such parameters; the sentence of the
 * nearest miss when none.
 */
static totum_status find_served(const char *algo, uint32_t *served)
{
	const struct tt_algorithm_entry *entry;
	int64_t values[TT_PARAMETERS];
	enum tt_collective nearest = TT_ALLGATHER;
	char name[TT_ALGO];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(algo, ","), algo);
	*served = 0;
	for (int collective = TT_COLLECTIVES - 1; collective >= 0; collective--) {
		if (!tt_algorithm_parse((enum tt_collective)collective, algo, TT_RANKS, &entry,
					values))
			*served |= 1u << collective;
		else if (tt_algorithm_find((enum tt_collective)collective, name))
			nearest = (enum tt_collective)collective;
	}
	return *served ? TOTUM_OK : tt_algorithm_parse(nearest, algo, TT_RANKS, &entry, values);
}

totum_status tt_comm_force(totum_comm *comm, const char *algo)
{
	uint32_t served = 0;

	if (!strcmp(algo, "auto"))
		algo = "";
	if (strlen(algo) >= sizeof comm->algo)
		return tt_fail(TOTUM_EINVAL, "an algorithm's name has fewer than %d characters",
			       TT_ALGO);
	totum_status status = algo[0] ? find_served(algo, &served) : TOTUM_OK;
	if (status)
		return status;
	strcpy(comm->algo, algo);
	comm->algo_tag = algo[0] ? (uint32_t)XXH3_64bits(algo, strlen(algo)) | 1 : 0;
	comm->algo_serves = served;
	return TOTUM_OK;
}

/* A rank that could not open its end is still counted among the members, however far it got. */
static void abandon(totum_comm *comm)
{
	atomic_fetch_add_explicit(&comm->host.head->members, 1, memory_order_relaxed);
	tt_comm_close(comm);
}

totum_status tt_comm_open(struct tt_job *job, int area, int rank, int nranks, int *job_ranks,
			  struct tt_spread *spread, totum_comm **out)
{
	/* aligned: the hot fields of two communicators of two threads share no cache line */
	totum_comm *comm = aligned_alloc(TT_LINE, (sizeof *comm + TT_LINE - 1) / TT_LINE * TT_LINE);
	void *memory;

	if (!comm) {
		free(job_ranks);
		tt_spread_free(spread);
		return tt_fail_memory(sizeof *comm, "a communicator");
	}
	memset(comm, 0, sizeof *comm);
	totum_status status = tt_job_map(job, area, nranks, &memory);
	if (status) {
		free(job_ranks);
		tt_spread_free(spread);
		free(comm);
		return status;
	}
	comm->job = job;
	comm->area = area;
	comm->spread = spread;
	comm->rank = spread ? spread->rank : rank;
	comm->nranks = spread ? spread->nranks : nranks;
	comm->host.named = spread ? spread->named : NULL;
	comm->host.nnamed = comm->nranks;
	comm->job_ranks = job_ranks;
	comm->host.wait = job->wait;
	comm->host.timeout_ns = (uint64_t)(job->settings.timeout * 1e9);
	comm->host.roll = job->roll;
	comm->host.job_ranks = job_ranks;
	comm->host.segment = &job->segment;
	comm->host.heaps = job->heaps;
	comm->host.map_heap = tt_job_map_heap;
	comm->host.map_context = job;
	comm->host.reads_processes = job->reads_processes;
	comm->host.reads_once = job->reads_once;
	comm->host.fences = job->fences;
	comm->last = &comm->first;
	comm->last_over = &comm->over;
	comm->others = tt_job_others(job, job_ranks[rank]);
	tt_job_hold(job);
	status = tt_host_open(&comm->host, memory, rank, nranks);
	if (status) {
		abandon(comm);
		return status;
	}
	atomic_store_explicit(&comm->host.desk->pid, (int32_t)getpid(), memory_order_relaxed);
	tt_recorder_open(comm);
	status = tt_comm_force(comm, job->settings.algo);
	if (status) {
		abandon(comm);
		return tt_fail_in(status, "TOTUM_ALGO");
	}
	*out = comm;
	return TOTUM_OK;
}

int tt_comm_place(const totum_comm *comm, int rank)
{
	return comm->spread ? comm->spread->places[rank] : rank;
}

bool tt_comm_far(const totum_comm *comm, int rank)
{
	return tt_comm_place(comm, rank) < 0;
}

int tt_comm_world_rank(const totum_comm *comm)
{
	return tt_job_world_rank(comm->job, comm->job_ranks[comm->host.rank]);
}

totum_status tt_comm_claim(struct tt_job *job, int n, int *area)
{
	void *memory;
	totum_status status = tt_segment_take(&job->segment, area);

	if (status)
		return status;
	status = tt_job_map(job, *area, n, &memory);
	if (status) {
		tt_segment_give(&job->segment, *area);
		return status;
	}
	/* the members learn of the area later, by a release of their own */
	atomic_store_explicit(&tt_area_head(memory)->members, (uint32_t)n, memory_order_relaxed);
	tt_job_unmap(job, *area, n);
	return TOTUM_OK;
}

totum_status tt_comm_open_members(totum_comm *comm, const int *members, int n, int area,
				  struct tt_spread *spread, totum_comm **out)
{
	int *job_ranks = malloc((size_t)n * sizeof *job_ranks), rank = 0;

	if (!job_ranks) {
		tt_spread_free(spread);
		return tt_fail_memory((size_t)n * sizeof *job_ranks, "a communicator's ranks");
	}
	for (int i = 0; i < n; i++) {
		job_ranks[i] = comm->job_ranks[tt_comm_place(comm, members[i])];
		if (members[i] == comm->rank)
			rank = i;
	}
	totum_comm *made;
	totum_status status = tt_comm_open(comm->job, area, rank, n, job_ranks, spread, &made);
	if (status)
		return status;
	made->host.timeout_ns = comm->host.timeout_ns;
	status = tt_comm_force(made, comm->algo);
	if (status)
		abandon(made);
	else
		*out = made;
	return status;
}

void tt_comm_close(totum_comm *comm)
{
	struct tt_job *job = comm->job;
	struct tt_head *head = comm->host.head;
	int nranks = comm->host.nranks;

	tt_others_forget(comm);
	/* of a communicator that failed, or whose ranks forgot: the pages go with the job */
	while (comm->windows) {
		totum_window *window = comm->windows;
		comm->windows = window->next;
		free(window);
	}
	if (comm->progress)
		tt_progress_stop(comm);
	tt_recorder_log(comm);
	tt_recorder_close(comm);
	tt_mail_close(comm);
	tt_request_forget(comm);
	tt_scheduled_forget(comm);
	if (comm->endpoint)
		comm->transport->close(comm->endpoint);
	tt_notices_close(comm);
	tt_spread_free(comm->spread);
	tt_host_close(&comm->host);
	/* release: what this rank published before stays readable for whoever sees that it left */
	atomic_store_explicit(&comm->host.desk->left, 1, memory_order_release);
	bool last = atomic_fetch_sub_explicit(&head->members, 1, memory_order_acq_rel) == 1;
	tt_job_unmap(job, comm->area, nranks);
	if (last)
		tt_segment_give(&job->segment, comm->area);
	free(comm->reached);
	free(comm->job_ranks);
	free(comm);
	tt_job_leave(job);
}

/* Somebody is in it: another communicator that helps goes soon. */
static totum_status wait_for_helper(totum_comm *comm)
{
	uint32_t who = TT_FREE;

	/* acquire: pairs with the release of the helper */
	while (!atomic_compare_exchange_weak_explicit(&comm->busy, &who, TT_ENTERED,
						      memory_order_acquire, memory_order_relaxed)) {
		if (who == TT_ENTERED)
			return tt_fail(TOTUM_EUSAGE, "the communicator is in use by another "
				       "thread; give every thread its own with totum_comm_dup");
		if (who == TT_HELPED)
			sched_yield();
		who = TT_FREE;
	}
	return TOTUM_OK;
}

totum_status tt_comm_check_fork(const totum_comm *comm)
{
	if (__builtin_expect(*(const volatile uint32_t *)comm->job->unforked, 1))
		return TOTUM_OK;
	return tt_fail(TOTUM_EUSAGE, "a communicator cannot be used in a forked child; call totum "
				     "in the process that made it, or start the child with exec");
}

totum_status tt_comm_enter(totum_comm *comm)
{
	uint32_t nobody = TT_FREE;

	if (__builtin_expect(!comm, 0))
		return tt_fail(TOTUM_EINVAL, "the communicator is NULL; make one with totum_init");
	if (__builtin_expect(tt_comm_check_fork(comm), 0))
		return TOTUM_EUSAGE;
	if (__builtin_expect(!atomic_compare_exchange_strong_explicit(
				     &comm->busy, &nobody, TT_ENTERED, memory_order_acquire,
				     memory_order_relaxed), 0) &&
	    wait_for_helper(comm))
		return TOTUM_EUSAGE;
	if (__builtin_expect(comm->progress != NULL, 0))
		tt_progress_lock(comm->progress);
	return TOTUM_OK;
}

void tt_comm_exit(totum_comm *comm)
{
	if (__builtin_expect(comm->first || comm->mail || comm->under_way, 0))
		tt_others_update(comm);
	/* a failure may have come before any call, or between two */
	if (__builtin_expect(comm->spread != NULL, 0))
		tt_notices_tell(comm, TOTUM_ELOST);
	if (__builtin_expect(comm->progress != NULL, 0))
		tt_progress_unlock(comm->progress);
	atomic_store_explicit(&comm->busy, TT_FREE, memory_order_release);
}
