/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * broadcast - every root too.  ranks: 1 2 3 4 5 6 7 8 9
 * shared: 3
 */
#include "ranks/calls.h"

static void test(totum_comm *comm)
{
	sweep(comm, &(struct sweep){.collective = "broadcast",
				    .variant = "root",
				    .variants = totum_comm_nranks(comm),
				    .run = call_broadcast});
}
