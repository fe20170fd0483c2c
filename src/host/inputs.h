/* SPDX-License-Identifier: BSD-3-Clause */
/* inputs.h - all ranks' contributions to a reduction, as they lie in a beat's slots or stages. */
#ifndef TT_INPUTS_H
#define TT_INPUTS_H

#include "host/stage.h"
#include "host/task.h"

/*
 * The addresses `at` bytes into the `bytes` that everyone has put with tt_stage_put, in rank order,
 * with this rank's own replaced by `own`; valid until the next call.  All ranks have published the
 * beat.
 */
static inline const void **tt_inputs_put(struct tt_host *host, const struct tt_task *task,
					 uint32_t beat, size_t bytes, size_t at, const void *own)
{
	for (int rank = 0; rank < host->nranks; rank++)
		host->inputs[rank] =
			at + tt_stage_get(tt_host_slot(host, rank, beat),
					  tt_host_stage(host, rank, beat), bytes, tt_inline(task));
	host->inputs[host->rank] = own;
	return host->inputs;
}

/* Those of the ranks that have offered a vector lie in that, at `place`. */
static inline void tt_inputs_mapped(struct tt_host *host, const struct tt_task *task, size_t place)
{
	for (int rank = 0; rank < host->nranks && task->offers; rank++)
		if (host->mapped[rank])
			host->inputs[rank] = host->mapped[rank] + place;
}

/*
 * In take and combine: the beat that is taken, which is not the last one when the next has
 * been published before.
 */
static inline uint32_t tt_taken_beat(const struct tt_host *host, const struct tt_task *task)
{
	return host->beat - (task->step - 1 - task->taking);
}

#endif
