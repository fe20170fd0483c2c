/* SPDX-License-Identifier: BSD-3-Clause */
/* kinds.h - the direct tasks of one host, and what their files share. */
#ifndef TT_KINDS_H
#define TT_KINDS_H

#include "host/copy.h"
#include "host/stage.h"
#include "host/task.h"
#include "host/traffic.h"

extern const struct tt_task_kind tt_kind_barrier;         /* gather.c */
extern const struct tt_task_kind tt_kind_allgather;
extern const struct tt_task_kind tt_kind_window;
extern const struct tt_task_kind tt_kind_broadcast;       /* broadcast.c */
extern const struct tt_task_kind tt_kind_bundle;          /* bundle.c */
extern const struct tt_task_kind tt_kind_bundle_reduce;   /* bundle_reduce.c */
extern const struct tt_task_kind tt_kind_gather;          /* rooted.c */
extern const struct tt_task_kind tt_kind_scatter;
extern const struct tt_task_kind tt_kind_alltoall;        /* exchange.c */
extern const struct tt_task_kind tt_kind_reduce_scatter;  /* reduction.c */
extern const struct tt_task_kind tt_kind_allreduce;       /* allreduce.c: begin picks one of two */

/* allreduce.c: how it parts a vector decides what it moves. */
struct tt_traffic tt_allreduce_traffic(const struct tt_host *host, const struct tt_task *task);

static inline size_t tt_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The part of `bytes` that the beat after `done` carries when a beat carries `most`. */
static inline size_t tt_part(size_t bytes, size_t done, size_t most)
{
	return bytes > done ? tt_least(most, bytes - done) : 0;
}

/* Of all blocks: the bytes of the longest, and of all together. */
static inline size_t tt_longest(const struct tt_host *host, const struct tt_task *task)
{
	size_t longest = task->sizes ? 0 : task->bytes;

	for (int rank = 0; rank < host->nranks && task->sizes; rank++)
		longest = task->sizes[rank] > longest ? task->sizes[rank] : longest;
	return longest;
}

static inline size_t tt_total(const struct tt_host *host, const struct tt_task *task)
{
	size_t total = task->sizes ? 0 : task->bytes * (size_t)host->nranks;

	for (int rank = 0; rank < host->nranks && task->sizes; rank++)
		total += task->sizes[rank];
	return total;
}

/* To the output: past the cache when it will not fit. */
static inline void tt_put(const struct tt_task *task, void *to, const void *from, size_t bytes)
{
	if (task->streams)
		tt_copy_streaming(to, from, bytes);
	else
		tt_copy(to, from, bytes);
}

#endif
