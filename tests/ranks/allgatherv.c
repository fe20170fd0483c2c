/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * allgatherv - uneven and empty shards, gaps, permuted blocks.  ranks: 1 2 3 4 5 6 7 8 9
 * shared: 3
 */
#include "ranks/calls.h"

static void test(totum_comm *comm)
{
	sweep(comm, &(struct sweep){.collective = "allgatherv",
				    .variant = "shape",
				    .variants = GATHERV_SHAPES,
				    .run = call_allgatherv});
}
