/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forms - every collective as a blocking call, a request and a plan, in turn and several at a time.
 * ranks: 1 2 3 5 8
 * shared: 5
 */
#include "ranks/anycall.h"

enum { FLIGHT = 5, ROUNDS = 12 };

static void later(struct call *c, totum_comm *comm, totum_request **request)
{
	const size_t *row = c->counts + totum_comm_rank(comm) * totum_comm_nranks(comm),
		     own = c->counts[totum_comm_rank(comm)];
	const totum_dtype d = TOTUM_U32;
	const totum_op op = TOTUM_SUM;

	switch (c->kind) {
	case ALLGATHER:
		ok(totum_iallgather(c->send, c->recv, c->count, d, comm, request));
		break;
	case ALLGATHERV:
		ok(totum_iallgatherv(c->send, own, c->recv, c->counts, NULL, d, comm, request));
		break;
	case REDUCE_SCATTER:
		ok(totum_ireduce_scatter(c->send, c->recv, c->count, d, op, comm, request));
		break;
	case REDUCE_SCATTERV:
		ok(totum_ireduce_scatterv(c->send, c->recv, c->counts, d, op, comm, request));
		break;
	case ALLREDUCE:
		ok(totum_iallreduce(c->send, c->recv, c->count, d, op, comm, request));
		break;
	case REDUCE:
		ok(totum_ireduce(c->send, c->recv, c->count, d, op, c->root, comm, request));
		break;
	case BROADCAST:
		ok(totum_ibroadcast(c->send, c->recv, c->count, d, c->root, comm, request));
		break;
	case GATHER:
		ok(totum_igather(c->send, c->recv, c->count, d, c->root, comm, request));
		break;
	case GATHERV:
		ok(totum_igatherv(c->send, own, c->recv, c->counts, NULL, d, c->root, comm,
				  request));
		break;
	case SCATTER:
		ok(totum_iscatter(c->send, c->recv, c->count, d, c->root, comm, request));
		break;
	case SCATTERV:
		ok(totum_iscatterv(c->send, c->counts, NULL, c->recv, own, d, c->root, comm,
				   request));
		break;
	case ALLTOALL:
		ok(totum_ialltoall(c->send, c->recv, c->count, d, comm, request));
		break;
	default:
		ok(totum_ialltoallv(c->send, row, NULL, c->recv, c->columns, NULL, d, comm,
				    request));
	}
}

static void keep(struct call *c, totum_comm *comm, totum_plan **plan)
{
	const size_t *row = c->counts + totum_comm_rank(comm) * totum_comm_nranks(comm),
		     own = c->counts[totum_comm_rank(comm)];
	const totum_dtype d = TOTUM_U32;
	const totum_op op = TOTUM_SUM;

	switch (c->kind) {
	case ALLGATHER:
		ok(totum_allgather_plan(c->send, c->recv, c->count, d, comm, plan));
		break;
	case ALLGATHERV:
		ok(totum_allgatherv_plan(c->send, own, c->recv, c->counts, NULL, d, comm, plan));
		break;
	case REDUCE_SCATTER:
		ok(totum_reduce_scatter_plan(c->send, c->recv, c->count, d, op, comm, plan));
		break;
	case REDUCE_SCATTERV:
		ok(totum_reduce_scatterv_plan(c->send, c->recv, c->counts, d, op, comm, plan));
		break;
	case ALLREDUCE:
		ok(totum_allreduce_plan(c->send, c->recv, c->count, d, op, comm, plan));
		break;
	case REDUCE:
		ok(totum_reduce_plan(c->send, c->recv, c->count, d, op, c->root, comm, plan));
		break;
	case BROADCAST:
		ok(totum_broadcast_plan(c->send, c->recv, c->count, d, c->root, comm, plan));
		break;
	case GATHER:
		ok(totum_gather_plan(c->send, c->recv, c->count, d, c->root, comm, plan));
		break;
	case GATHERV:
		ok(totum_gatherv_plan(c->send, own, c->recv, c->counts, NULL, d, c->root, comm,
				      plan));
		break;
	case SCATTER:
		ok(totum_scatter_plan(c->send, c->recv, c->count, d, c->root, comm, plan));
		break;
	case SCATTERV:
		ok(totum_scatterv_plan(c->send, c->counts, NULL, c->recv, own, d, c->root, comm,
				       plan));
		break;
	case ALLTOALL:
		ok(totum_alltoall_plan(c->send, c->recv, c->count, d, comm, plan));
		break;
	default:
		ok(totum_alltoallv_plan(c->send, row, NULL, c->recv, c->columns, NULL, d, comm,
					plan));
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
		call_new(&calls[i], (int)below(random, grouped && below(random, 2) ? 2 : KINDS),
			 random, comm);
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
			fail("rank %d's shard was said to be here, but element %zu is %08x", rank,
			     i, call.recv[i]);
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
