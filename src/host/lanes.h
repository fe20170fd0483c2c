/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lanes.h - a stage cut in lanes, one a receiver, for what every receiver gets something else of.
 *
 * Equal blocks that together fit a slot lie there in the order of the lanes, without gaps.  Else
 * lanes lie in the stage.  Where sizes differ the stage's foreword tells every receiver in the
 * first beat the length of its block, which it compares with what it expects.  Lanes are whole
 * pages where they can be, so that what follows lies as the first bytes did (stage.h).  The next
 * rank has the first one, the one after that the second: so two ranks that swap their stages
 * (area.h) write where they have read.
 */
#ifndef TT_LANES_H
#define TT_LANES_H

#include "host/kinds.h"

static inline size_t tt_lanes(const struct tt_host *host)
{
	return host->nranks > 1 ? (size_t)host->nranks - 1 : 1;
}

/*
 * In begin: bytes of a lane.  Where all know that all blocks are equal and short, lanes lie close
 * together.
 */
static inline void tt_lanes_begin(const struct tt_host *host, struct tt_task *task)
{
	enum tt_operation operation = tt_call_operation(&task->call);

	task->lane = tt_stage_cut(host->stage / tt_lanes(host));
	if ((operation == TT_OP_ALLTOALL || operation == TT_OP_REDUCE_SCATTER) &&
	    task->bytes < task->lane)
		task->lane = (task->bytes + TT_LINE - 1) / TT_LINE * TT_LINE;
}

/* Which of the sender's lanes is that of `to`; they are two ranks. */
static inline size_t tt_lane_number(const struct tt_host *host, int from, int to)
{
	return (size_t)((to > from ? to : to + host->nranks) - from - 1);
}

/* Where it lies in the stage. */
static inline size_t tt_lane_at(const struct tt_host *host, const struct tt_task *task, int from,
				int to)
{
	return tt_lane_number(host, from, to) * task->lane;
}

/* Do the blocks, of task->bytes each, fit a slot? */
static inline bool tt_lanes_small(const struct tt_host *host, const struct tt_task *task)
{
	return !task->sizes && task->bytes * tt_lanes(host) <= tt_inline(task);
}

/* Puts them there: first what the ranks after this one get, then what those before it do. */
static inline void tt_lanes_put_small(const struct tt_host *host, const struct tt_task *task,
				      struct tt_slot *slot)
{
	size_t before = (size_t)host->rank * task->bytes;
	size_t after = (size_t)(host->nranks - 1 - host->rank) * task->bytes;

	if (after)
		memcpy(slot->small, task->send + before + task->bytes, after);
	if (before)
		memcpy(slot->small + after, task->send, before);
}

/* And where this rank finds what a peer has for it. */
static inline const unsigned char *tt_lane_small(const struct tt_host *host,
						 const struct tt_task *task, int peer,
						 const struct tt_slot *slot)
{
	return slot->small + tt_lane_number(host, peer, host->rank) * task->bytes;
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
	size_t now = tt_part(tt_size_of(task, rank), task->at, task->lane);

	if (now)
		tt_copy(stage + tt_lane_at(host, task, host->rank, rank),
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
