/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rescue - survivors give each other what a failed all-gather has brought some of them.
 *
 * Two small all-gathers over the survivors tell everybody which call each means, and whose blocks
 * each has.  The rest follows from that, on all of them alike: their own shards go by one
 * all-gather, unless all have all of them; a lost rank's block goes by a broadcast from one who has
 * it, where not all do.  Those who have a block may get it once more, the same bytes.
 *
 * Who has got something is noted at once, so that a rescue in which another rank dies can be made
 * again by those who are left.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "host/reached.h"
#include "runtime/reached.h"
#include "runtime/rescue_parts.h"

static size_t size_of(const struct tt_rescue *rescue, int rank)
{
	return tt_size_of(&rescue->call->task, rank);
}

static size_t place_of(const struct tt_rescue *rescue, int rank)
{
	return tt_place_of(&rescue->call->task, rank);
}

static totum_status gather(totum_comm *comm, const void *mine, void *all, size_t bytes)
{
	struct tt_work work;

	tt_work_init(&work, comm, TT_OP_RESCUE, TOTUM_U8);
	work.task.call.count = bytes;
	return tt_work_exchange(comm, &work, mine, all, bytes);
}

/* The block has come: in this rescue, and for one that follows. */
static void note(struct tt_rescue *rescue, int rank)
{
	struct tt_reached *reached = rescue->broken->reached;
	int64_t number = tt_rescue_recorded(rescue, rescue->claims[0].number);

	tt_ranks_add(rescue->mine, rank);
	if (reached && (int64_t)reached->number == number)
		tt_ranks_add(reached->blocks, rank);
}

static bool has(const struct tt_rescue *rescue, int survivor, int rank)
{
	return tt_ranks_has(rescue->all + (size_t)survivor * rescue->row, rank);
}

/* How many of the survivors have rank's block. */
static int count_holders(const struct tt_rescue *rescue, int rank)
{
	int holders = 0;

	for (int i = 0; i < rescue->n; i++)
		holders += has(rescue, i, rank);
	return holders;
}

/* --- the survivors' own shards --------------------------------------------------------------- */

static bool all_have_own(const struct tt_rescue *rescue)
{
	for (int i = 0; i < rescue->n; i++)
		if (count_holders(rescue, rescue->claims[i].rank) < rescue->n)
			return false;
	return true;
}

/* sizes has room for 2 n: the sizes and the places of the survivors' shards. */
static totum_status gather_own(struct tt_rescue *rescue, size_t *sizes)
{
	totum_comm *comm = rescue->survivors;
	size_t *places = sizes + rescue->n;
	struct tt_work work;

	tt_work_init(&work, comm, TT_OP_RESCUE, TOTUM_U8);
	for (int i = 0; i < rescue->n; i++) {
		sizes[i] = size_of(rescue, rescue->claims[i].rank);
		places[i] = place_of(rescue, rescue->claims[i].rank);
		work.task.call.count += sizes[i];
	}
	if (!work.task.call.count)
		return TOTUM_OK;
	work.task.call.sizes = XXH3_64bits(sizes, (size_t)rescue->n * sizeof *sizes);
	work.task.sizes = sizes;
	work.task.places = places;
	work.task.recv = rescue->call->task.recv;
	work.task.send = work.task.recv + places[comm->rank];
	return tt_work_run(comm, &work);
}

static totum_status share_own(struct tt_rescue *rescue)
{
	totum_comm *comm = rescue->survivors;

	if (all_have_own(rescue))
		return TOTUM_OK;
	size_t bytes = 2 * (size_t)rescue->n * sizeof(size_t), *sizes = malloc(bytes);
	if (!sizes)
		return tt_host_fail(&comm->host, TOTUM_EMEMORY, comm->rank,
				    "rank %d has no memory for a rescue", comm->rank);
	totum_status status = gather_own(rescue, sizes);
	free(sizes);
	for (int i = 0; i < rescue->n && !status; i++)
		note(rescue, rescue->claims[i].rank);
	return status;
}

/* --- the lost ranks' shards ------------------------------------------------------------------ */

/* One of those who have rank's block: another one for another block. */
static int pick_holder(const struct tt_rescue *rescue, int rank, int holders)
{
	int skip = rank % holders, i = 0;

	while (!has(rescue, i, rank) || skip-- > 0)
		i++;
	return i;
}

static totum_status spread_block(struct tt_rescue *rescue, int rank, int holder)
{
	totum_comm *comm = rescue->survivors;
	unsigned char *at = rescue->call->task.recv + place_of(rescue, rank);
	size_t bytes = size_of(rescue, rank);
	struct tt_work work;

	tt_work_init(&work, comm, TT_OP_BROADCAST, TOTUM_U8);
	work.task.call.kind |= (uint32_t)holder << 16;
	work.task.call.count = bytes;
	work.task.send = work.task.recv = at;
	work.task.bytes = bytes;
	work.task.root = holder;
	return tt_work_run(comm, &work);
}

static totum_status share_lost(struct tt_rescue *rescue)
{
	totum_status status = TOTUM_OK;

	for (int rank = 0; rank < rescue->broken->nranks && !status; rank++) {
		if (rescue->place[rank] >= 0)
			continue;
		int holders = count_holders(rescue, rank);
		if (!holders || holders == rescue->n)
			continue;
		status = spread_block(rescue, rank, pick_holder(rescue, rank, holders));
		if (!status)
			note(rescue, rank);
	}
	return status;
}

/* --- the whole ------------------------------------------------------------------------------- */

/* The result: whose blocks are here, and the failure when some are nowhere. */
static totum_status tell(const struct tt_rescue *rescue, unsigned char *here)
{
	char list[256] = "", call[TT_CALL_TEXT];
	size_t at = 0;
	int lost = 0;

	for (int rank = 0; rank < rescue->broken->nranks; rank++) {
		bool got = tt_ranks_has(rescue->mine, rank);
		if (here)
			here[rank] = got;
		if (got)
			continue;
		if (at + 32 < sizeof list)
			at += (size_t)snprintf(list + at, sizeof list - at, "%s%d",
					       lost ? ", " : "", rank);
		else if (list[at - 1] != '.')
			at += (size_t)snprintf(list + at, sizeof list - at, " ...");
		lost++;
	}
	if (!lost)
		return TOTUM_OK;
	return tt_fail(TOTUM_ELOST,
		       "the shard%s of %d lost rank%s, rank %s, in call %" PRId64
		       ", %s, reached no "
		       "survivor; recv holds all the others",
		       lost > 1 ? "s" : "", lost, lost > 1 ? "s" : "", list,
		       rescue->claims[0].number, tt_call_describe(&rescue->call->task.call, call));
}

static void put_own(struct tt_rescue *rescue)
{
	const struct tt_task *task = &rescue->call->task;
	int rank = rescue->broken->rank;
	size_t bytes = size_of(rescue, rank);
	unsigned char *to = bytes ? task->recv + place_of(rescue, rank) : NULL;

	if (bytes && !rescue->completed && to != task->send)
		memcpy(to, task->send, bytes);
	tt_ranks_add(rescue->mine, rank);
}

static totum_status run(struct tt_rescue *rescue, int *back, unsigned char *here)
{
	struct tt_claim mine = tt_rescue_claim(rescue, *back);
	char why[512] = "";

	if (mine.status)
		snprintf(why, sizeof why, "%s", totum_errmsg());
	totum_status status = gather(rescue->survivors, &mine, rescue->claims, sizeof mine);
	if (!status)
		status = tt_rescue_judge(rescue, back, why);
	if (status)
		return status;
	put_own(rescue);
	status = gather(rescue->survivors, rescue->mine, rescue->all, rescue->row);
	if (!status)
		status = share_own(rescue);
	if (!status)
		status = share_lost(rescue);
	return status ? status : tell(rescue, here);
}

totum_status tt_rescue(totum_comm *broken, totum_comm *survivors, const struct tt_work *call,
		       int *back, unsigned char *here)
{
	struct tt_rescue rescue = {.broken = broken,
				   .survivors = survivors,
				   .call = call,
				   .n = survivors->nranks,
				   .row = tt_ranks_bytes(broken->nranks)};
	size_t n = (size_t)rescue.n;
	totum_status status;

	rescue.claims = malloc(n * sizeof *rescue.claims);
	rescue.place = malloc((size_t)broken->nranks * sizeof *rescue.place);
	rescue.mine = calloc(1, rescue.row);
	rescue.all = malloc(n * rescue.row);
	if (rescue.claims && rescue.place && rescue.mine && rescue.all)
		status = run(&rescue, back, here);
	else /* the others wait for this rank */
		status = tt_host_fail(&survivors->host, TOTUM_EMEMORY, survivors->rank,
				      "rank %d has no memory for a rescue", survivors->rank);
	free(rescue.claims);
	free(rescue.place);
	free(rescue.mine);
	free(rescue.all);
	return status;
}
