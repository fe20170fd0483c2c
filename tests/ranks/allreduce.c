/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * allreduce - every dtype with every op that it takes.  ranks: 1 2 3 4 5 6 7 8 9
 * shared: 3
 */
#include "ranks/calls.h"

static void test(totum_comm *comm)
{
	sweep(comm, &(struct sweep){.collective = "allreduce",
				    .variants = 1,
				    .reduces = true,
				    .run = call_allreduce});
}
