/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * allgather - every algorithm, count, dtype and place, to the byte.  ranks: 1 2 3 4 5 6 7 8 9
 * shared: 2 5
 */
#include "ranks/calls.h"

static void test(totum_comm *comm)
{
	sweep(comm,
	      &(struct sweep){.collective = "allgather", .variants = 1, .run = call_allgather});
}
