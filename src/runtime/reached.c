/* SPDX-License-Identifier: BSD-3-Clause */
/* reached - the note that a call leaves when its communicator fails in it. */
#include "runtime/reached.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "host/reached.h"
#include "runtime/bundle.h"
#include "runtime/scheduled.h"

uint64_t tt_reached_places(const totum_comm *comm, const struct tt_work *work)
{
	const size_t *places = work->task.places;

	return places ? XXH3_64bits(places, (size_t)comm->nranks * sizeof *places) : 0;
}

/* A message may have failed before: then the recorder has not counted the call. */
static uint64_t number_of(const struct tt_recorder *recorder)
{
	return recorder ? recorder->calls + (recorder->after > 0) : 0;
}

void tt_reached_note(totum_comm *comm, struct tt_work *work, totum_status status)
{
	size_t bytes = sizeof(struct tt_reached) + tt_ranks_bytes(comm->nranks);
	struct tt_task *task = work->bundle ? &work->bundle->task : &work->task;
	enum tt_operation operation = tt_call_operation(&task->call);
	char sentence[1024];

	/* acquire: pairs with the release in tt_host_fail */
	if (comm->reached || !atomic_load_explicit(&comm->host.head->failed, memory_order_acquire))
		return;
	comm->reached = calloc(1, bytes);
	if (!comm->reached) /* then nothing of the call can be proved to be here */
		return;
	comm->reached->call = task->call;
	comm->reached->number = number_of(comm->recorder);
	if (operation != TT_OP_ALLGATHER && operation != TT_OP_ALLGATHERV)
		return;
	snprintf(sentence, sizeof sentence, "%s", totum_errmsg());
	comm->reached->recv = task->recv;
	comm->reached->places = tt_reached_places(comm, work);
	if (task->call.algorithm || comm->spread)
		tt_scheduled_reached(comm, work, comm->reached->blocks);
	else
		tt_task_reached(&comm->host, task, comm->reached->blocks);
	tt_fail(status, "%s", sentence);
}
