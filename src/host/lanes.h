/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lanes.h - a stage cut in lanes, one a receiver, for what every receiver gets something else of.
 *
 * In the first beat the stage's foreword tells every receiver the length of its block, which it
 * compares with what it expects.  Lanes are whole pages where they can be, so that what follows
 * lies as the first bytes did (stage.h).
 */
#ifndef TT_LANES_H
#define TT_LANES_H

#include "host/kinds.h"

static inline size_t tt_lane(const struct tt_host *host)
{
	return tt_stage_cut(host->stage / (size_t)host->nranks);
}

/* The length that a peer tells this rank in the first beat. */
static inline uint64_t tt_lane_told(const struct tt_host *host, const unsigned char *stage)
{
	uint64_t told;

	memcpy(&told, stage - host->foreword + (size_t)host->rank * TT_FOREWORD, sizeof told);
	return told;
}

/* Puts what rank gets in the beat that is filled into its lane. */
static inline void tt_lane_put(const struct tt_host *host, const struct tt_task *task,
			       unsigned char *stage, int rank)
{
	size_t now = tt_part(tt_size_of(task, rank), task->at, tt_lane(host));

	if (now)
		memcpy(stage + (size_t)rank * tt_lane(host),
		       task->send + tt_place_of(task, rank) + task->at, now);
}

/* The same, and in the first beat tells rank the length of its block. */
static inline void tt_lane_tell(const struct tt_host *host, const struct tt_task *task,
				unsigned char *stage, int rank)
{
	uint64_t size = tt_size_of(task, rank);

	if (task->step == 0)
		memcpy(stage - host->foreword + (size_t)rank * TT_FOREWORD, &size, sizeof size);
	tt_lane_put(host, task, stage, rank);
}

#endif
