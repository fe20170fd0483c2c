/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce - every dtype with every op that it takes, to every root; who is not the root writes
 * nothing.  ranks: 1 3 5
 */
#include "ranks/calls.h"

/* The variant is the root.  What others give as recv is poison, and stays it. */
static void call_reduce(const struct problem *p)
{
	size_t bytes = p->count * totum_dtype_size(p->dtype);
	struct buffer send = problem_buffer(p, bytes, 0), recv = problem_buffer(p, bytes, 1);
	bool exact = any_order(p), root = p->rank == p->variant, here = root && p->in_place;
	const void *from = here ? in_place(p, recv.data) : send.data;

	fill_inputs(here ? recv.data : send.data, 0, p->count, p->rank, p->salt, p->dtype, p->op,
		    exact);
	unsigned char *before = copy_of(here ? &recv : &send);

	if (ran(p, totum_reduce(from, recv.data, p->count, p->dtype, p->op, p->variant, p->comm)) &&
	    root)
		check_reduced(p, recv.data, 0, exact);
	else if (here)
		check_unchanged(&recv, before, 0, bytes, "recv of a refused call");
	else
		check_poison(recv.data, bytes, "recv of who is not the root");
	if (!here)
		check_unchanged(&send, before, 0, bytes, "send");
	free(before);
	buffer_free(&send, "send");
	buffer_free(&recv, "recv");
}

static void test(totum_comm *comm)
{
	sweep(comm, &(struct sweep){.collective = "reduce",
				    .variant = "root",
				    .variants = totum_comm_nranks(comm),
				    .reduces = true,
				    .run = call_reduce});
}
