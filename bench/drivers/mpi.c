/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi - any MPI as bench/compare measures it, on MPI_COMM_WORLD; its counts are ints. */
#include "library.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void must(int code)
{
	if (code != MPI_SUCCESS)
		driver_fail("MPI returned error %d", code);
}

void library_start(struct job *job)
{
	static char version[MPI_MAX_LIBRARY_VERSION_STRING];
	int length = 0;

	must(MPI_Init(NULL, NULL));
	must(MPI_Comm_rank(MPI_COMM_WORLD, &job->rank));
	must(MPI_Comm_size(MPI_COMM_WORLD, &job->nranks));
	must(MPI_Get_library_version(version, &length));
	version[strcspn(version, "\n,")] = '\0';
	snprintf(job->version, sizeof job->version, "%.*s", VERSION_TEXT - 1, version);
}

bool library_memory(struct call *call, size_t send_bytes, size_t recv_bytes)
{
	(void)call, (void)send_bytes, (void)recv_bytes;
	return false;
}

void library_prepare(const struct call *call)
{
	if (call->count > INT_MAX)
		driver_fail("MPI counts to %d, and %zu are asked for: ask for smaller --sizes",
			    INT_MAX, call->count);
}

void library_call(const struct call *call)
{
	void *send = call->send, *recv = call->recv;
	int count = (int)call->count;

	switch (call->what) {
	case ALLGATHER:
		must(MPI_Allgather(send, count, MPI_BYTE, recv, count, MPI_BYTE, MPI_COMM_WORLD));
		break;
	case REDUCE_SCATTER:
		must(MPI_Reduce_scatter_block(send, recv, count, MPI_FLOAT, MPI_SUM,
					      MPI_COMM_WORLD));
		break;
	case ALLREDUCE:
		must(MPI_Allreduce(send, recv, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
		break;
	case BROADCAST:
		must(MPI_Bcast(recv, count, MPI_BYTE, 0, MPI_COMM_WORLD));
		break;
	case ALLTOALL:
		must(MPI_Alltoall(send, count, MPI_BYTE, recv, count, MPI_BYTE, MPI_COMM_WORLD));
		break;
	default:
		must(MPI_Barrier(MPI_COMM_WORLD));
	}
}

void library_end(void)
{
	must(MPI_Finalize());
}
