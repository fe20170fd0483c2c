/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheduled_blocks - which schedule carries an operation, and where its blocks lie.
 *
 * Of a gather-v, scatter-v or all-to-all-v a rank knows the lengths of its own blocks alone: the
 * direct schedules move no others, so that the rest may be anything and are given as empty.
 */
#include "host/widen.h"
#include "runtime/scheduled_parts.h"

enum { FEW = 16 << 10 /* bytes of all contributions together */ };

/* The collective whose schedule carries an operation; TT_COLLECTIVES for none. */
static enum tt_collective collective_of_operation(enum tt_operation operation)
{
	switch (operation) {
	case TT_OP_ALLGATHER:
	case TT_OP_ALLGATHERV:
	case TT_OP_BARRIER:
	case TT_OP_SPLIT:
	case TT_OP_WINDOW:
	case TT_OP_GATHER_INTO_WINDOW:
	case TT_OP_RESCUE:
		return TT_ALLGATHER;
	case TT_OP_REDUCE_SCATTER:
	case TT_OP_REDUCE_SCATTERV:
		return TT_REDUCE_SCATTER;
	case TT_OP_ALLREDUCE:
		return TT_ALLREDUCE;
	case TT_OP_BROADCAST:
		return TT_BROADCAST;
	case TT_OP_REDUCE:
		return TT_REDUCE;
	case TT_OP_GATHER:
	case TT_OP_GATHERV:
		return TT_GATHER;
	case TT_OP_SCATTER:
	case TT_OP_SCATTERV:
		return TT_SCATTER;
	case TT_OP_ALLTOALL:
	case TT_OP_ALLTOALLV:
		return TT_ALLTOALL;
	default:
		return TT_COLLECTIVES;
	}
}

/* Those that a forced algorithm leaves alone. */
static bool goes_its_own_way(enum tt_operation operation)
{
	switch (operation) {
	case TT_OP_BARRIER:
	case TT_OP_SPLIT:
	case TT_OP_WINDOW:
	case TT_OP_GATHER_INTO_WINDOW:
	case TT_OP_RESCUE:
	case TT_OP_REDUCE_SCATTERV:
	case TT_OP_GATHERV:
	case TT_OP_SCATTERV:
	case TT_OP_ALLTOALLV:
		return true;
	default:
		return false;
	}
}

/* Bytes of the call's own type that all blocks hold together, but for an all-gather's. */
static size_t bytes_of_all(const totum_comm *comm, const struct tt_work *work)
{
	size_t bytes = work->task.bytes, n = (size_t)comm->nranks, all = 0;

	switch (collective_of_operation(tt_call_operation(&work->task.call))) {
	case TT_ALLREDUCE:
	case TT_REDUCE:
	case TT_BROADCAST: /* counts all blocks together */
		return bytes;
	case TT_REDUCE_SCATTER:
		if (!work->task.sizes)
			break;
		for (int rank = 0; rank < comm->nranks; rank++)
			all += work->task.sizes[rank];
		return all;
	case TT_ALLTOALL:
		return bytes * n * n;
	default:
		break;
	}
	return bytes * n;
}

uint32_t tt_scheduled_tag(const totum_comm *comm, enum tt_operation operation)
{
	enum tt_collective collective = collective_of_operation(operation);

	if (collective == TT_COLLECTIVES)
		return 0;
	if (comm->spread && comm->rank_order && tt_reduces(collective))
		return TT_RANK_ORDER;
	return !goes_its_own_way(operation) && (comm->algo_serves >> collective & 1)
		       ? comm->algo_tag
		       : 0;
}

/*
 * Few bytes reach everybody sooner than their sum does, which takes two ways; and whoever has all
 * contributions can fold them in rank order.
 */
size_t tt_scheduled_whole(const totum_comm *comm, const struct tt_work *work)
{
	enum tt_operation operation = tt_call_operation(&work->task.call);
	size_t n = (size_t)comm->nranks, bytes = bytes_of_all(comm, work);

	if (!comm->spread || !tt_reduces(collective_of_operation(operation)))
		return 0;
	if (work->task.call.algorithm == TT_RANK_ORDER)
		return bytes;
	return !work->task.call.algorithm && operation == TT_OP_ALLREDUCE && bytes * n <= FEW
		       ? bytes
		       : 0;
}

enum tt_collective tt_scheduled_collective(const struct tt_work *work)
{
	return work->whole ? TT_ALLGATHER : collective_of_operation(tt_call_operation(&work->task.call));
}

totum_dtype tt_scheduled_dtype(const struct tt_work *work)
{
	return tt_reduces(tt_scheduled_collective(work))
		       ? tt_widen_dtype(work->task.dtype, work->task.op)
		       : work->task.dtype;
}

/*
 * Also a call about nothing, so that it does not pass unnoticed where others call about something.
 * Only of a v-form's blocks does not everybody know that there are none.
 */
bool tt_scheduled_only_meets(const totum_comm *comm, const struct tt_work *work)
{
	const struct tt_task *task = &work->task;

	if (task->bytes || task->call.kind & TT_CALL_LOCAL)
		return false;
	for (int rank = 0; task->sizes && rank < comm->nranks; rank++)
		if (task->sizes[rank])
			return false;
	return true;
}

/* The partial sums of an all-reduce can lie in recv when they need no last step. */
static bool sums_in_recv(const struct tt_work *work)
{
	totum_op op = work->task.op;

	return tt_scheduled_collective(work) == TT_ALLREDUCE &&
	       tt_scheduled_dtype(work) == work->task.dtype && op != TOTUM_AVG &&
	       op != TOTUM_LAND && op != TOTUM_LOR && op != TOTUM_LXOR;
}

static bool is_direct(const char *algorithm)
{
	return !strcmp(algorithm, "direct") || !strcmp(algorithm, "pairwise");
}

enum tt_workplace tt_scheduled_workplace(const totum_comm *comm, const struct tt_work *work,
					 const char *algorithm)
{
	if (work->whole || tt_scheduled_only_meets(comm, work))
		return TT_IN_SCRATCH;
	switch (tt_scheduled_collective(work)) {
	case TT_ALLGATHER:
	case TT_BROADCAST:
		return TT_IN_RECV;
	case TT_ALLREDUCE:
		return sums_in_recv(work) ? TT_IN_RECV : TT_IN_SCRATCH;
	case TT_GATHER:
	case TT_SCATTER:
	case TT_ALLTOALL:
		return is_direct(algorithm) ? TT_IN_BOTH : TT_IN_SCRATCH;
	default:
		return TT_IN_SCRATCH;
	}
}

size_t tt_scheduled_nblocks(const totum_comm *comm, const struct tt_work *work)
{
	size_t n = (size_t)comm->nranks;

	return tt_scheduled_collective(work) == TT_ALLTOALL ? n * n : n;
}

size_t tt_scheduled_size(const struct tt_work *work, int rank)
{
	if (work->whole)
		return work->whole;
	return tt_size_of(&work->task, rank);
}

size_t tt_scheduled_place(const struct tt_work *work, int rank)
{
	if (work->whole)
		return (size_t)rank * work->whole;
	return tt_place_of(&work->task, rank);
}

size_t tt_scheduled_bytes_of(const totum_comm *comm, const struct tt_work *work)
{
	if (tt_scheduled_only_meets(comm, work))
		return (size_t)comm->nranks;
	if (work->whole)
		return (size_t)comm->nranks * work->whole;
	return bytes_of_all(comm, work) / totum_dtype_size(work->task.dtype) *
	       totum_dtype_size(tt_scheduled_dtype(work));
}

static void put(uint64_t *blocks, size_t n, size_t block, uint64_t offset, uint64_t length)
{
	blocks[block] = offset;
	blocks[n + block] = length;
}

/* Shards where they lie, in the type that travels. */
static void lay_out_shards(const struct tt_work *work, size_t n, uint64_t *blocks)
{
	size_t own = totum_dtype_size(work->task.dtype),
	       travels = totum_dtype_size(tt_scheduled_dtype(work));

	for (size_t rank = 0; rank < n; rank++)
		put(blocks, n, rank, tt_scheduled_place(work, (int)rank) / own * travels,
		    tt_scheduled_size(work, (int)rank) / own * travels);
}

/* The blocks that this rank sends or gets, in the caller's buffers; the others are empty. */
static void lay_out_both(const totum_comm *comm, const struct tt_work *work, uint64_t *blocks)
{
	const struct tt_task *task = &work->task;
	size_t n = (size_t)comm->nranks, rank = (size_t)comm->rank,
	       nblocks = tt_scheduled_nblocks(comm, work);
	enum tt_collective collective = tt_scheduled_collective(work);
	bool root = comm->rank == task->root;

	memset(blocks, 0, 2 * nblocks * sizeof *blocks);
	if (collective != TT_ALLTOALL && !root) {
		put(blocks, nblocks, rank, collective == TT_SCATTER ? TT_DIVIDE : 0, task->bytes);
		return;
	}
	for (size_t peer = 0; peer < n; peer++) {
		size_t size = tt_scheduled_size(work, (int)peer),
		       place = tt_scheduled_place(work, (int)peer);
		if (peer == rank)
			continue;
		if (collective == TT_GATHER)
			put(blocks, nblocks, peer, TT_DIVIDE + place, size);
		else if (collective == TT_SCATTER)
			put(blocks, nblocks, peer, place, size);
		else
			put(blocks, nblocks, rank * n + peer, place, size);
		if (collective == TT_ALLTOALL)
			put(blocks, nblocks, peer * n + rank,
			    TT_DIVIDE + (task->from_places ? task->from_places[peer] : place),
			    task->from_sizes ? task->from_sizes[peer] : size);
	}
}

/* The buffer in nearly equal parts. */
static void lay_out_parts(const totum_comm *comm, const struct tt_work *work, uint64_t *blocks)
{
	size_t n = tt_scheduled_nblocks(comm, work),
	       element = tt_scheduled_only_meets(comm, work)
				 ? 1
				 : totum_dtype_size(tt_scheduled_dtype(work));
	size_t count = tt_scheduled_bytes_of(comm, work) / element, each = count / n,
	       more = count % n, at = 0;

	for (size_t rank = 0; rank < n; rank++) {
		put(blocks, n, rank, at * element, (each + (rank < more)) * element);
		at += each + (rank < more);
	}
}

void tt_scheduled_lay_out(const totum_comm *comm, const struct tt_work *work,
			  enum tt_workplace workplace, uint64_t *blocks)
{
	enum tt_collective collective = tt_scheduled_collective(work);

	bool shards = collective == TT_ALLGATHER ||
		      (collective == TT_REDUCE_SCATTER && work->task.sizes);

	if (workplace == TT_IN_BOTH)
		lay_out_both(comm, work, blocks);
	else if (shards && !tt_scheduled_only_meets(comm, work))
		lay_out_shards(work, (size_t)comm->nranks, blocks);
	else
		lay_out_parts(comm, work, blocks);
}
