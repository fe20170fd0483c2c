/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls.h - one function a collective: makes the call of a problem and checks the outcome to the
 * byte.
 *
 * Checked: the result, the guards around every buffer, the send buffer as it was, and on a refused
 * algorithm that nothing was written.
 */
#ifndef CALLS_H
#define CALLS_H

#include "ranks/problem.h"

/* Any alignment, different for the two buffers of a call. */
static inline struct buffer problem_buffer(const struct problem *problem, size_t bytes, int which)
{
	return buffer_new(bytes, problem->salt >> (8 * which) & 15);
}

/* In place is said by the sentinel or by the exact address; half of the cases each. */
static inline const void *in_place(const struct problem *problem, const void *address)
{
	return problem->salt & (1u << 20) ? TOTUM_IN_PLACE : address;
}

/* --- movement -------------------------------------------------------------------------------- */

static inline void call_allgather(const struct problem *p)
{
	size_t shard = p->count * totum_dtype_size(p->dtype), n = (size_t)p->nranks;
	struct buffer send = problem_buffer(p, shard, 0), recv = problem_buffer(p, shard * n, 1);
	unsigned char *own = recv.data + shard * (size_t)p->rank;

	fill(p->in_place ? own : send.data, shard, p->rank, p->salt);
	bool done = ran(p, totum_allgather(p->in_place ? in_place(p, own) : send.data, recv.data,
					   p->count, p->dtype, p->comm));

	for (int r = 0; r < p->nranks; r++)
		if (done || (p->in_place && r == p->rank))
			check(recv.data + shard * (size_t)r, shard, r, p->salt, "recv");
		else
			check_poison(recv.data + shard * (size_t)r, shard,
				     "recv of a refused call");
	if (!p->in_place)
		check(send.data, shard, p->rank, p->salt, "send afterwards");
	buffer_free(&send, "send");
	buffer_free(&recv, "recv");
}

enum { GATHERV_SHAPES = 6 };

/* Shard sizes by variant: equal; one empty; all but one empty; stairs; one giant; alternating. */
static inline size_t gatherv_count(const struct problem *p, int rank)
{
	size_t c = p->count, r = (size_t)rank, n = (size_t)p->nranks;

	switch (p->variant) {
	case 0:
		return c;
	case 1:
		return rank == p->nranks / 2 ? 0 : c;
	case 2:
		return rank == p->nranks - 1 ? c : 0;
	case 3:
		return c < BIG ? c * (n - r) : c / n * r;
	case 4:
		return rank == 0 ? c + 7 : 1;
	default:
		return r % 2 ? c : c / 3;
	}
}

/*
 * Fills counts and displs and returns the elements of recv.  Shapes 0 and 1 are packed (displs not
 * given); the others leave gaps, which differ from rank to rank, and put the blocks in descending
 * order.
 */
static inline size_t gatherv_layout(const struct problem *p, size_t *counts, size_t *displs)
{
	size_t total = 0, gap = p->variant < 2 ? 0 : 1 + (size_t)p->rank % 3;

	for (int i = 0; i < p->nranks; i++) {
		int r = p->variant < 2 ? i : p->nranks - 1 - i;

		counts[r] = gatherv_count(p, r);
		displs[r] = total + gap;
		total += gap + counts[r];
	}
	return total + gap;
}

static inline void check_gaps(const struct problem *p, const unsigned char *recv,
			      const size_t *counts, const size_t *displs, size_t total)
{
	size_t size = totum_dtype_size(p->dtype), at = 0;

	if (p->variant < 2)
		return;
	for (int r = p->nranks - 1; r >= 0; r--) {
		check_poison(recv + at * size, (displs[r] - at) * size, "a gap of recv");
		at = displs[r] + counts[r];
	}
	check_poison(recv + at * size, (total - at) * size, "the last gap of recv");
}

static inline void call_allgatherv(const struct problem *p)
{
	size_t size = totum_dtype_size(p->dtype), counts[HARNESS_RANKS], displs[HARNESS_RANKS];
	size_t total = gatherv_layout(p, counts, displs), mine = counts[p->rank];
	struct buffer send = problem_buffer(p, mine * size, 0),
		      recv = problem_buffer(p, total * size, 1);
	unsigned char *own = recv.data + displs[p->rank] * size;

	fill(p->in_place ? own : send.data, mine * size, p->rank, p->salt);
	bool done = ran(p, totum_allgatherv(p->in_place ? in_place(p, own) : send.data,
					    p->in_place ? (size_t)-1 : mine, recv.data, counts,
					    p->variant < 2 ? NULL : displs, p->dtype, p->comm));

	for (int r = 0; r < p->nranks; r++)
		if (done || (p->in_place && r == p->rank))
			check(recv.data + displs[r] * size, counts[r] * size, r, p->salt, "recv");
		else
			check_poison(recv.data + displs[r] * size, counts[r] * size,
				     "recv of a refused call");
	check_gaps(p, recv.data, counts, displs, total);
	if (!p->in_place)
		check(send.data, mine * size, p->rank, p->salt, "send afterwards");
	buffer_free(&send, "send");
	buffer_free(&recv, "recv");
}

/* The variant is the root.  What other ranks give as send must not be looked at. */
static inline void call_broadcast(const struct problem *p)
{
	size_t bytes = p->count * totum_dtype_size(p->dtype);
	struct buffer send = problem_buffer(p, bytes, 0), recv = problem_buffer(p, bytes, 1);
	bool root = p->rank == p->variant;
	const void *from = p->in_place ? in_place(p, recv.data) : root ? send.data : (void *)8;

	if (root)
		fill(p->in_place ? recv.data : send.data, bytes, p->variant, p->salt);
	if (ran(p, totum_broadcast(from, recv.data, p->count, p->dtype, p->variant, p->comm)))
		check(recv.data, bytes, p->variant, p->salt, "recv");
	else if (!p->in_place || !root)
		check_poison(recv.data, bytes, "recv of a refused call");
	if (root && !p->in_place)
		check(send.data, bytes, p->variant, p->salt, "send afterwards");
	buffer_free(&send, "send");
	buffer_free(&recv, "recv");
}

/* --- reductions ------------------------------------------------------------------------------ */

/* A copy of what a buffer holds, to see later that it was not changed. */
static inline unsigned char *copy_of(const struct buffer *buffer)
{
	unsigned char *copy = malloc(buffer->bytes + 1);

	if (!copy)
		fail("no memory for %zu bytes", buffer->bytes);
	memcpy(copy, buffer->data, buffer->bytes);
	return copy;
}

static inline void check_unchanged(const struct buffer *buffer, const unsigned char *copy,
				   size_t from, size_t to, const char *name)
{
	if (memcmp(buffer->data + from, copy + from, to - from) == 0)
		return;
	for (size_t i = from; i < to; i++)
		if (buffer->data[i] != copy[i])
			fail("byte %zu of %zu of %s was changed", i, buffer->bytes, name);
}

static inline void check_reduced(const struct problem *p, const void *at, size_t first, bool exact)
{
	check_result(at, first, p->count, p->nranks, p->salt, p->dtype, p->op, exact);
}

/* In place, only block `rank` of the one buffer may change. */
static inline void reduce_scatter_in_place(const struct problem *p, bool exact)
{
	size_t size = totum_dtype_size(p->dtype), n = (size_t)p->nranks, block = p->count * size;
	size_t first = p->count * (size_t)p->rank, own = block * (size_t)p->rank;
	struct buffer both = problem_buffer(p, n * block, 0);
	bool sentinel = in_place(p, NULL) == TOTUM_IN_PLACE;

	fill_inputs(both.data, 0, n * p->count, p->rank, p->salt, p->dtype, p->op, exact);
	unsigned char *before = copy_of(&both);

	if (ran(p, totum_reduce_scatter(sentinel ? TOTUM_IN_PLACE : both.data,
					both.data + (sentinel ? 0 : own), p->count, p->dtype, p->op,
					p->comm)))
		check_reduced(p, both.data + own, first, exact);
	else
		check_unchanged(&both, before, own, own + block, "recv of a refused call");
	check_unchanged(&both, before, 0, own, "send and recv before the own block");
	check_unchanged(&both, before, own + block, n * block, "send and recv after the own block");
	free(before);
	buffer_free(&both, "send and recv");
}

/* f(x, y, z) differs from f(z, y, x) in floats; only the direct path promises rank order. */
static inline bool any_order(const struct problem *p)
{
	return strcmp(p->algorithm, "auto") != 0 || over_hosts(p->comm);
}

static inline void call_reduce_scatter(const struct problem *p)
{
	size_t size = totum_dtype_size(p->dtype), n = (size_t)p->nranks, block = p->count * size;
	bool exact = any_order(p);

	if (p->in_place) {
		reduce_scatter_in_place(p, exact);
		return;
	}
	struct buffer send = problem_buffer(p, n * block, 0), recv = problem_buffer(p, block, 1);

	fill_inputs(send.data, 0, n * p->count, p->rank, p->salt, p->dtype, p->op, exact);
	unsigned char *before = copy_of(&send);

	if (ran(p, totum_reduce_scatter(send.data, recv.data, p->count, p->dtype, p->op, p->comm)))
		check_reduced(p, recv.data, p->count * (size_t)p->rank, exact);
	else
		check_poison(recv.data, block, "recv of a refused call");
	check_unchanged(&send, before, 0, send.bytes, "send");
	free(before);
	buffer_free(&send, "send");
	buffer_free(&recv, "recv");
}

static inline void call_allreduce(const struct problem *p)
{
	size_t bytes = p->count * totum_dtype_size(p->dtype);
	struct buffer send = problem_buffer(p, bytes, 0), recv = problem_buffer(p, bytes, 1);
	bool exact = any_order(p);
	const void *from = p->in_place ? in_place(p, recv.data) : send.data;

	fill_inputs(p->in_place ? recv.data : send.data, 0, p->count, p->rank, p->salt, p->dtype,
		    p->op, exact);
	unsigned char *before = copy_of(p->in_place ? &recv : &send);

	if (ran(p, totum_allreduce(from, recv.data, p->count, p->dtype, p->op, p->comm)))
		check_reduced(p, recv.data, 0, exact);
	else if (p->in_place)
		check_unchanged(&recv, before, 0, bytes, "recv of a refused call");
	else
		check_poison(recv.data, bytes, "recv of a refused call");
	if (!p->in_place)
		check_unchanged(&send, before, 0, bytes, "send");
	free(before);
	buffer_free(&send, "send");
	buffer_free(&recv, "recv");
}

#endif
