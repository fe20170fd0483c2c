/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * traffic - what the direct way of each operation moves.
 *
 * With n ranks, shard or block sizes s_r and this rank's s: an all-gather sends s to each of n-1
 * peers and receives the others' shards; a reduce-scatter is its mirror; a large all-reduce is both
 * over equal parts, a small one hands everything to everyone.  The rooted operations move only to
 * or from the root.
 */
#include "host/traffic.h"

#include "host/kinds.h"

static uint64_t others_from(const struct tt_host *host, const struct tt_task *task)
{
	uint64_t total = 0;

	for (int rank = 0; rank < host->nranks; rank++)
		if (rank != host->rank)
			total += task->from_sizes ? task->from_sizes[rank] : task->bytes;
	return total;
}

static struct tt_traffic swapped(struct tt_traffic traffic)
{
	return (struct tt_traffic){traffic.received, traffic.sent};
}

static struct tt_traffic bundle_traffic(const struct tt_host *host, const struct tt_task *task)
{
	struct tt_traffic total = {0};

	for (int i = 0; i < task->nmembers; i++) {
		struct tt_traffic member = tt_task_traffic(host, task->members[i]);
		total.sent += member.sent;
		total.received += member.received;
	}
	return total;
}

struct tt_traffic tt_task_traffic(const struct tt_host *host, const struct tt_task *task)
{
	uint64_t peers = (uint64_t)host->nranks - 1;
	bool root = host->rank == task->root;

	switch (tt_call_operation(&task->call)) {
	case TT_OP_ALLGATHER:
	case TT_OP_ALLGATHERV:
	case TT_OP_RESCUE:
		return (struct tt_traffic){tt_size_of(task, host->rank) * peers,
					   tt_total(host, task) - tt_size_of(task, host->rank)};
	case TT_OP_REDUCE_SCATTER:
	case TT_OP_REDUCE_SCATTERV:
		return (struct tt_traffic){tt_total(host, task) - tt_size_of(task, host->rank),
					   tt_size_of(task, host->rank) * peers};
	case TT_OP_ALLREDUCE:
	case TT_OP_REDUCE:
		return tt_allreduce_traffic(host, task);
	case TT_OP_BROADCAST:
		return root ? (struct tt_traffic){task->bytes * peers, 0}
			    : (struct tt_traffic){0, task->bytes};
	case TT_OP_GATHER:
	case TT_OP_GATHERV:
		return root ? (struct tt_traffic){0, tt_total(host, task) -
						     tt_size_of(task, host->rank)}
			    : (struct tt_traffic){task->bytes, 0};
	case TT_OP_SCATTER:
	case TT_OP_SCATTERV:
		return root ? swapped((struct tt_traffic){0, tt_total(host, task) -
							     tt_size_of(task, host->rank)})
			    : (struct tt_traffic){0, task->bytes};
	case TT_OP_ALLTOALL:
	case TT_OP_ALLTOALLV:
		return (struct tt_traffic){tt_total(host, task) - tt_size_of(task, host->rank),
					   others_from(host, task)};
	case TT_OP_GROUP:
	case TT_OP_GROUP_REDUCE:
		return bundle_traffic(host, task);
	default:
		return (struct tt_traffic){0};
	}
}
