/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job.h - what all communicators of a process share: the segment, the roll, the settings, and how
 * to wait.
 *
 * Ranks that are threads of one process share one job object and one mapping of every area, so that
 * they run the same code over the same addresses.
 */
#ifndef TT_JOB_H
#define TT_JOB_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/hostname.h"
#include "base/settings.h"
#include "host/heap.h"
#include "launch/identity.h"
#include "planner/tuning.h"
#include "runtime/others.h"
#include "transport/network.h"

struct tt_mapping {
	void *area;
	int users;
};

struct tt_job {
	struct tt_settings settings;
	struct tt_segment segment;
	int roll;                     /* -1: the ranks are threads */
	int nranks;                   /* of this host */
	char hostname[TT_HOST_NAME];
	int *world;                   /* [nranks], their ranks in the job; NULL: the same */
	tt_network network;           /* between hosts */
	struct tt_tuning *tuning;     /* NULL: the built-in numbers */
	char secret[TT_SECRET];       /* of a job on several hosts; wiped at the end */
	enum tt_wait_policy wait;
	_Atomic int users;            /* communicators of this process; the last closes the job */
	pthread_mutex_t lock;         /* of mappings */
	struct tt_mapping mappings[TT_AREAS];
	struct tt_heap *heaps;        /* [nranks], mapped when first used; under lock */
	struct tt_others *others;     /* [nothers]: of the process's rank, or of each thread's */
	int nothers;
	bool reads_processes;         /* the ranks can read each other's private memory: probe.h */
	bool reads_once;              /* but what several read is staged */
	bool fences;                  /* whoever goes to sleep can fence all ranks: host/fence.h */
	const uint32_t *unforked;     /* 1 here and 0 in a forked child */
};

/*
 * Joins the job of identity, whose ranks are all on this host; collective over them, with users =
 * 1.  Area 0 is the world's and has been prepared for nranks members.
 */
totum_status tt_job_join(const struct tt_identity *identity, const struct tt_settings *settings,
			 struct tt_job **out);
/*
 * The same where the root reaches other hosts.  The job is that of the ranks of this host; *index
 * is this rank among them, *spread the world's, NULL when all turn out to be here.
 */
struct tt_spread;
totum_status tt_job_join_hosts(struct tt_identity *identity, const struct tt_settings *settings,
			       struct tt_job **out, int *index, struct tt_spread **spread);
/* The number in the job of a rank of this host. */
int tt_job_world_rank(const struct tt_job *job, int rank);
/* A job of nranks threads of this process, with users = nranks. */
totum_status tt_job_threads(int nranks, const struct tt_settings *settings, struct tt_job **out);
struct tt_others *tt_job_others(const struct tt_job *job, int rank);
void tt_job_hold(struct tt_job *job);
void tt_job_leave(struct tt_job *job);

/* Area number `area` for a communicator of nranks; every map is undone by one unmap. */
totum_status tt_job_map(struct tt_job *job, int area, int nranks, void **out);
void tt_job_unmap(struct tt_job *job, int area, int nranks);

/* A rank's shared heap: mapped for reading, and the allocations of this process's own ranks. */
totum_status tt_job_map_heap(void *job, int rank);
totum_status tt_job_alloc(struct tt_job *job, int rank, size_t bytes, void **out);
totum_status tt_job_free(struct tt_job *job, int rank, void *memory);

#endif
