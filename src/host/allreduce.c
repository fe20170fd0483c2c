/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * allreduce - all-reduce and reduce on one host, in rank order.
 *
 * Small, or between two ranks: everyone stages everything, chunk by chunk, and whoever wants the
 * result reduces everything.  Else a rank reduces a part of every chunk.  A beat carries the
 * contributions to one chunk and, behind them, this rank's reduced part of the chunk before, so
 * that k chunks take k+1 beats.  A reduce is the same, but that only the root copies the parts out.
 *
 * In place is safe: the contributions to a chunk are staged a beat before its result is written,
 * and a rank reads its own where they lie, before that.
 *
 * A large vector in shared memory that is not overwritten is offered instead of staged.  Reduced as
 * a whole, its owner is held by a last beat until all have read it; reduced in parts, all have by
 * the beat of the last results.
 */
#include "host/inputs.h"
#include "host/kinds.h"
#include "host/offer.h"
#include "host/reduce.h"

enum { WHOLE = 2048 /* bytes up to which everyone reduces everything */ };

bool tt_allreduce_is_whole(const struct tt_host *host, const struct tt_task *task)
{
	return task->bytes <= WHOLE || host->nranks <= 2;
}

static bool gets_result(const struct tt_host *host, const struct tt_task *task)
{
	return tt_call_operation(&task->call) == TT_OP_ALLREDUCE || host->rank == task->root;
}

/* Bytes of a chunk reduced in parts: contributions and a rank's part fit a stage together. */
static size_t chunk_bytes(const struct tt_host *host)
{
	return tt_stage_cut(host->stage - host->stage / (size_t)(host->nranks + 1) - TT_LINE);
}

/* The line-aligned part [first, end) of a chunk of `bytes` that a rank reduces. */
static size_t part_first(size_t bytes, int rank, int nranks)
{
	size_t lines = (bytes + TT_LINE - 1) / TT_LINE, r = (size_t)rank, n = (size_t)nranks;
	size_t at = (lines / n * r + (lines % n < r ? lines % n : r)) * TT_LINE;

	return tt_least(at, bytes);
}

static size_t part_bytes(size_t bytes, int rank, int nranks)
{
	return part_first(bytes, rank + 1, nranks) - part_first(bytes, rank, nranks);
}

/* --- everyone reduces everything ------------------------------------------------------------- */

static const struct tt_task_kind whole, whole_offered;

static void whole_begin(const struct tt_host *host, struct tt_task *task)
{
	bool all = tt_call_operation(&task->call) == TT_OP_ALLREDUCE;

	task->streams = task->bytes >= host->stream_from;
	task->meeting = all ? TT_MEET_ALL : TT_MEET_AT_ROOT;
	task->small = task->bytes <= tt_inline(task) || !(all || host->rank != task->root);
	task->longest = task->bytes;
	if (all && task->bytes >= host->offer_from)
		tt_offers_begin(host, task);
	task->kind = task->offers ? &whole_offered : &whole;
	task->ahead = all && !task->offers && task->bytes > host->stage;
}

/* Offers the vector where it can be: in place, it would be written over while a peer reads it. */
static bool offers_input(struct tt_host *host, struct tt_task *task, struct tt_slot *slot)
{
	return task->offers &&
	       tt_offer(host, task, slot, task->recv == task->send ? NULL : task->send, task->bytes,
			TT_READ_IN_PLACE);
}

static void whole_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot,
		       unsigned char *stage)
{
	size_t now = tt_part(task->bytes, task->at, host->stage);
	const unsigned char *from = task->send + task->at;

	if (offers_input(host, task, slot))
		return;
	if (task->meeting == TT_MEET_ALL)
		tt_stage_put(host, slot, stage, from, now, tt_inline(task));
	else if (host->rank != task->root)
		tt_stage_put_away(host, slot, stage, from, now, tt_inline(task));
}

static totum_status whole_take(struct tt_host *host, struct tt_task *task, int peer,
			       struct tt_slot *slot, unsigned char *stage)
{
	(void)stage;
	return tt_take_input(host, task, peer, slot, task->bytes);
}

static void whole_combine(struct tt_host *host, struct tt_task *task)
{
	size_t now = tt_offers_part(task, task->bytes, host->stage);
	size_t size = totum_dtype_size(task->dtype);
	size_t step = task->streams ? (size_t)TT_SCRATCH : now;
	const unsigned char *own = task->send + task->took;
	uint32_t beat = tt_taken_beat(host, task);

	if (!gets_result(host, task))
		return;
	for (size_t at = 0; at < now; at += step) {
		size_t bytes = tt_least(step, now - at);
		unsigned char *to = task->recv + task->took + at;
		unsigned char *out = task->streams ? host->scratch : to;
		const void **inputs = tt_inputs_put(host, task, beat, now, at, own + at);

		tt_inputs_mapped(host, task, task->took + at);
		tt_reduce(out, inputs, host->nranks, bytes / size, task->dtype, task->op);
		if (out != to)
			tt_copy_streaming(to, out, bytes);
	}
}

static bool whole_next(struct tt_host *host, struct tt_task *task)
{
	if (task->offers)
		return tt_offers_next(task, host->stage);
	task->at += host->stage;
	return task->at < task->bytes;
}

static const struct tt_task_kind whole = {whole_begin, whole_fill, NULL, whole_combine, whole_next};
static const struct tt_task_kind whole_offered = {whole_begin, whole_fill, whole_take,
						  whole_combine, whole_next};

/* --- everyone reduces a part ----------------------------------------------------------------- */

/* Bytes of the chunk before the one at `at`. */
static size_t before(const struct tt_host *host, const struct tt_task *task, size_t at)
{
	return at ? tt_part(task->bytes, at - chunk_bytes(host), chunk_bytes(host)) : 0;
}

static void parts_begin(const struct tt_host *host, struct tt_task *task)
{
	task->streams = task->bytes >= host->stream_from;
	task->small = false;
	task->ahead = true;
	task->longest = task->bytes;
	if (task->bytes >= host->offer_from)
		tt_offers_begin(host, task);
}

/* What the ranks have offered in the first beat, which all have published. */
static void map_offers(struct tt_host *host, struct tt_task *task)
{
	for (int peer = 0; peer < host->nranks; peer++)
		if (tt_map_offer(host, task, peer, tt_host_slot(host, peer, host->beat - 1),
				 task->bytes))
			return; /* which parts_take finds */
}

/*
 * Reduces this rank's part, `bytes` from `first` on, of the chunk of the beat before, whose
 * contributions all have published.
 */
static void reduce_part(struct tt_host *host, struct tt_task *task, size_t first, size_t bytes,
			unsigned char *to)
{
	const unsigned char *own = task->send + task->at - chunk_bytes(host) + first;
	size_t size = totum_dtype_size(task->dtype);
	/* by way of the scratch where it goes past the cache; where not all stage, only this copy
	 * may tell whether it should */
	bool away = task->offered || tt_away_streams(&host->meets, bytes);
	size_t step = away ? (size_t)TT_SCRATCH : bytes;

	for (size_t at = 0; at < bytes; at += step) {
		size_t now = tt_least(step, bytes - at);
		unsigned char *out = away ? host->scratch : to;
		const void **inputs =
			tt_inputs_put(host, task, host->beat - 1, SIZE_MAX, first + at, own + at);

		tt_inputs_mapped(host, task, task->at - chunk_bytes(host) + first + at);
		tt_reduce(out, inputs, host->nranks, now / size, task->dtype, task->op);
		if (away)
			tt_copy_away(&host->meets, to + at, out, now);
	}
}

static void parts_fill(struct tt_host *host, struct tt_task *task, struct tt_slot *slot,
		       unsigned char *stage)
{
	size_t chunk = chunk_bytes(host), now = tt_part(task->bytes, task->at, chunk);
	size_t last = before(host, task, task->at);
	size_t part = part_bytes(last, host->rank, host->nranks);

	if (task->offers && task->step == 1)
		map_offers(host, task);
	if (part)
		reduce_part(host, task, part_first(last, host->rank, host->nranks), part,
			    stage + chunk + TT_LINE);
	if (offers_input(host, task, slot))
		return;
	/* all but the own part, which nobody else reads */
	const unsigned char *from = task->send + task->at;
	size_t first = part_first(now, host->rank, host->nranks);
	size_t end = first + part_bytes(now, host->rank, host->nranks);
	unsigned char *to = stage + tt_stage_shift(slot, stage, from);

	if (first)
		tt_copy_away(&host->meets, to, from, first);
	if (now > end)
		tt_copy_away(&host->meets, to + end, from + end, now - end);
}

static totum_status parts_take(struct tt_host *host, struct tt_task *task, int peer,
			       struct tt_slot *slot, unsigned char *stage)
{
	size_t chunk = chunk_bytes(host), last = before(host, task, task->took);
	size_t first = part_first(last, peer, host->nranks);
	size_t part = part_bytes(last, peer, host->nranks);

	(void)slot;
	if (part && gets_result(host, task))
		tt_put(task, task->recv + task->took - chunk + first, stage + chunk + TT_LINE,
		       part);
	/* what the peer has reduced may be of a buffer that its owner had taken back */
	return task->offered ? tt_offers_check(host) : TOTUM_OK;
}

/* One beat more than there are chunks: the parts of the last one. */
static bool parts_next(struct tt_host *host, struct tt_task *task)
{
	bool more = task->at < task->bytes;

	task->at += chunk_bytes(host);
	return more;
}

static const struct tt_task_kind parts = {parts_begin, parts_fill, parts_take, NULL, parts_next};

/* --- the choice ------------------------------------------------------------------------------ */

static void allreduce_begin(const struct tt_host *host, struct tt_task *task)
{
	task->kind = tt_allreduce_is_whole(host, task) ? &whole : &parts;
	task->kind->begin(host, task);
}

const struct tt_task_kind tt_kind_allreduce = {.begin = allreduce_begin};

struct tt_traffic tt_allreduce_traffic(const struct tt_host *host, const struct tt_task *task)
{
	uint64_t peers = (uint64_t)host->nranks - 1;
	bool all = tt_call_operation(&task->call) == TT_OP_ALLREDUCE;
	bool root = host->rank == task->root;

	/* whoever gets the result of a whole one reads everything from everybody */
	if (tt_allreduce_is_whole(host, task))
		return (struct tt_traffic){task->bytes * (uint64_t)(all ? peers : !root),
					   gets_result(host, task) ? task->bytes * peers : 0};
	size_t chunk = chunk_bytes(host);
	uint64_t own = task->bytes / chunk * part_bytes(chunk, host->rank, host->nranks) +
		       part_bytes(task->bytes % chunk, host->rank, host->nranks);
	return (struct tt_traffic){task->bytes - own + own * (uint64_t)(all ? peers : !root),
				   own * peers + (gets_result(host, task) ? task->bytes - own : 0)};
}
