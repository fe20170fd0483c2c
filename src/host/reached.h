/* SPDX-License-Identifier: BSD-3-Clause */
/* reached.h - which blocks of an all-gather are here although it has failed. */
#ifndef TT_HOST_REACHED_H
#define TT_HOST_REACHED_H

#include "host/task.h"

/* A set of ranks, a bit for each. */
static inline size_t tt_ranks_bytes(int nranks)
{
	return ((size_t)nranks + 7) / 8;
}

static inline bool tt_ranks_has(const unsigned char *ranks, int rank)
{
	return ranks[rank / 8] >> rank % 8 & 1;
}

static inline void tt_ranks_add(unsigned char *ranks, int rank)
{
	ranks[rank / 8] |= (unsigned char)(1u << rank % 8);
}

/*
 * Adds to blocks (of host->nranks) the peers whose whole block lies in the recv of a direct
 * all-gather that has just failed.  What peers had published by then is copied there first, so this
 * is part of the call: its buffers are still borrowed.  This rank itself is left out.  May replace
 * totum_errmsg().
 */
void tt_task_reached(struct tt_host *host, const struct tt_task *task, unsigned char *blocks);

#endif
