/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reduce_scatterv - uneven and empty blocks, every dtype with every op.  ranks: 3 5
 */
#include "ranks/calls.h"

/* The variant is the shape of the counts, as of an all-gather-v. */
static void call_reduce_scatterv(const struct problem *p)
{
	size_t size = totum_dtype_size(p->dtype), counts[HARNESS_RANKS], total = 0, first = 0;

	for (int r = 0; r < p->nranks; r++) {
		counts[r] = gatherv_count(p, r);
		first += r < p->rank ? counts[r] : 0;
		total += counts[r];
	}
	size_t own = counts[p->rank];
	struct buffer send = problem_buffer(p, total * size, 0);
	struct buffer recv = problem_buffer(p, own * size, 1);

	fill_inputs(send.data, 0, total, p->rank, p->salt, p->dtype, p->op,
		    over_hosts(p->comm));
	unsigned char *before = copy_of(&send);
	void *to = p->in_place ? send.data + first * size : recv.data;

	/* no algorithm but the direct one serves it, whichever is forced */
	ok(totum_reduce_scatterv(send.data, to, counts, p->dtype, p->op, p->comm));
	check_result(to, first, own, p->nranks, p->salt, p->dtype, p->op, over_hosts(p->comm));
	check_unchanged(&send, before, 0, p->in_place ? first * size : send.bytes, "send");
	check_unchanged(&send, before, p->in_place ? (first + own) * size : send.bytes, send.bytes,
			"send after the own block");
	free(before);
	buffer_free(&send, "send");
	buffer_free(&recv, "recv");
}

static void test(totum_comm *comm)
{
	struct problem problem = {.comm = comm,
				  .collective = "reduce_scatterv",
				  .algorithm = "auto",
				  .rank = totum_comm_rank(comm),
				  .nranks = totum_comm_nranks(comm)};

	sweep_algorithm(problem, &(struct sweep){.collective = "reduce_scatterv",
						 .variant = "shape",
						 .variants = GATHERV_SHAPES,
						 .reduces = true,
						 .run = call_reduce_scatterv});
}
