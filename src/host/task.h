/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * task.h - one collective under way on a host, as a sequence of beats that can stop at any wait and
 * go on later.
 *
 * A kind of task is some small functions; the loop that publishes, waits, compares fingerprints and
 * takes turns is the same for all of them, and for the blocking, nonblocking and persistent forms
 * of a call.
 *
 *   begin    sets the task up for another run;
 *   fill     puts this rank's bytes of the beat into its slot or its stage;
 *   take     reads a peer's; called for this rank itself first, then for the next rank and on;
 *   combine  all slots of the beat have been taken;
 *   next     moves on to the next beat: true when there is one.
 *
 * A beat that every rank waits for can overlap with the one before: once all have arrived, a task
 * that runs ahead fills and publishes the next beat first and takes this one then, so that the
 * peers' bytes are there when it comes back.
 */
#ifndef TT_TASK_H
#define TT_TASK_H

#include "host/host.h"

struct tt_task;

struct tt_task_kind {
	void (*begin)(const struct tt_host *host, struct tt_task *task);
	void (*fill)(struct tt_host *host, struct tt_task *task, struct tt_slot *slot,
		     unsigned char *stage);
	/* NULL: nothing */
	totum_status (*take)(struct tt_host *host, struct tt_task *task, int peer,
			     struct tt_slot *slot, unsigned char *stage);
	void (*combine)(struct tt_host *host, struct tt_task *task); /* NULL: nothing */
	bool (*next)(struct tt_host *host, struct tt_task *task);
};

/* Whose slots a rank waits for. */
enum tt_meeting {
	TT_MEET_ALL,
	TT_MEET_ROOT,    /* only the root's, and the root for nobody's */
	TT_MEET_AT_ROOT, /* the root for everybody's, the others for nobody's */
};

/*
 * What a call is about.  The caller has checked it; send is an address, never a sentinel.  Sizes
 * are bytes; the arrays have one element a rank and stay where they are until the task is done.
 */
struct tt_task {
	const struct tt_task_kind *kind;
	struct tt_fingerprint call;
	const unsigned char *send;
	unsigned char *recv;
	size_t bytes;           /* of a shard or block, or of a whole broadcast or all-reduce */
	const size_t *sizes;    /* v-operations: what rank r's block holds; NULL: bytes each */
	/* and where it lies, in recv, or in send where that is cut; NULL: one after the other */
	const size_t *places;
	const size_t *from_sizes, *from_places; /* all-to-all: the same of what comes from rank r */
	size_t count;           /* reductions: elements */
	totum_dtype dtype;
	totum_op op;
	int root;
	struct tt_task **members; /* of a group: the all-gathers that it does as one */
	int nmembers;
	/* the loop's own: */
	uint64_t since;         /* when it began to wait, 0: it does not */
	uint64_t looked;        /* and when it last looked around */
	int taken;              /* how many slots of the beat are taken, in order self, next, .. */
	int met;                /* how many have been waited for, same order, when it runs ahead */
	bool published, done;
	/* the kinds' own: */
	enum tt_meeting meeting; /* of the beat under way; meet all unless begin says otherwise */
	bool ahead;             /* from here on the task runs ahead */
	size_t at;              /* bytes that the beats before the next fill deal with */
	size_t took;            /* the same for the beat that is taken: where it starts */
	uint32_t step;          /* number of the beat that is filled next, from 0 */
	uint32_t taking;        /* and of the one that is taken */
	size_t longest;         /* of any block: known from the start or learnt in the first beat */
	size_t rest;            /* longest of those that are not offered */
	size_t lane;            /* bytes of a stage's lane: lanes.h */
	bool small;             /* all bytes of a beat lie in the slots */
	bool streams;           /* the output will not fit the cache */
	bool offers;            /* the first slot may say where the bytes lie: source.h */
	bool offered;           /* and somebody's did: a last beat holds all until it is read */
};

/* A block's length and place in bytes, of v-operations and of those with equal blocks. */
static inline size_t tt_size_of(const struct tt_task *task, int rank)
{
	return task->sizes ? task->sizes[rank] : task->bytes;
}

static inline size_t tt_place_of(const struct tt_task *task, int rank)
{
	return task->places ? task->places[rank] : (size_t)rank * task->bytes;
}

/* Bytes of a beat up to which they lie in its slot, on both sides the same. */
static inline size_t tt_inline(const struct tt_task *task)
{
	return task->meeting == TT_MEET_ALL ? TT_INLINE_MET : TT_INLINE;
}

/* Everyone reduces all of this all-reduce, so that it gains from being done with others as one. */
bool tt_allreduce_is_whole(const struct tt_host *host, const struct tt_task *task);

/* The direct way of an operation; NULL when it has none. */
const struct tt_task_kind *tt_task_direct(enum tt_operation operation);

/*
 * A task that is about nothing yet: all that the caller may leave out, one by one, since small
 * calls feel a memset.
 */
static inline void tt_task_init(struct tt_task *task, enum tt_operation operation,
				totum_dtype dtype)
{
	struct tt_fingerprint call = tt_call(operation, dtype, 0, 0, 0);

	task->kind = tt_task_direct(operation);
	tt_call_copy(&task->call, &call);
	task->send = NULL;
	task->recv = NULL;
	task->bytes = 0;
	task->sizes = task->places = task->from_sizes = task->from_places = NULL;
	task->count = 0;
	task->dtype = dtype;
	task->op = (totum_op)0;
	task->root = 0;
	task->members = NULL;
	task->nmembers = 0;
	task->done = task->published = false;
}

/* Before the first tt_task_go of a run; TOTUM_OK or the failure of the communicator. */
totum_status tt_task_start(struct tt_host *host, struct tt_task *task);
/*
 * After tt_task_start: publishes the first beat if nothing need be waited for.  What fails does so
 * again in tt_task_go.
 */
void tt_task_post(struct tt_host *host, struct tt_task *task);
/*
 * Goes on until the task is done (task->done) or, unless block, until it would have to wait.  One
 * task of a communicator at a time, in the order of the calls.
 */
totum_status tt_task_go(struct tt_host *host, struct tt_task *task, bool block);
/* Is all of rank's block of an all-gather here? */
bool tt_task_has(const struct tt_host *host, const struct tt_task *task, int rank);
/* Waits a little for the slot that an unfinished task needs next. */
void tt_task_pause(struct tt_host *host, uint64_t since);

#endif
