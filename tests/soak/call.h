/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * call.h - one random call of any collective as data: drawn alike on all ranks, its buffers filled,
 * made in any of the three forms, and its result checked.
 *
 * Nothing here ends the process because a call failed, for ranks die here; only a wrong result
 * does.
 */
#ifndef CALL_H
#define CALL_H

#include "ranks/oracle.h"

enum { RANKS = 8 };

enum collective {
	ALLGATHER,
	ALLGATHERV,
	REDUCE_SCATTER,
	REDUCE_SCATTERV,
	ALLREDUCE,
	REDUCE,
	BROADCAST,
	GATHER,
	GATHERV,
	SCATTER,
	SCATTERV,
	ALLTOALL,
	ALLTOALLV,
	BARRIER,
	COLLECTIVES
};

static const char *const collective_names[] = {
	"allgather", "allgatherv", "reduce_scatter", "reduce_scatterv", "allreduce",
	"reduce",    "broadcast",  "gather",         "gatherv",         "scatter",
	"scatterv",  "alltoall",   "alltoallv",      "barrier"};

enum form { BLOCKING, REQUEST, PLAN, FORMS };

/* Private memory between guards, or memory that peers read where it lies. */
struct memory {
	struct buffer own;
	void *shared;
	unsigned char *data;
};

struct call {
	totum_comm *comm;
	enum collective what;
	int rank, nranks, root;
	totum_dtype dtype;
	totum_op op;
	bool exact, in_place; /* in place: of all-gather, all-reduce and all-to-all */
	uint64_t salt;
	size_t size, count;           /* bytes of an element; elements of a shard or block */
	size_t counts[RANKS];         /* of v-operations */
	size_t out[RANKS], in[RANKS]; /* of an all-to-all(v): to, and from, each rank */
	size_t send_elements, recv_elements;
	struct memory send, recv;
};

static inline bool call_reduces(const struct call *c)
{
	return c->what >= REDUCE_SCATTER && c->what <= REDUCE;
}

static inline size_t call_sum(const size_t *counts, int n)
{
	size_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += counts[i];
	return sum;
}

/* --- what is called -------------------------------------------------------------------------- */

static inline void draw_sizes(struct call *c)
{
	uint64_t limit = c->count + 1;

	for (int r = 0; r < c->nranks; r++) {
		bool varies = c->what == ALLTOALLV;
		c->counts[r] = (size_t)(mix(c->salt + (uint64_t)r) % limit);
		c->out[r] =
			varies ? (size_t)(mix(c->salt ^ (uint64_t)(c->rank * RANKS + r)) % limit)
			       : c->count;
		c->in[r] = varies ? (size_t)(mix(c->salt ^ (uint64_t)(r * RANKS + c->rank)) % limit)
				  : c->count;
	}
}

static inline void draw_elements(struct call *c)
{
	size_t all = c->count * (size_t)c->nranks, sum = call_sum(c->counts, c->nranks),
	       own = c->counts[c->rank];
	bool root = c->rank == c->root;
	const size_t send[] = {c->count,
			       own,
			       all,
			       sum,
			       c->count,
			       c->count,
			       root ? c->count : 0,
			       c->count,
			       own,
			       root ? all : 0,
			       root ? sum : 0,
			       all,
			       call_sum(c->out, c->nranks),
			       0};
	const size_t recv[] = {all,
			       sum,
			       c->count,
			       own,
			       c->count,
			       root ? c->count : 0,
			       c->count,
			       root ? all : 0,
			       root ? sum : 0,
			       c->count,
			       own,
			       all,
			       call_sum(c->in, c->nranks),
			       0};

	c->send_elements = send[c->what];
	c->recv_elements = recv[c->what];
}

/* Mostly small, sometimes large: the exponent is uniform.  Exact: the inputs are such that no order
 * of addition matters. */
static inline struct call call_draw(totum_comm *comm, bool exact, uint64_t *random)
{
	struct call c = {.comm = comm,
			 .rank = totum_comm_rank(comm),
			 .nranks = totum_comm_nranks(comm),
			 .exact = exact};

	c.what = (enum collective)below(random, COLLECTIVES);
	c.root = (int)below(random, (uint64_t)c.nranks);
	do {
		c.dtype = (totum_dtype)below(random, TOTUM_DTYPES);
		c.op = (totum_op)below(random, TOTUM_OPS);
	} while (call_reduces(&c) && !reducible(c.dtype, c.op));
	c.size = totum_dtype_size(c.dtype);
	c.count = (size_t)below(random, (uint64_t)1 << below(random, 21)) / c.size;
	c.in_place = below(random, 3) == 0 &&
		     (c.what == ALLGATHER || c.what == ALLREDUCE || c.what == ALLTOALL);
	c.salt = mix(*random);
	draw_sizes(&c);
	draw_elements(&c);
	return c;
}

static inline void call_announce(const struct call *c, const char *form)
{
	step("%s:n=%d:count=%zu:dtype=%s:op=%s:root=%d:place=%s:form=%s:memory=%s,%s",
	     collective_names[c->what], c->nranks, c->count, totum_dtype_name(c->dtype),
	     totum_op_name(c->op), c->root, c->in_place ? "in" : "out", form,
	     c->send.shared ? "shared" : "own", c->recv.shared ? "shared" : "own");
}

/* --- buffers --------------------------------------------------------------------------------- */

static inline struct memory memory_new(totum_comm *comm, size_t bytes, bool shared,
				       size_t misalignment)
{
	struct memory memory = {.shared = NULL};

	if (!shared || !bytes) {
		memory.own = buffer_new(bytes, misalignment);
		memory.data = memory.own.data;
		return memory;
	}
	ok(totum_alloc(comm, bytes, &memory.shared));
	memory.data = memory.shared;
	memset(memory.data, POISON, bytes);
	return memory;
}

static inline void memory_drop(totum_comm *comm, struct memory *memory, const char *name)
{
	if (memory->shared)
		ok(totum_free(comm, memory->shared));
	else
		buffer_free(&memory->own, name);
}

/* Whose data a block holds: what goes from one rank to another, or (TO_ALL) to everybody. */
enum { TO_ALL = RANKS };

static inline int block_key(int from, int to)
{
	return from * (RANKS + 1) + to;
}

/* Block after block from `at` on; counts may be NULL: count elements each. */
static inline void fill_blocks(const struct call *c, unsigned char *at, const size_t *counts)
{
	for (int to = 0; to < c->nranks; to++) {
		size_t bytes = (counts ? counts[to] : c->count) * c->size;
		fill(at, bytes, block_key(c->rank, to), c->salt);
		at += bytes;
	}
}

/* Of a block from each rank to `to`. */
static inline void check_blocks(const struct call *c, const unsigned char *at, const size_t *counts,
				int to)
{
	for (int from = 0; from < c->nranks; from++) {
		size_t bytes = (counts ? counts[from] : c->count) * c->size;
		check(at, bytes, block_key(from, to), c->salt, "recv");
		at += bytes;
	}
}

static inline void call_fill(const struct call *c)
{
	unsigned char *from = c->in_place ? c->recv.data : c->send.data;
	size_t bytes = c->send_elements * c->size;

	if (c->what == ALLGATHER && c->in_place)
		from += (size_t)c->rank * bytes;
	if (call_reduces(c))
		fill_inputs(from, 0, c->send_elements, c->rank, c->salt, c->dtype, c->op, c->exact);
	else if (c->what == ALLTOALL || c->what == ALLTOALLV)
		fill_blocks(c, from, c->out);
	else if (c->send_elements && (c->what == SCATTER || c->what == SCATTERV))
		fill_blocks(c, from, c->what == SCATTER ? NULL : c->counts);
	else if (c->send_elements && (c->what == GATHER || c->what == GATHERV))
		fill(from, bytes, block_key(c->rank, c->root), c->salt);
	else if (c->send_elements)
		fill(from, bytes, block_key(c->rank, TO_ALL), c->salt);
}

static inline void call_prepare(struct call *c, uint64_t *own)
{
	c->send = memory_new(c->comm, c->in_place ? 0 : c->send_elements * c->size, below(own, 2),
			     (size_t)below(own, 64));
	c->recv = memory_new(c->comm, c->recv_elements * c->size, below(own, 2),
			     (size_t)below(own, 64));
	call_fill(c);
}

static inline void call_release(struct call *c)
{
	memory_drop(c->comm, &c->send, "send");
	memory_drop(c->comm, &c->recv, "recv");
}

/* --- the call -------------------------------------------------------------------------------- */

/* One line a collective: the same arguments in all forms. */
#define MAKE(name, ...)                                                                            \
	(form == BLOCKING  ? totum_##name(__VA_ARGS__)                                             \
	 : form == REQUEST ? totum_i##name(__VA_ARGS__, request)                                   \
			   : totum_##name##_plan(__VA_ARGS__, plan))

static inline totum_status call_make(const struct call *c, enum form form, totum_request **request,
				     totum_plan **plan)
{
	const size_t own = c->counts[c->rank], *counts = c->counts;
	const void *send = c->what == ALLGATHER && c->in_place ? TOTUM_IN_PLACE
			   : c->in_place                       ? c->recv.data
							       : c->send.data;
	void *recv = c->recv.data;

	switch (c->what) {
	case ALLGATHER:
		return MAKE(allgather, send, recv, c->count, c->dtype, c->comm);
	case ALLGATHERV:
		return MAKE(allgatherv, send, own, recv, counts, NULL, c->dtype, c->comm);
	case REDUCE_SCATTER:
		return MAKE(reduce_scatter, send, recv, c->count, c->dtype, c->op, c->comm);
	case REDUCE_SCATTERV:
		return MAKE(reduce_scatterv, send, recv, counts, c->dtype, c->op, c->comm);
	case ALLREDUCE:
		return MAKE(allreduce, send, recv, c->count, c->dtype, c->op, c->comm);
	case REDUCE:
		return MAKE(reduce, send, recv, c->count, c->dtype, c->op, c->root, c->comm);
	case BROADCAST:
		return MAKE(broadcast, send, recv, c->count, c->dtype, c->root, c->comm);
	case GATHER:
		return MAKE(gather, send, recv, c->count, c->dtype, c->root, c->comm);
	case GATHERV:
		return MAKE(gatherv, send, own, recv, counts, NULL, c->dtype, c->root, c->comm);
	case SCATTER:
		return MAKE(scatter, send, recv, c->count, c->dtype, c->root, c->comm);
	case SCATTERV:
		return MAKE(scatterv, send, counts, NULL, recv, own, c->dtype, c->root, c->comm);
	case ALLTOALL:
		return MAKE(alltoall, send, recv, c->count, c->dtype, c->comm);
	case ALLTOALLV:
		return MAKE(alltoallv, send, c->out, NULL, recv, c->in, NULL, c->dtype, c->comm);
	default:
		return MAKE(barrier, c->comm);
	}
}

#undef MAKE

/* The ends of a reduced vector, whole up to WINDOW elements, and a piece in the middle: the oracle
 * is slow. */
static inline void check_reduced(const struct call *c, size_t first)
{
	enum { WINDOW = 200 };
	size_t count = c->recv_elements, at[] = {0, count / 3, count > WINDOW ? count - WINDOW : 0};

	for (int i = 0; i < 3; i++) {
		size_t now = count - at[i] < WINDOW ? count - at[i] : WINDOW;
		check_result(c->recv.data + at[i] * c->size, first + at[i], now, c->nranks, c->salt,
			     c->dtype, c->op, c->exact);
	}
}

static inline void call_check(const struct call *c)
{
	unsigned char *recv = c->recv.data;

	switch (c->what) {
	case ALLGATHER:
		check_blocks(c, recv, NULL, TO_ALL);
		break;
	case ALLGATHERV:
		check_blocks(c, recv, c->counts, TO_ALL);
		break;
	case REDUCE_SCATTER:
		check_reduced(c, (size_t)c->rank * c->count);
		break;
	case REDUCE_SCATTERV:
		check_reduced(c, call_sum(c->counts, c->rank));
		break;
	case ALLREDUCE:
	case REDUCE:
		check_reduced(c, 0);
		break;
	case BROADCAST:
		check(recv, c->recv_elements * c->size, block_key(c->root, TO_ALL), c->salt,
		      "recv");
		break;
	case GATHER:
	case GATHERV:
		if (c->rank == c->root)
			check_blocks(c, recv, c->what == GATHER ? NULL : c->counts, c->root);
		break;
	case SCATTER:
	case SCATTERV:
		check(recv, c->recv_elements * c->size, block_key(c->root, c->rank), c->salt,
		      "recv");
		break;
	case ALLTOALL:
	case ALLTOALLV:
		check_blocks(c, recv, c->in, c->rank);
		break;
	default:
		break;
	}
}

#endif
