/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forms - every collective as a blocking call, a request and a plan, one after another and several at a time.
 * ranks: 1 2 3 5 8
 *
 * A call is a struct of arguments over u32 elements that say whose they are; what it must deliver is computed from the
 * arguments alone.  Sums of u32 wrap and are exact whatever their order.
 */
#include "ranks/buffers.h"

enum kind {
	ALLGATHER, ALLGATHERV, REDUCE_SCATTER, REDUCE_SCATTERV, ALLREDUCE, REDUCE, BROADCAST, GATHER, GATHERV, SCATTER, SCATTERV,
	ALLTOALL, ALLTOALLV, KINDS
};
enum { FLIGHT = 5, ROUNDS = 12, EMPTY = 0x5eadbeef };

struct call {
	enum kind kind;
	int root;
	uint32_t salt;
	size_t count;    /* of equal blocks */
	size_t *counts;  /* [n * n]: from rank i to rank j; row 0 serves the operations with one array */
	size_t *columns; /* [n]: what comes to this rank */
	uint32_t *send, *recv, *want;
	size_t sent, received;
};

static uint32_t value(uint32_t salt, int rank, size_t i)
{
	return (uint32_t)mix((uint64_t)salt << 32 ^ (uint64_t)rank << 24 ^ i);
}

static size_t sum(const size_t *counts, int n)
{
	size_t total = 0;

	for (int i = 0; i < n; i++)
		total += counts[i];
	return total;
}

static uint32_t total_of(uint32_t salt, int n, size_t i)
{
	uint32_t total = 0;

	for (int rank = 0; rank < n; rank++)
		total += value(salt, rank, i);
	return total;
}

/* How many elements this rank sends and receives. */
static void measure(struct call *c, int rank, int n)
{
	size_t all = (size_t)n * c->count, *row = c->counts, uneven = sum(row, n);
	bool root = rank == c->root;
	const size_t sent[KINDS] = {c->count, row[rank], all, uneven, c->count, c->count, root ? c->count : 0, c->count,
				    row[rank], root ? all : 0, root ? uneven : 0, all, sum(row + rank * n, n)};
	const size_t received[KINDS] = {all, uneven, c->count, row[rank], c->count, root ? c->count : 0, c->count,
					root ? all : 0, root ? uneven : 0, c->count, row[rank], all, sum(c->columns, n)};

	c->sent = sent[c->kind];
	c->received = received[c->kind];
}

static size_t expect_block(struct call *c, size_t at, int from, size_t skip, size_t count)
{
	for (size_t i = 0; i < count; i++)
		c->want[at + i] = value(c->salt, from, skip + i);
	return at + count;
}

/* What recv must hold, from the definition of each operation. */
static void expect(struct call *c, int rank, int n)
{
	size_t at = 0, *row = c->counts;
	bool even = c->kind == REDUCE_SCATTER || c->kind == SCATTER;
	size_t before = even ? (size_t)rank * c->count : sum(row, rank);

	if (c->kind >= REDUCE_SCATTER && c->kind <= REDUCE)
		for (size_t i = 0; i < c->received; i++)
			c->want[i] = total_of(c->salt, n, i + (c->kind <= REDUCE_SCATTERV ? before : 0));
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

static void call_new(struct call *c, int kind, uint64_t *random, totum_comm *comm)
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

static void compare(const struct call *c)
{
	for (size_t i = 0; i <= c->received; i++)
		if (c->recv[i] != c->want[i])
			fail("kind %d root %d count %zu: element %zu of %zu is %08x, not %08x", c->kind, c->root, c->count, i,
			     c->received, c->recv[i], c->want[i]);
}

static void call_end(struct call *c)
{
	compare(c);
	free(c->counts);
	free(c->send);
	free(c->recv);
	free(c->want);
}

static void now(struct call *c, totum_comm *comm)
{
	const size_t *row = c->counts + totum_comm_rank(comm) * totum_comm_nranks(comm), own = c->counts[totum_comm_rank(comm)];
	const totum_dtype d = TOTUM_U32;
	const totum_op op = TOTUM_SUM;

	switch (c->kind) {
	case ALLGATHER: ok(totum_allgather(c->send, c->recv, c->count, d, comm)); break;
	case ALLGATHERV: ok(totum_allgatherv(c->send, own, c->recv, c->counts, NULL, d, comm)); break;
	case REDUCE_SCATTER: ok(totum_reduce_scatter(c->send, c->recv, c->count, d, op, comm)); break;
	case REDUCE_SCATTERV: ok(totum_reduce_scatterv(c->send, c->recv, c->counts, d, op, comm)); break;
	case ALLREDUCE: ok(totum_allreduce(c->send, c->recv, c->count, d, op, comm)); break;
	case REDUCE: ok(totum_reduce(c->send, c->recv, c->count, d, op, c->root, comm)); break;
	case BROADCAST: ok(totum_broadcast(c->send, c->recv, c->count, d, c->root, comm)); break;
	case GATHER: ok(totum_gather(c->send, c->recv, c->count, d, c->root, comm)); break;
	case GATHERV: ok(totum_gatherv(c->send, own, c->recv, c->counts, NULL, d, c->root, comm)); break;
	case SCATTER: ok(totum_scatter(c->send, c->recv, c->count, d, c->root, comm)); break;
	case SCATTERV: ok(totum_scatterv(c->send, c->counts, NULL, c->recv, own, d, c->root, comm)); break;
	case ALLTOALL: ok(totum_alltoall(c->send, c->recv, c->count, d, comm)); break;
	default: ok(totum_alltoallv(c->send, row, NULL, c->recv, c->columns, NULL, d, comm));
	}
}

static void later(struct call *c, totum_comm *comm, totum_request **request)
{
	const size_t *row = c->counts + totum_comm_rank(comm) * totum_comm_nranks(comm), own = c->counts[totum_comm_rank(comm)];
	const totum_dtype d = TOTUM_U32;
	const totum_op op = TOTUM_SUM;

	switch (c->kind) {
	case ALLGATHER: ok(totum_iallgather(c->send, c->recv, c->count, d, comm, request)); break;
	case ALLGATHERV: ok(totum_iallgatherv(c->send, own, c->recv, c->counts, NULL, d, comm, request)); break;
	case REDUCE_SCATTER: ok(totum_ireduce_scatter(c->send, c->recv, c->count, d, op, comm, request)); break;
	case REDUCE_SCATTERV: ok(totum_ireduce_scatterv(c->send, c->recv, c->counts, d, op, comm, request)); break;
	case ALLREDUCE: ok(totum_iallreduce(c->send, c->recv, c->count, d, op, comm, request)); break;
	case REDUCE: ok(totum_ireduce(c->send, c->recv, c->count, d, op, c->root, comm, request)); break;
	case BROADCAST: ok(totum_ibroadcast(c->send, c->recv, c->count, d, c->root, comm, request)); break;
	case GATHER: ok(totum_igather(c->send, c->recv, c->count, d, c->root, comm, request)); break;
	case GATHERV: ok(totum_igatherv(c->send, own, c->recv, c->counts, NULL, d, c->root, comm, request)); break;
	case SCATTER: ok(totum_iscatter(c->send, c->recv, c->count, d, c->root, comm, request)); break;
	case SCATTERV: ok(totum_iscatterv(c->send, c->counts, NULL, c->recv, own, d, c->root, comm, request)); break;
	case ALLTOALL: ok(totum_ialltoall(c->send, c->recv, c->count, d, comm, request)); break;
	default: ok(totum_ialltoallv(c->send, row, NULL, c->recv, c->columns, NULL, d, comm, request));
	}
}

static void keep(struct call *c, totum_comm *comm, totum_plan **plan)
{
	const size_t *row = c->counts + totum_comm_rank(comm) * totum_comm_nranks(comm), own = c->counts[totum_comm_rank(comm)];
	const totum_dtype d = TOTUM_U32;
	const totum_op op = TOTUM_SUM;

	switch (c->kind) {
	case ALLGATHER: ok(totum_allgather_plan(c->send, c->recv, c->count, d, comm, plan)); break;
	case ALLGATHERV: ok(totum_allgatherv_plan(c->send, own, c->recv, c->counts, NULL, d, comm, plan)); break;
	case REDUCE_SCATTER: ok(totum_reduce_scatter_plan(c->send, c->recv, c->count, d, op, comm, plan)); break;
	case REDUCE_SCATTERV: ok(totum_reduce_scatterv_plan(c->send, c->recv, c->counts, d, op, comm, plan)); break;
	case ALLREDUCE: ok(totum_allreduce_plan(c->send, c->recv, c->count, d, op, comm, plan)); break;
	case REDUCE: ok(totum_reduce_plan(c->send, c->recv, c->count, d, op, c->root, comm, plan)); break;
	case BROADCAST: ok(totum_broadcast_plan(c->send, c->recv, c->count, d, c->root, comm, plan)); break;
	case GATHER: ok(totum_gather_plan(c->send, c->recv, c->count, d, c->root, comm, plan)); break;
	case GATHERV: ok(totum_gatherv_plan(c->send, own, c->recv, c->counts, NULL, d, c->root, comm, plan)); break;
	case SCATTER: ok(totum_scatter_plan(c->send, c->recv, c->count, d, c->root, comm, plan)); break;
	case SCATTERV: ok(totum_scatterv_plan(c->send, c->counts, NULL, c->recv, own, d, c->root, comm, plan)); break;
	case ALLTOALL: ok(totum_alltoall_plan(c->send, c->recv, c->count, d, comm, plan)); break;
	default: ok(totum_alltoallv_plan(c->send, row, NULL, c->recv, c->columns, NULL, d, comm, plan));
	}
}

/* In whatever order this rank likes, waiting or testing. */
static void finish(totum_request **requests, int n, uint64_t *own)
{
	for (int left = n; left;) {
		int i = (int)below(own, (uint64_t)n), done = 1;
		if (!requests[i])
			continue;
		if (below(own, 2))
			ok(totum_wait(requests[i]));
		else
			ok(totum_test(requests[i], &done));
		if (!done)
			continue;
		requests[i] = NULL;
		left--;
	}
}

static void fly(totum_comm *comm, uint64_t *random, uint64_t *own, bool grouped)
{
	struct call calls[FLIGHT], behind;
	totum_request *requests[FLIGHT];

	if (grouped)
		ok(totum_group_begin(comm));
	for (int i = 0; i < FLIGHT; i++) {
		call_new(&calls[i], (int)below(random, grouped && below(random, 2) ? 2 : KINDS), random, comm);
		later(&calls[i], comm, &requests[i]);
	}
	if (grouped)
		ok(totum_group_end(comm));
	if (below(random, 2)) {
		call_new(&behind, (int)below(random, KINDS), random, comm);
		now(&behind, comm);
		call_end(&behind);
	}
	finish(requests, FLIGHT, own);
	for (int i = 0; i < FLIGHT; i++)
		call_end(&calls[i]);
}

static void replay(totum_comm *comm, int kind, uint64_t *random)
{
	struct call call;
	totum_plan *plan;
	totum_request *request;

	call_new(&call, kind, random, comm);
	keep(&call, comm, &plan);
	for (int times = 0; times < 3; times++) {
		for (size_t i = 0; i < call.received; i++)
			call.recv[i] = EMPTY;
		ok(totum_start(plan, &request));
		ok(totum_wait(request));
		compare(&call);
	}
	ok(totum_plan_free(plan));
	call_end(&call);
}

static void blocks(totum_comm *comm, uint64_t *random, uint64_t *own)
{
	int rank = (int)below(own, (uint64_t)totum_comm_nranks(comm));
	struct call call;
	totum_request *request;

	call_new(&call, ALLGATHERV, random, comm);
	later(&call, comm, &request);
	ok(totum_wait_block(request, rank));
	for (size_t i = sum(call.counts, rank); i < sum(call.counts, rank + 1); i++)
		if (call.recv[i] != call.want[i])
			fail("rank %d's shard was said to be here, but element %zu is %08x", rank, i, call.recv[i]);
	ok(totum_wait(request));
	call_end(&call);
}

static void test(totum_comm *comm)
{
	static const char *const algorithms[] = {"algo=auto", "algo=ring", "algo=bruck"};
	uint64_t random = seed(), own = mix(seed() + (uint64_t)totum_comm_rank(comm));
	struct call call;

	for (int a = 0; a < 3; a++) {
		if (!step("%s", algorithms[a]))
			continue;
		ok(totum_comm_configure(comm, algorithms[a]));
		for (int i = 0; i < ROUNDS * KINDS; i++) {
			call_new(&call, i % KINDS, &random, comm);
			now(&call, comm);
			call_end(&call);
			if (i % 4 == 0)
				replay(comm, i % KINDS, &random);
		}
		for (int i = 0; i < ROUNDS; i++) {
			fly(comm, &random, &own, i % 3 == 2);
			blocks(comm, &random, &own);
		}
	}
}
