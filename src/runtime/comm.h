/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.h - the communicator: its job, its half of the host, and how its calls are carried out. */
#ifndef TT_COMM_H
#define TT_COMM_H

#include "host/task.h"
#include "runtime/job.h"
#include "runtime/recorder.h"

struct tt_work;
struct tt_spread;
struct tt_notices;
struct tt_scheduled;
struct tt_progress;
struct tt_transport;
struct tt_endpoint;
struct tt_reached;

enum { TT_ALGO = 96 };
/* Who is in it: nobody, its owner, or for a moment another communicator's that waits (others.h). */
enum { TT_FREE, TT_ENTERED, TT_HELPED };

struct totum_comm {
	struct tt_host host;     /* the members on this host, and what they share */
	int rank, nranks;        /* among all members */
	struct tt_spread *spread; /* NULL: all members are on this host */
	struct tt_notices *notices; /* with other hosts, opened with the first call */
	struct tt_job *job;
	int area;
	int *job_ranks;          /* of the members on this host */
	_Atomic uint32_t busy;   /* TT_FREE ..: acquire on entry, release on return */
	bool under_way;          /* it is in the list of others; changed by who is in it */
	struct tt_others *others; /* of this rank's communicators, this one among them */
	struct totum_comm *next_under_way;
	char algo[TT_ALGO];      /* the forced algorithm, "" for the direct path */
	uint32_t algo_tag;       /* its hash, never 0 when forced: in every fingerprint */
	bool rank_order;         /* fold in rank order over hosts too */
	uint32_t algo_serves;    /* a bit for each tt_collective it serves; the others go direct */
	char ran[TT_ALGO];       /* what the last call ran */
	const struct tt_transport *transport; /* of forced algorithms, opened with the first one */
	struct tt_endpoint *endpoint;
	struct tt_task meeting;     /* of the scheduled work, on the host, before or after it */
	struct tt_scheduled *idle;  /* programs kept for calls that repeat, the latest first */
	struct tt_work *first, **last; /* the calls that are not done, in order */
	int64_t requests;           /* requests and plans that have not been freed */
	struct totum_request *over, **last_over; /* the last that have, the oldest first */
	int nover;
	struct totum_window *windows;
	struct tt_progress *progress; /* its thread, when there is one */
	struct tt_recorder *recorder; /* NULL only where memory lacked */
	struct tt_mail *mail;       /* messages, opened with the first one */
	struct tt_reached *reached; /* of the call that failed first, NULL: none has */
	uint64_t uncounted;         /* calls of its opening, which are not as many on each host */
	bool grouping;              /* between totum_group_begin and _end */
};

/*
 * Rank `rank` of the nranks on this host in an area whose head counts as many members.  Takes over
 * job_ranks and spread, which is NULL when there are no other hosts, and holds the job; on failure
 * frees the ones, does not hold the other, and leaves the count as it is.
 */
totum_status tt_comm_open(struct tt_job *job, int area, int rank, int nranks, int *job_ranks,
			  struct tt_spread *spread, totum_comm **out);
void tt_comm_close(totum_comm *comm);
/* A free area whose head counts n members; whoever claims it tells the others. */
totum_status tt_comm_claim(struct tt_job *job, int n, int *area);
/*
 * This rank's end of a communicator of n ranks of comm on this host, in order, with comm's
 * settings.  Takes over spread, as tt_comm_open.
 */
totum_status tt_comm_open_members(totum_comm *comm, const int *members, int n, int area,
				  struct tt_spread *spread, totum_comm **out);

/* This rank's number in the job. */
int tt_comm_world_rank(const totum_comm *comm);

/* The forced algorithm's text, "" or "auto" for none; TOTUM_EINVAL when there is no such. */
totum_status tt_comm_force(totum_comm *comm, const char *algo);

/* Is rank on another host? And which one is it among those of this host, -1 of another's. */
bool tt_comm_far(const totum_comm *comm, int rank);
int tt_comm_place(const totum_comm *comm, int rank);

/* What every entry point begins with: comm is usable, by this thread and process; and ends with. */
totum_status tt_comm_enter(totum_comm *comm);
void tt_comm_exit(totum_comm *comm);
/* For what may be called while another thread is in comm: it is that of this process. */
totum_status tt_comm_check_fork(const totum_comm *comm);

/* split.c: the members of a new communicator agree on an area; collective over comm. */
totum_status tt_comm_split(totum_comm *comm, int color, int key, totum_comm **out);

#endif
