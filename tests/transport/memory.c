/* SPDX-License-Identifier: BSD-3-Clause */
/* memory - the suite over byte rings in shared memory. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/comm.h"
#include "transport/memory.h"
#include "transport/suite/suite.h"

struct own {
	totum_comm *comm;
	struct tt_memory_context context;
};

static void *prepare(int nranks, bool threads)
{
	totum_comm **comms = calloc((size_t)nranks, sizeof(totum_comm *));

	if (threads && totum_init_threads(nranks, comms))
		abort();
	return comms;
}

static bool meet(void *prepared, struct place *place)
{
	struct own *own = calloc(1, sizeof *own);
	char root[64], settings[64];

	own->comm = ((totum_comm **)prepared)[place->rank];
	snprintf(root, sizeof root, "local:suite-%d", (int)getppid());
	snprintf(settings, sizeof settings, "timeout=%.0fms", place->timeout * 1e3);
	if ((!own->comm && totum_comm_create(place->rank, place->nranks, root, NULL, &own->comm)) ||
	    totum_comm_configure(own->comm, settings)) {
		fprintf(stderr, "%s\n", totum_errmsg());
		return false;
	}
	own->context = (struct tt_memory_context){.host = &own->comm->host,
						   .lane = TT_LANE_MESSAGES};
	place->own = own;
	place->transport = &tt_transport_memory;
	place->context = &own->context;
	return true;
}

static void leave(struct place *place)
{
	struct own *own = place->own;

	totum_comm_free(own->comm);
	free(own);
}

static void forget(void *prepared, int nranks)
{
	(void)nranks;
	free(prepared);
}

const struct world world = {"memory", prepare, meet, leave, forget};
