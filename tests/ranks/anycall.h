/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * anycall.h - a call of any collective as data: its arguments, its buffers, what it must deliver.
 *
 * Elements are u32 that say whose they are; what must come is computed from the arguments alone, by
 * the definition of each operation.  Sums of u32 wrap and are exact whatever their order.
 */
#ifndef ANYCALL_H
#define ANYCALL_H

#include "ranks/buffers.h"

enum kind {
	ALLGATHER, ALLGATHERV, REDUCE_SCATTER, REDUCE_SCATTERV, ALLREDUCE, REDUCE, BROADCAST,
	GATHER, GATHERV, SCATTER, SCATTERV, ALLTOALL, ALLTOALLV, KINDS
};
enum { EMPTY = 0x5eadbeef };

struct call {
	enum kind kind;
	int root;
	uint32_t salt;
	size_t count;    /* of equal blocks */
	size_t *counts;  /* [n * n]: from rank i to rank j; operations with one array use row 0 */
	size_t *columns; /* [n]: what comes to this rank */
	uint32_t *send, *recv, *want;
	size_t sent, received;
};

static inline uint32_t value(uint32_t salt, int rank, size_t i)
{
	return (uint32_t)mix((uint64_t)salt << 32 ^ (uint64_t)rank << 24 ^ i);
}

static inline size_t sum(const size_t *counts, int n)
{
	size_t total = 0;

	for (int i = 0; i < n; i++)
		total += counts[i];
	return total;
}

static inline uint32_t total_of(uint32_t salt, int n, size_t i)
{
	uint32_t total = 0;

	for (int rank = 0; rank < n; rank++)
		total += value(salt, rank, i);
	return total;
}

/* How many elements this rank sends and receives. */
static inline void measure(struct call *c, int rank, int n)
{
	size_t all = (size_t)n * c->count, *row = c->counts, uneven = sum(row, n);
	bool root = rank == c->root;
	const size_t sent[KINDS] = {
		c->count, row[rank], all, uneven, c->count, c->count, root ? c->count : 0,
		c->count, row[rank], root ? all : 0, root ? uneven : 0, all,
		sum(row + rank * n, n)};
	const size_t received[KINDS] = {
		all, uneven, c->count, row[rank], c->count, root ? c->count : 0, c->count,
		root ? all : 0, root ? uneven : 0, c->count, row[rank], all, sum(c->columns, n)};

	c->sent = sent[c->kind];
	c->received = received[c->kind];
}

static inline size_t expect_block(struct call *c, size_t at, int from, size_t skip, size_t count)
{
	for (size_t i = 0; i < count; i++)
		c->want[at + i] = value(c->salt, from, skip + i);
	return at + count;
}

/* What recv must hold, from the definition of each operation. */
static inline void expect(struct call *c, int rank, int n)
{
	size_t at = 0, *row = c->counts;
	bool even = c->kind == REDUCE_SCATTER || c->kind == SCATTER;
	size_t before = even ? (size_t)rank * c->count : sum(row, rank);

	if (c->kind >= REDUCE_SCATTER && c->kind <= REDUCE)
		for (size_t i = 0; i < c->received; i++)
			c->want[i] =
				total_of(c->salt, n, i + (c->kind <= REDUCE_SCATTERV ? before : 0));
	if (c->kind == BROADCAST || c->kind == SCATTER || c->kind == SCATTERV)
		expect_block(c, 0, c->root, c->kind == BROADCAST ? 0 : before, c->received);
	for (int r = 0; r < n && c->received; r++) {
		if (c->kind == ALLGATHER || c->kind == GATHER)
			at = expect_block(c, at, r, 0, c->count);
		if (c->kind == ALLGATHERV || c->kind == GATHERV)
			at = expect_block(c, at, r, 0, row[r]);
		if (c->kind == ALLTOALL)
			at = expect_block(c, at, r, (size_t)rank * c->count, c->count);
		if (c->kind == ALLTOALLV)
			at = expect_block(c, at, r, sum(row + r * n, rank), c->columns[r]);
	}
}

static inline void call_new(struct call *c, int kind, uint64_t *random, totum_comm *comm)
{
	int n = totum_comm_nranks(comm), rank = totum_comm_rank(comm);
	size_t limit = below(random, 4) ? 40 : 90000;

	*c = (struct call){.kind = (enum kind)kind, .root = (int)below(random, (uint64_t)n)};
	c->salt = (uint32_t)below(random, 1u << 30);
	c->count = below(random, 5) ? below(random, limit) : 0;
	c->counts = calloc((size_t)n * (size_t)n + (size_t)n, sizeof *c->counts);
	c->columns = c->counts + n * n;
	for (int i = 0; i < n * n; i++)
		c->counts[i] = below(random, 3) ? below(random, limit) : 0;
	for (int i = 0; i < n; i++)
		c->columns[i] = c->counts[i * n + rank];
	measure(c, rank, n);
	c->send = calloc(c->sent + 1, sizeof *c->send);
	c->recv = calloc(c->received + 1, sizeof *c->recv);
	c->want = calloc(c->received + 1, sizeof *c->want);
	for (size_t i = 0; i < c->sent; i++)
		c->send[i] = value(c->salt, rank, i);
	for (size_t i = 0; i <= c->received; i++)
		c->recv[i] = c->want[i] = EMPTY;
	expect(c, rank, n);
}

static inline void compare(const struct call *c)
{
	for (size_t i = 0; i <= c->received; i++)
		if (c->recv[i] != c->want[i])
			fail("kind %d root %d count %zu: element %zu of %zu is %08x, not %08x",
			     c->kind, c->root, c->count, i, c->received, c->recv[i], c->want[i]);
}

static inline void call_drop(struct call *c)
{
	free(c->counts);
	free(c->send);
	free(c->recv);
	free(c->want);
}

static inline void call_end(struct call *c)
{
	compare(c);
	call_drop(c);
}

static inline totum_status now_status(struct call *c, totum_comm *comm)
{
	const size_t *row = c->counts + totum_comm_rank(comm) * totum_comm_nranks(comm),
		     own = c->counts[totum_comm_rank(comm)];
	const totum_dtype d = TOTUM_U32;
	const totum_op op = TOTUM_SUM;

	switch (c->kind) {
	case ALLGATHER:
		return totum_allgather(c->send, c->recv, c->count, d, comm);
	case ALLGATHERV:
		return totum_allgatherv(c->send, own, c->recv, c->counts, NULL, d, comm);
	case REDUCE_SCATTER:
		return totum_reduce_scatter(c->send, c->recv, c->count, d, op, comm);
	case REDUCE_SCATTERV:
		return totum_reduce_scatterv(c->send, c->recv, c->counts, d, op, comm);
	case ALLREDUCE:
		return totum_allreduce(c->send, c->recv, c->count, d, op, comm);
	case REDUCE:
		return totum_reduce(c->send, c->recv, c->count, d, op, c->root, comm);
	case BROADCAST:
		return totum_broadcast(c->send, c->recv, c->count, d, c->root, comm);
	case GATHER:
		return totum_gather(c->send, c->recv, c->count, d, c->root, comm);
	case GATHERV:
		return totum_gatherv(c->send, own, c->recv, c->counts, NULL, d, c->root, comm);
	case SCATTER:
		return totum_scatter(c->send, c->recv, c->count, d, c->root, comm);
	case SCATTERV:
		return totum_scatterv(c->send, c->counts, NULL, c->recv, own, d, c->root, comm);
	case ALLTOALL:
		return totum_alltoall(c->send, c->recv, c->count, d, comm);
	default:
		return totum_alltoallv(c->send, row, NULL, c->recv, c->columns, NULL, d, comm);
	}
}

static inline void now(struct call *c, totum_comm *comm)
{
	ok(now_status(c, comm));
}

/* False when the forced algorithm cannot do it with so many ranks; recv is untouched then. */
static inline bool now_unless_refused(struct call *c, totum_comm *comm)
{
	totum_status status = now_status(c, comm);

	if (status == TOTUM_EUNSUPPORTED)
		return false;
	ok(status);
	return true;
}

#endif
