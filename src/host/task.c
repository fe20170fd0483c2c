/* SPDX-License-Identifier: BSD-3-Clause */
/* task - the loop that carries every task through its beats, and the table of kinds. */
#include "host/task.h"

#include "base/clock.h"
#include "host/kinds.h"

const struct tt_task_kind *tt_task_direct(enum tt_operation operation)
{
	static const struct tt_task_kind *const kinds[TT_OPERATIONS] = {
		[TT_OP_ALLGATHER] = &tt_kind_allgather,
		[TT_OP_ALLGATHERV] = &tt_kind_allgather,
		[TT_OP_REDUCE_SCATTER] = &tt_kind_reduce_scatter,
		[TT_OP_REDUCE_SCATTERV] = &tt_kind_reduce_scatter,
		[TT_OP_ALLREDUCE] = &tt_kind_allreduce,
		[TT_OP_BROADCAST] = &tt_kind_broadcast,
		[TT_OP_REDUCE] = &tt_kind_reduce,
		[TT_OP_GATHER] = &tt_kind_gather,
		[TT_OP_GATHERV] = &tt_kind_gather,
		[TT_OP_SCATTER] = &tt_kind_scatter,
		[TT_OP_SCATTERV] = &tt_kind_scatter,
		[TT_OP_ALLTOALL] = &tt_kind_alltoall,
		[TT_OP_ALLTOALLV] = &tt_kind_alltoall,
		[TT_OP_BARRIER] = &tt_kind_barrier,
		[TT_OP_WINDOW] = &tt_kind_allgather,
		[TT_OP_GATHER_INTO_WINDOW] = &tt_kind_window,
		[TT_OP_GROUP] = &tt_kind_bundle,
		[TT_OP_SPLIT] = &tt_kind_allgather,
	};

	return kinds[operation];
}

totum_status tt_task_start(struct tt_host *host, struct tt_task *task)
{
	task->published = task->done = false;
	task->since = 0;
	task->at = 0;
	task->step = 0;
	task->kind->begin(host, task);
	return tt_host_begin(host, task->call);
}

static inline int peer_of(const struct tt_host *host, int i)
{
	int peer = host->rank + i;

	return peer < host->nranks ? peer : peer - host->nranks;
}

/* A slot that is not there and must not be waited for: looks around now and then, so that a test sees failures too. */
static totum_status not_yet(struct tt_host *host, struct tt_task *task)
{
	uint64_t now = tt_clock_ns();

	if (!task->since)
		task->since = now;
	/* acquire: pairs with the release in tt_host_fail */
	if (now - task->since < TT_CHECK_NS && !atomic_load_explicit(&host->head->failed, memory_order_acquire))
		return TOTUM_OK;
	return tt_host_check_beat(host, task->since);
}

totum_status tt_task_go(struct tt_host *host, struct tt_task *task, bool block)
{
	const struct tt_task_kind *kind = task->kind;
	int n = host->nranks;

	do {
		if (!task->published) {
			struct tt_slot *mine = tt_host_next(host);
			kind->fill(host, task, mine);
			tt_host_publish(host, mine);
			task->published = true;
			task->taken = 0;
		}
		for (; task->taken < n; task->taken++) {
			int peer = peer_of(host, task->taken);
			struct tt_slot *slot = tt_host_slot(host, peer);
			if (!block && !tt_host_arrived(host, slot))
				return not_yet(host, task);
			totum_status status = tt_host_wait(host, peer, &slot);
			if (status)
				return status;
			if (kind->take && (status = kind->take(host, task, peer, slot)))
				return status;
		}
		task->published = false;
		task->since = 0;
		task->step++;
	} while (kind->turn(host, task));
	task->done = true;
	tt_host_show_wait(host, -1); /* of tt_task_pause */
	return TOTUM_OK;
}

void tt_task_pause(struct tt_host *host, const struct tt_task *task, uint64_t since)
{
	if (tt_host_patience(host, since, tt_clock_ns()) && task->published && task->taken < host->nranks)
		tt_host_sleep_for(host, peer_of(host, task->taken));
}

bool tt_task_has(const struct tt_host *host, const struct tt_task *task, int rank)
{
	size_t size = task->sizes ? task->sizes[rank] : task->bytes, here = task->at;
	int order = rank >= host->rank ? rank - host->rank : rank - host->rank + host->nranks;
	bool taken = task->published && order < task->taken;

	if (task->offers && task->step == 0)
		return taken && (host->offered[rank] || rank == host->rank);
	if (task->offers && (host->offered[rank] || rank == host->rank))
		return true;
	return here + (taken ? host->stage : 0) >= size && (size || taken);
}
