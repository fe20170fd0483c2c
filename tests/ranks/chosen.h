/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chosen.h - a call of any collective with chosen counts and dtype, on soak/call.h's struct call.
 *
 * After call_chosen() the counts may be changed; call_ready() then makes and fills the buffers.
 */
#ifndef CHOSEN_H
#define CHOSEN_H

#include "ranks/algorithms.h"
#include "soak/call.h"

/* Equal counts; the root and the data follow from the turn, which differs from call to call. */
static inline struct call call_chosen(totum_comm *comm, int what, size_t count, totum_dtype dtype,
				      int turn)
{
	struct call c = {.comm = comm,
			 .what = (enum collective)what,
			 .rank = totum_comm_rank(comm),
			 .nranks = totum_comm_nranks(comm),
			 .dtype = dtype,
			 .op = TOTUM_MAX,
			 .exact = true,
			 .size = totum_dtype_size(dtype),
			 .count = count};

	c.root = turn % c.nranks;
	c.salt = mix((uint64_t)count * COLLECTIVES + (uint64_t)what + ((uint64_t)turn << 40));
	for (int r = 0; r < c.nranks; r++)
		c.counts[r] = c.out[r] = c.in[r] = count;
	return c;
}

/* Private buffers at odd addresses, whatever the counts have become. */
static inline void call_ready(struct call *c)
{
	draw_elements(c);
	c->send = memory_new(c->comm, c->send_elements * c->size, false, c->salt & 63);
	c->recv = memory_new(c->comm, c->recv_elements * c->size, false, c->salt >> 8 & 63);
	call_fill(c);
}

/* Every element of a reduction, where call_check() looks at some. */
static inline void call_check_all(const struct call *c)
{
	size_t first = c->what == REDUCE_SCATTER    ? (size_t)c->rank * c->count
		       : c->what == REDUCE_SCATTERV ? call_sum(c->counts, c->rank)
						    : 0;

	call_check(c);
	if (call_reduces(c))
		check_result(c->recv.data, first, c->recv_elements, c->nranks, c->salt, c->dtype,
			     c->op, c->exact);
}

/* Makes the call, checks all of it, and drops it; false: the forced algorithm cannot do it. */
static inline bool call_through(struct call *c)
{
	call_ready(c);
	call_announce(c, "blocking");
	totum_status status = call_make(c, BLOCKING, NULL, NULL);

	if (status != TOTUM_EUNSUPPORTED) {
		ok(status);
		call_check_all(c);
	}
	call_release(c);
	return !status;
}

#endif
