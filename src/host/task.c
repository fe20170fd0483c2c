/* SPDX-License-Identifier: BSD-3-Clause */
/* task - the loop that carries every task through its beats, and the table of kinds. */
#include "host/task.h"

#include "base/clock.h"
#include "host/kinds.h"

enum { FETCH = 2 /* beats: the next one's slot is on its way already */ };

const struct tt_task_kind *tt_task_direct(enum tt_operation operation)
{
	static const struct tt_task_kind *const kinds[TT_OPERATIONS] = {
		[TT_OP_ALLGATHER] = &tt_kind_allgather,
		[TT_OP_ALLGATHERV] = &tt_kind_allgather,
		[TT_OP_REDUCE_SCATTER] = &tt_kind_reduce_scatter,
		[TT_OP_REDUCE_SCATTERV] = &tt_kind_reduce_scatter,
		[TT_OP_ALLREDUCE] = &tt_kind_allreduce,
		[TT_OP_BROADCAST] = &tt_kind_broadcast,
		[TT_OP_REDUCE] = &tt_kind_allreduce,
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
		[TT_OP_GROUP_REDUCE] = &tt_kind_bundle_reduce,
		[TT_OP_SPLIT] = &tt_kind_allgather,
		[TT_OP_RESCUE] = &tt_kind_allgather,
	};

	return kinds[operation];
}

totum_status tt_task_start(struct tt_host *host, struct tt_task *task)
{
	task->published = task->done = task->ahead = false;
	task->small = task->streams = task->offers = task->offered = false;
	task->longest = task->rest = 0;
	task->meeting = TT_MEET_ALL;
	task->since = 0;
	task->at = task->took = 0;
	task->step = task->taking = 0;
	task->taken = task->met = 0;
	task->kind->begin(host, task);
	return tt_host_begin(host, &task->call);
}

/* Does this rank need peer's slot of the beat under way? */
static inline bool meets(const struct tt_host *host, const struct tt_task *task, int peer)
{
	if (task->meeting == TT_MEET_ALL || peer == host->rank)
		return true;
	return task->meeting == TT_MEET_ROOT ? peer == task->root : host->rank == task->root;
}

/*
 * A slot that is not there and must not be waited for: looks around now and then, so that a test
 * sees failures too.
 */
static totum_status not_yet(struct tt_host *host, struct tt_task *task)
{
	uint64_t now = tt_clock_ns();

	if (!task->since)
		task->since = task->looked = now;
	/* acquire: pairs with the release in tt_host_fail */
	if (now - task->looked < TT_CHECK_NS &&
	    !atomic_load_explicit(&host->head->failed, memory_order_acquire))
		return TT_NOT_YET;
	task->looked = now;
	totum_status status = tt_host_check_beat(host, task->since);
	return status ? status : TT_NOT_YET;
}

static inline totum_status wait_for(struct tt_host *host, struct tt_task *task, int peer,
				    uint32_t beat, bool block)
{
	if (!block && !tt_host_arrived(tt_host_slot(host, peer, beat), beat)) {
		host->awaited = beat;
		return not_yet(host, task);
	}
	return tt_host_wait(host, peer, beat);
}

static void fill(struct tt_host *host, struct tt_task *task)
{
	uint32_t beat = ++host->beat;
	struct tt_slot *mine = tt_host_slot(host, host->rank, beat);

	mine->flags = 0;
	task->kind->fill(host, task, mine, tt_host_stage(host, host->rank, beat));
	tt_host_publish(host, mine);
	task->step++;
}

/* The two rules of area.h.  Where all have met in the beat before, there is nothing to wait for. */
static totum_status publish(struct tt_host *host, struct tt_task *task, bool block)
{
	uint32_t next = host->beat + 1, lead = task->small ? TT_LEAD : TT_STAGE_LEAD;

	if (__builtin_expect((int32_t)(next - lead - host->settled) > 0, 0)) {
		/* half of them at once, so that the misses on their lines overlap */
		uint32_t behind = task->small ? lead / 2 : lead;
		totum_status status = tt_host_settle(host, next - behind, block);
		if (status)
			return status == TT_NOT_YET ? not_yet(host, task) : status;
	}
	host->awaits = task->meeting == TT_MEET_ROOT ? task->root : -1;
	fill(host, task);
	task->published = true;
	return TOTUM_OK;
}

void tt_task_post(struct tt_host *host, struct tt_task *task)
{
	task->took = 0;
	publish(host, task, false);
}

static inline totum_status take(struct tt_host *host, struct tt_task *task, int peer, uint32_t beat)
{
	if (!task->kind->take)
		return TOTUM_OK;
	return task->kind->take(host, task, peer, tt_host_slot(host, peer, beat),
				tt_host_stage(host, peer, beat));
}

/* All slots of the beat have been compared; those of the beats before it may be still to be. */
static inline totum_status met_all(struct tt_host *host, uint32_t beat)
{
	if (__builtin_expect(host->settled + 1 != beat, 0))
		return tt_host_settle(host, beat, true); /* they are all there */
	host->settled = beat;
	return TOTUM_OK;
}

/*
 * A root whose slot is there already is ahead: what it has published since may be fetched, whose
 * misses would follow each other else.  From one that is not, a line would be taken too early.
 */
static inline void fetch_coming(const struct tt_host *host, const struct tt_task *task,
				uint32_t beat)
{
	if (task->meeting != TT_MEET_ROOT || host->rank == task->root ||
	    !tt_host_arrived(tt_host_slot(host, task->root, beat), beat))
		return;
	__builtin_prefetch(tt_host_slot(host, task->root, beat + FETCH));
}

/* One beat: waits for each slot and takes it, then moves on. */
static totum_status go_in_turn(struct tt_host *host, struct tt_task *task, bool block)
{
	uint32_t beat = host->beat;

	fetch_coming(host, task, beat);
	for (; task->taken < host->nranks; task->taken++) {
		int peer = tt_host_peer(host, task->taken);
		if (!meets(host, task, peer))
			continue;
		totum_status status = wait_for(host, task, peer, beat, block);
		if (!status)
			status = take(host, task, peer, beat);
		if (status)
			return status;
	}
	if (task->meeting == TT_MEET_ALL ||
	    (task->meeting == TT_MEET_AT_ROOT && host->rank == task->root)) {
		totum_status status = met_all(host, beat);
		if (status)
			return status;
	}
	if (task->kind->combine)
		task->kind->combine(host, task);
	task->done = !task->kind->next(host, task);
	task->published = false;
	return TOTUM_OK;
}

/* One beat: waits for all slots, fills and publishes the next beat, and then takes this one. */
static totum_status go_ahead(struct tt_host *host, struct tt_task *task, bool block)
{
	uint32_t beat = host->beat;

	for (; task->met < host->nranks; task->met++) {
		totum_status status = wait_for(host, task, tt_host_peer(host, task->met), beat, block);
		if (status)
			return status;
	}
	totum_status status = met_all(host, beat);
	if (status)
		return status;
	task->done = !task->kind->next(host, task);
	if (!task->done)
		fill(host, task);
	for (; task->taken < host->nranks; task->taken++) {
		status = take(host, task, tt_host_peer(host, task->taken), beat);
		if (status)
			return status;
	}
	if (task->kind->combine)
		task->kind->combine(host, task);
	return TOTUM_OK;
}

totum_status tt_task_go(struct tt_host *host, struct tt_task *task, bool block)
{
	do {
		totum_status status = TOTUM_OK;
		task->took = task->at;
		if (!task->published)
			status = publish(host, task, block);
		if (!status)
			status = task->ahead ? go_ahead(host, task, block)
					     : go_in_turn(host, task, block);
		if (status)
			return status == TT_NOT_YET ? TOTUM_OK : status;
		task->taken = task->met = 0;
		task->since = 0;
		task->taking++;
	} while (!task->done);
	tt_host_show_wait(host, -1); /* of tt_task_pause */
	return TOTUM_OK;
}

void tt_task_pause(struct tt_host *host, uint64_t since)
{
	if (!tt_host_patience(host, since, tt_clock_ns()))
		return;
	for (int peer = 0; peer < host->nranks; peer++)
		if (tt_host_lacks(host, peer)) {
			tt_host_sleep_for(host, peer, host->awaited);
			return;
		}
}

bool tt_task_has(const struct tt_host *host, const struct tt_task *task, int rank)
{
	size_t size = tt_size_of(task, rank);
	int order = rank >= host->rank ? rank - host->rank : rank - host->rank + host->nranks;
	bool taken = order < task->taken;

	if (task->offers && host->offered[rank])
		return true;
	return (taken || task->taking > 0) && task->took + (taken ? host->stage : 0) >= size;
}
