/* SPDX-License-Identifier: BSD-3-Clause */
/* bench_formula - one row a collective, and the arithmetic on it. */
#include "bench_formula.h"

#include <string.h>

static totum_status call_allgather(const struct bench_call *c)
{
	return totum_allgather(c->send, c->recv, c->count, c->dtype, c->comm);
}

static totum_status call_reduce_scatter(const struct bench_call *c)
{
	return totum_reduce_scatter(c->send, c->recv, c->count, c->dtype, c->op, c->comm);
}

static totum_status call_allreduce(const struct bench_call *c)
{
	return totum_allreduce(c->send, c->recv, c->count, c->dtype, c->op, c->comm);
}

static totum_status call_broadcast(const struct bench_call *c)
{
	return totum_broadcast(c->send, c->recv, c->count, c->dtype, c->root, c->comm);
}

static totum_status call_reduce(const struct bench_call *c)
{
	return totum_reduce(c->send, c->recv, c->count, c->dtype, c->op, c->root, c->comm);
}

static totum_status call_gather(const struct bench_call *c)
{
	return totum_gather(c->send, c->recv, c->count, c->dtype, c->root, c->comm);
}

static totum_status call_scatter(const struct bench_call *c)
{
	return totum_scatter(c->send, c->recv, c->count, c->dtype, c->root, c->comm);
}

static totum_status call_alltoall(const struct bench_call *c)
{
	return totum_alltoall(c->send, c->recv, c->count, c->dtype, c->comm);
}

static totum_status call_barrier(const struct bench_call *c)
{
	return totum_barrier(c->comm);
}

const struct bench_formula bench_formulas[] = {
	{.name = "allgather",
	 .send = BENCH_ALL_ONE,
	 .recv = BENCH_ALL_WHOLE,
	 .busy = 1,
	 .others_only = true,
	 .forced = true,
	 .call = call_allgather},
	{.name = "reduce_scatter",
	 .reduces = true,
	 .send = BENCH_ALL_WHOLE,
	 .recv = BENCH_ALL_ONE,
	 .busy = 1,
	 .others_only = true,
	 .forced = true,
	 .call = call_reduce_scatter},
	{.name = "allreduce",
	 .reduces = true,
	 .send = BENCH_ALL_ONE,
	 .recv = BENCH_ALL_ONE,
	 .busy = 2,
	 .others_only = true,
	 .forced = true,
	 .call = call_allreduce},
	{.name = "broadcast",
	 .rooted = true,
	 .send = BENCH_ROOT_ONE,
	 .recv = BENCH_ALL_ONE,
	 .busy = 1,
	 .forced = true,
	 .call = call_broadcast},
	{.name = "reduce",
	 .reduces = true,
	 .rooted = true,
	 .send = BENCH_ALL_ONE,
	 .recv = BENCH_ROOT_ONE,
	 .busy = 1,
	 .call = call_reduce},
	{.name = "gather",
	 .rooted = true,
	 .send = BENCH_ALL_ONE,
	 .recv = BENCH_ROOT_WHOLE,
	 .busy = 1,
	 .others_only = true,
	 .call = call_gather},
	{.name = "scatter",
	 .rooted = true,
	 .send = BENCH_ROOT_WHOLE,
	 .recv = BENCH_ALL_ONE,
	 .busy = 1,
	 .others_only = true,
	 .call = call_scatter},
	{.name = "alltoall",
	 .send = BENCH_ALL_WHOLE,
	 .recv = BENCH_ALL_WHOLE,
	 .busy = 1,
	 .others_only = true,
	 .call = call_alltoall},
	{.name = "barrier", .call = call_barrier},
	{0},
};

const struct bench_formula *bench_formula_find(const char *name)
{
	for (const struct bench_formula *formula = bench_formulas; formula->name; formula++)
		if (!strcmp(formula->name, name))
			return formula;
	return NULL;
}

bool bench_moves_nothing(const struct bench_formula *formula)
{
	return formula->send == BENCH_NOBODY;
}

bool bench_reducible(totum_dtype dtype, totum_op op)
{
	bool real = dtype >= TOTUM_F16 && dtype <= TOTUM_F64;

	if (dtype > TOTUM_BOOL)
		return false;
	if (op == TOTUM_AVG)
		return dtype != TOTUM_BOOL;
	return op < TOTUM_AVG || !real;
}

static bool whole(enum bench_side side)
{
	return side == BENCH_ALL_WHOLE || side == BENCH_ROOT_WHOLE;
}

static size_t shards(const struct bench_formula *formula, int nranks)
{
	return whole(formula->send) || whole(formula->recv) ? (size_t)nranks : 1;
}

size_t bench_count(const struct bench_formula *formula, uint64_t bytes, size_t element, int nranks)
{
	size_t count = (size_t)(bytes / element) / shards(formula, nranks);

	if (bench_moves_nothing(formula) || bytes == 0)
		return 0;
	return count ? count : 1;
}

uint64_t bench_total(const struct bench_formula *formula, size_t count, size_t element, int nranks)
{
	return (uint64_t)count * shards(formula, nranks) * element;
}

uint64_t bench_share(const struct bench_formula *formula, size_t count, size_t element)
{
	return bench_moves_nothing(formula) ? 0 : (uint64_t)count * element;
}

size_t bench_elements(enum bench_side side, size_t count, int nranks, bool is_root)
{
	if (side == BENCH_NOBODY ||
	    (!is_root && (side == BENCH_ROOT_ONE || side == BENCH_ROOT_WHOLE)))
		return 0;
	return whole(side) ? count * (size_t)nranks : count;
}

size_t bench_send_offset(const struct bench_formula *formula, size_t count, int rank)
{
	return whole(formula->recv) && !whole(formula->send) ? count * (size_t)rank : 0;
}

size_t bench_recv_offset(const struct bench_formula *formula, size_t count, int rank)
{
	return whole(formula->send) && !whole(formula->recv) ? count * (size_t)rank : 0;
}

double bench_algbw(uint64_t total, double seconds)
{
	return seconds > 0 ? (double)total / seconds : 0;
}

double bench_busbw(const struct bench_formula *formula, uint64_t total, double seconds, int nranks)
{
	double factor = formula->busy;

	if (formula->others_only)
		factor *= (double)(nranks - 1) / nranks;
	return factor * bench_algbw(total, seconds);
}
