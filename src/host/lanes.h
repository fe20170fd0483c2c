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

#include "host/task.h"

static inline size_t tt_lane(const struct tt_host *host)
{
	size_t lane = host->stage / (size_t)host->nranks;

	return lane < 4096 ? lane / TT_LINE * TT_LINE : lane / 4096 * 4096;
}

/* The length that a peer tells this rank in the first beat. */
static inline uint64_t tt_lane_told(const struct tt_host *host, const unsigned char *stage)
{
	uint64_t told;

	memcpy(&told, stage - host->foreword + (size_t)host->rank * TT_FOREWORD, sizeof told);
	return told;
}

/* Puts what rank gets in the beat that is filled into its lane. */
void tt_lane_fill(const struct tt_host *host, const struct tt_task *task, unsigned char *stage,
		  int rank);

#endif
