/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * work.h - a call from its entry point to its end: the same for blocking calls, requests and plans.
 *
 * A communicator does its works one after the other in the order of the calls, which is the same on
 * all ranks.  A blocking call is a work that is waited for at once; a request is one that is gone
 * on with whenever its communicator is in the library.
 */
#ifndef TT_WORK_H
#define TT_WORK_H

#include "host/task.h"
#include "runtime/comm.h"

enum tt_work_phase { TT_WORK_MEETS, TT_WORK_BEGINS, TT_WORK_RUNS, TT_WORK_LEAVES };

struct tt_work {
	struct tt_task task;       /* what is called; and its beats on the host */
	bool on_host;              /* among the ranks of this host, whatever the others do */
	bool shares;               /* recv is a window */
	enum tt_work_phase phase;  /* of a scheduled work */
	/* of a reduction over hosts: bytes that each rank gives to all, who fold for themselves; or 0 */
	size_t whole;
	struct tt_scheduled *plan; /* and its program and memory */
	size_t *sizes;             /* owned: the arrays that task points to, or NULL */
	struct tt_bundle *bundle;  /* owned: this and the following works are done as one */
	bool started, done;
	totum_status status;       /* when done */
	char *refusal;             /* owned: the sentence of a failure that is not comm's */
	bool queued;               /* it stood in the queue: a request, or behind one */
	uint64_t posted;           /* of a request that is traced: when it was made */
	struct tt_work *next;
};

/* Every field that a collective does not set itself. */
void tt_work_init(struct tt_work *work, const totum_comm *comm, enum tt_operation operation,
		  totum_dtype dtype);
void tt_work_free(totum_comm *comm, struct tt_work *work);

/* The communicator is entered.  Does the work after all earlier ones and frees what it owns. */
totum_status tt_work_run(totum_comm *comm, struct tt_work *work);
/* The same for a work that has only been initialised: gathers `bytes` of every rank into `all`. */
totum_status tt_work_exchange(totum_comm *comm, struct tt_work *work, const void *mine, void *all,
			      size_t bytes);
/* Waits until all ranks of a communicator that nobody has entered are here. */
totum_status tt_comm_barrier(totum_comm *comm);
/* Ends a blocking entry point: runs the work unless status, of the checks, failed; leaves comm. */
totum_status tt_work_now(totum_comm *comm, struct tt_work *work, totum_status status);
/* Puts the work behind the earlier ones and goes on as far as that needs no waiting. */
void tt_work_add(totum_comm *comm, struct tt_work *work);
/* Goes on with the works in order: as far as it can without waiting, or until `work` is done. */
void tt_work_go(totum_comm *comm);
void tt_work_finish(totum_comm *comm, struct tt_work *work);
/* Is all of rank's block of the work's result here? */
bool tt_work_has(const totum_comm *comm, const struct tt_work *work, int rank);
/* Are there works, not held by a group, or messages under way? */
bool tt_work_moves(const totum_comm *comm);
/* Goes on with works and messages alike, without waiting; the failure of the communicator. */
totum_status tt_work_go_all(totum_comm *comm);
/* Changes whenever a work or a message has moved. */
uint64_t tt_work_mark(const totum_comm *comm);
/* Waits a little for whatever the first work waits for. */
void tt_work_pause(totum_comm *comm, uint64_t since);

#endif
