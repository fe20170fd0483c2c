/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lanes.h - a stage cut in lanes, one a receiver, for what every receiver gets something else of.
 *
 * In the first beat a lane begins with the length of its block, which the receiver compares with what it expects.
 */
#ifndef TT_LANES_H
#define TT_LANES_H

#include "host/task.h"

enum { TT_LANE_PREFIX = sizeof(uint64_t) };

static inline size_t tt_lane(const struct tt_host *host)
{
	return host->stage / (size_t)host->nranks / TT_LINE * TT_LINE;
}

/* Bytes of a block that its lane carries in the beat numbered `step` of the task. */
static inline size_t tt_lane_bytes(const struct tt_host *host, uint32_t step)
{
	return tt_lane(host) - (step == 0 ? TT_LANE_PREFIX : 0);
}

/* This rank's lane in a peer's stage: the length that the peer told in the first beat, and the bytes of any. */
static inline uint64_t tt_lane_told(const struct tt_host *host, const struct tt_task *task, const unsigned char *stage)
{
	uint64_t told = task->bytes;

	if (task->taking == 0)
		memcpy(&told, stage + (size_t)host->rank * tt_lane(host), sizeof told);
	return told;
}

static inline const unsigned char *tt_lane_from(const struct tt_host *host, const struct tt_task *task, const unsigned char *stage)
{
	return stage + (size_t)host->rank * tt_lane(host) + (task->taking == 0 ? TT_LANE_PREFIX : 0);
}

/* Puts what rank gets in the beat that is filled into its lane. */
void tt_lane_fill(const struct tt_host *host, const struct tt_task *task, unsigned char *stage, int rank);

#endif
