/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * collective.c - what each collective is: its name, what a rank has before it and must have after
 * it.
 */
#include <string.h>

#include "schedule/ir.h"

static const char *const names[TT_COLLECTIVES] = {
	[TT_ALLGATHER] = "allgather", [TT_REDUCE_SCATTER] = "reduce_scatter",
	[TT_ALLREDUCE] = "allreduce", [TT_BROADCAST] = "broadcast",
	[TT_REDUCE] = "reduce",       [TT_GATHER] = "gather",
	[TT_SCATTER] = "scatter",     [TT_ALLTOALL] = "alltoall",
};

const char *tt_collective_name(enum tt_collective collective)
{
	return collective >= 0 && collective < TT_COLLECTIVES ? names[collective] : "unknown";
}

totum_status tt_collective_parse(const char *name, enum tt_collective *out)
{
	for (int i = 0; i < TT_COLLECTIVES; i++)
		if (strcmp(name, names[i]) == 0) {
			*out = (enum tt_collective)i;
			return TOTUM_OK;
		}
	return tt_fail(TOTUM_EPARSE,
		       "there is no collective '%.40s': one of allgather, reduce_scatter, "
		       "allreduce, broadcast, "
		       "reduce, gather, scatter, alltoall",
		       name);
}

bool tt_reduces(enum tt_collective collective)
{
	return collective == TT_REDUCE_SCATTER || collective == TT_ALLREDUCE ||
	       collective == TT_REDUCE;
}

bool tt_rooted(enum tt_collective collective)
{
	return collective == TT_BROADCAST || collective == TT_REDUCE || collective == TT_GATHER ||
	       collective == TT_SCATTER;
}

bool tt_holds_first(const struct tt_schedule *schedule, int64_t rank, int64_t block)
{
	switch (schedule->collective) {
	case TT_ALLGATHER:
	case TT_GATHER:
		return block == rank;
	case TT_BROADCAST:
	case TT_SCATTER:
		return rank == schedule->root;
	case TT_ALLTOALL:
		return block / schedule->nranks == rank;
	default:
		return true;
	}
}

bool tt_wants_last(const struct tt_schedule *schedule, int64_t rank, int64_t block)
{
	switch (schedule->collective) {
	case TT_REDUCE_SCATTER:
	case TT_SCATTER:
		return block == rank;
	case TT_REDUCE:
	case TT_GATHER:
		return rank == schedule->root;
	case TT_ALLTOALL:
		return block % schedule->nranks == rank;
	default:
		return true;
	}
}
