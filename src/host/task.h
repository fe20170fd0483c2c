/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * task.h - one collective under way on a host, as a sequence of beats that can stop at any wait and go on later.
 *
 * A kind of task is four small functions; the loop that publishes, waits, compares fingerprints and takes turns
 * is the same for all of them, and for the blocking, nonblocking and persistent forms of a call.
 *
 *   begin   sets the task up for another run;
 *   fill    puts this rank's bytes of the beat into its slot;
 *   take    reads a peer's slot; called for this rank itself first, then for the next rank and on;
 *   turn    all slots of the beat have been taken: true when there is another beat.
 */
#ifndef TT_TASK_H
#define TT_TASK_H

#include "host/host.h"

struct tt_task;

struct tt_task_kind {
	void (*begin)(const struct tt_host *host, struct tt_task *task);
	void (*fill)(struct tt_host *host, struct tt_task *task, struct tt_slot *slot);
	totum_status (*take)(struct tt_host *host, struct tt_task *task, int peer, struct tt_slot *slot); /* NULL: nothing */
	bool (*turn)(struct tt_host *host, struct tt_task *task);
};

/*
 * What a call is about.  The caller has checked it; send is an address, never a sentinel.  Sizes are bytes; the arrays
 * have one element a rank and stay where they are until the task is done.
 */
struct tt_task {
	const struct tt_task_kind *kind;
	struct tt_fingerprint call;
	const unsigned char *send;
	unsigned char *recv;
	size_t bytes;           /* of a shard, of a block, or of the whole of a broadcast or all-reduce */
	const size_t *sizes;    /* v-operations: what rank r's block holds; NULL: bytes each */
	const size_t *places;   /* and where it lies, in recv, or in send where that is cut; NULL: one after the other */
	const size_t *from_sizes, *from_places; /* all-to-all: the same of what comes from rank r */
	size_t count;           /* reductions: elements */
	totum_dtype dtype;
	totum_op op;
	int root;
	struct tt_task **members; /* of a group: the all-gathers that it does as one */
	int nmembers;
	/* the loop's own: */
	uint64_t since;         /* when it began to wait, 0: it does not */
	int taken;              /* how many slots of the beat have been taken, in the order self, next rank, .. */
	bool published, done;
	/* the kinds' own: */
	size_t at;              /* bytes or elements that earlier beats have dealt with */
	size_t longest;         /* of any block: known from the start, or learnt in the first beat */
	size_t rest;            /* longest of those that are not offered */
	size_t part, parts;     /* of an all-reduce: the chunk under way */
	uint32_t step;          /* number of the beat */
	bool streams;           /* the output will not fit the cache */
	bool offers;            /* the first beat says where the bytes lie: source.h */
};

/* The direct way of an operation; NULL when it has none. */
const struct tt_task_kind *tt_task_direct(enum tt_operation operation);

/* Before the first tt_task_go of a run; TOTUM_OK or the failure of the communicator. */
totum_status tt_task_start(struct tt_host *host, struct tt_task *task);
/*
 * Goes on until the task is done (task->done) or, unless block, until it would have to wait.  One task of a
 * communicator at a time, in the order of the calls.
 */
totum_status tt_task_go(struct tt_host *host, struct tt_task *task, bool block);
/* Is all of rank's block of an all-gather here? */
bool tt_task_has(const struct tt_host *host, const struct tt_task *task, int rank);
/* Waits a little for the slot that an unfinished task needs next. */
void tt_task_pause(struct tt_host *host, const struct tt_task *task, uint64_t since);

#endif
