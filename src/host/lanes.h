/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lanes.h - a stage cut in lanes, one a receiver, for what every receiver gets something else of.
 *
 * In the first beat the stage's foreword tells every receiver the length of its block, which it
 * compares with what it expects.  Lanes are whole pages where they can be, so that what follows
 * lies as the first bytes did (stage.h).  The next rank has the first one, the one after that the
 * second: so two ranks that swap their stages (area.h) write where they have read.
 */
#ifndef TT_LANES_H
#define TT_LANES_H

#include "host/kinds.h"

static inline size_t tt_lane(const struct tt_host *host)
{
	return tt_stage_cut(host->stage / (size_t)(host->nranks > 1 ? host->nranks - 1 : 1));
}

/* Where in the sender's stage what `to` gets lies; they are two ranks. */
static inline size_t tt_lane_at(const struct tt_host *host, int from, int to)
{
	return (size_t)((to > from ? to : to + host->nranks) - from - 1) * tt_lane(host);
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
		memcpy(stage + tt_lane_at(host, host->rank, rank),
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
